"""The mark before an item of a list, which a program shows and its file does not hold."""

from __future__ import annotations

import re
from typing import Any

from shisho.corpus.readers.shapes import is_item

BULLET = "• "
_MARK = re.compile(r"• |\d{1,4}\. ")
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
    if is_item(text):
        return text
    return f"{number}. {text}" if number > 0 else BULLET + text


def strip_mark(text: str) -> str:
    """The text of an item as its file holds it."""
    return _MARK.sub("", text, count=1) if _MARK.match(text) else text


def _number(written: str | None, otherwise: int) -> int:
    return int(written) if written and written.isdecimal() and len(written) <= 4 else otherwise
