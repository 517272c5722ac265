"""Text of DOCX that Word does not show.

Runs that are hidden directly or by a style, and the source of a tracked move.
"""

from __future__ import annotations

from typing import Any

from docx.oxml.ns import qn

from shisho.corpus.readers.formulas import MATH
from shisho.corpus.readers.hidden import drop_elements

_OFF = frozenset(("0", "false", "off"))
_VALUE = qn("w:val")
_PARAGRAPH = qn("w:p")
_RUNS = (qn("w:r"), f"{MATH}r")
_MOVED = qn("w:moveFrom")
_VANISH = f"{qn('w:rPr')}/{qn('w:vanish')}"
_RUN_STYLE = f"{qn('w:rPr')}/{qn('w:rStyle')}"
_PARAGRAPH_STYLE = f"{qn('w:pPr')}/{qn('w:pStyle')}"


def find_hiding_styles(styles: Any) -> frozenset[str]:
    """Return the ids of styles that hide their text, directly or through their base style."""
    elements = {style.get(qn("w:styleId")): style for style in styles.iter(qn("w:style"))}
    hides: dict[str | None, bool] = {}
    for name in elements:
        # Not by recursion: a file may have an arbitrarily long chain of styles, or a circle.
        path = []
        step = name
        while step in elements and step not in hides:
            hides[step] = False
            path.append(step)
            mark = elements[step].find(_VANISH)
            if mark is not None:
                hides[step] = _is_on(mark)
                break
            step = _read_value(elements[step].find(qn("w:basedOn")))
        hides.update(dict.fromkeys(path, hides.get(step, False)))
    return frozenset(name for name, is_hiding in hides.items() if name is not None and is_hiding)


def drop_vanished(tree: Any, hiding: frozenset[str]) -> None:
    """Remove hidden runs from the tree of a document or of its notes.

    `hiding`: the styles that hide.
    """
    runs = [run for run in tree.iter(*_RUNS) if _is_vanished(run, hiding)]
    drop_elements(tree, [*runs, *tree.iter(_MOVED)])


def _is_vanished(run: Any, hiding: frozenset[str]) -> bool:
    mark = run.find(_VANISH)
    if mark is not None:
        return _is_on(mark)
    if not hiding:
        return False
    paragraph = next(run.iterancestors(_PARAGRAPH), None)
    by_paragraph = paragraph is not None and _read_value(paragraph.find(_PARAGRAPH_STYLE)) in hiding
    # If both hide, they cancel each other.
    return by_paragraph != (_read_value(run.find(_RUN_STYLE)) in hiding)


def _is_on(mark: Any) -> bool:
    return mark.get(_VALUE) not in _OFF


def _read_value(element: Any) -> str | None:
    return None if element is None else element.get(_VALUE)
