"""Items of lists as the program that shows them counts and marks them."""

from __future__ import annotations

from typing import Any

from shisho.corpus.readers.shapes import is_item
from shisho.domain.item_mark import write_mark

_LETTERED = frozenset(("a", "A", "i", "I"))


class ListCount:
    """The items of one list of HTML, or of trafilatura's tree, as a browser counts them."""

    def __init__(self, element: Any) -> None:
        is_ordered = "ol" in (element.tag, element.get("rend"))
        self._is_counted = is_ordered and element.get("type") not in _LETTERED
        self._is_described = "dl" in (element.tag, element.get("rend"))
        self._next = _number(element.get("start"), 1)

    def count(self, item: Any) -> int | None:
        """The number of the next item; 0 where the list has none, None where a browser marks no items."""
        if self._is_described:
            return None
        number = _number(item.get("value"), self._next)
        self._next = number + 1
        return number if self._is_counted else 0


def mark_item(text: str, number: int = 0) -> str:
    """The text behind its number or a bullet, unless it brings a mark of its own."""
    return text if is_item(text) else write_mark(text, number)


def _number(written: str | None, otherwise: int) -> int:
    return int(written) if written and written.isdecimal() and len(written) <= 4 else otherwise
