"""Items of lists, with the numbers and marks that programs display."""

from __future__ import annotations

from typing import Any

from shisho.corpus.readers.shapes import is_item
from shisho.domain.item_mark import write_mark

_LETTERED = frozenset(("a", "A", "i", "I"))


class ListCount:
    """The counter of a list of HTML, or of trafilatura's tree, as in a browser."""

    def __init__(self, element: Any) -> None:
        is_ordered = "ol" in (element.tag, element.get("rend"))
        self._is_counted = is_ordered and element.get("type") not in _LETTERED
        self._is_described = "dl" in (element.tag, element.get("rend"))
        self._next = _number(element.get("start"), 1)

    def count(self, item: Any) -> int | None:
        """Return the number of the next item; 0 for an unnumbered list, None if it has no marks."""
        if self._is_described:
            return None
        number = _number(item.get("value"), self._next)
        self._next = number + 1
        return number if self._is_counted else 0


def mark_item(text: str, number: int = 0) -> str:
    """Return the text after its number or a bullet, unless it already has a mark."""
    return text if is_item(text) else write_mark(text, number)


def _number(written: str | None, otherwise: int) -> int:
    return int(written) if written and written.isdecimal() and len(written) <= 4 else otherwise
