"""Letters that only the style of a page tells, as programs for office work save them: raised by
`vertical-align`, or pictures of Wingdings."""

from __future__ import annotations

from typing import Any

from shisho.corpus.readers.inlinestyle import parse_style
from shisho.corpus.readers.symbols import write_symbols

_TAGS = {"super": "sup", "sub": "sub"}
_LONGEST = 20  # letters that are raised: an icon or a whole line is moved for other reasons


def spell_out_lettering(tree: Any) -> None:
    """Write pictures as letters, and raised letters as elements that say so."""
    for element in tree.iter("span", "font"):
        style = parse_style(element.get("style") or "")
        font = style.get("font-family") or element.get("face") or ""
        _write_pictures(element, font.partition(",")[0].strip(" \"'"))
        tag = _TAGS.get(style.get("vertical-align", ""))
        if tag and len("".join(element.itertext())) <= _LONGEST:
            element.tag = tag


def _write_pictures(element: Any, font: str) -> None:
    """Only what is directly in the element: others inside name their own font."""
    element.text = write_symbols(element.text or "", font)
    for child in element:
        child.tail = write_symbols(child.tail or "", font)
