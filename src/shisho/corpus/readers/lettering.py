"""Letters that depend on the page's style, as office programs save them.

They are raised by `vertical-align`, or pictures from Wingdings.
"""

from __future__ import annotations

from typing import Any

from shisho.corpus.readers.inlinestyle import parse_style
from shisho.corpus.readers.symbols import write_symbols

_TAGS = {"super": "sup", "sub": "sub"}
_LONGEST = 20  # raised letters: icons and whole lines are moved for other reasons


def spell_out_lettering(tree: Any) -> None:
    """Write picture characters as letters, and raised letters as elements."""
    for element in tree.iter("span", "font"):
        style = parse_style(element.get("style") or "")
        font = style.get("font-family") or element.get("face") or ""
        _write_pictures(element, font.partition(",")[0].strip(" \"'"))
        tag = _TAGS.get(style.get("vertical-align", ""))
        if tag and len("".join(element.itertext())) <= _LONGEST:
            element.tag = tag


def _write_pictures(element: Any, font: str) -> None:
    """Write the picture characters directly in the element; inner elements have their own font."""
    element.text = write_symbols(element.text or "", font)
    for child in element:
        child.tail = write_symbols(child.tail or "", font)
