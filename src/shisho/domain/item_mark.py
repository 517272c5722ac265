"""The mark before an item of a list, which a browser shows and the text of its page does not hold."""

from __future__ import annotations

import re

BULLET = "• "
_MARK = re.compile(r"^(?:•|\d{1,4}\.) ")


def write_mark(text: str, number: int) -> str:
    """The text behind its number, or behind a bullet where that is 0."""
    return f"{number}. {text}" if number > 0 else BULLET + text


def strip_mark(text: str) -> str:
    """The text without such a mark."""
    return _MARK.sub("", text)
