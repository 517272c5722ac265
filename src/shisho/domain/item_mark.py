"""The mark before a list item, which browsers show although the page's text lacks it."""

from __future__ import annotations

import re

BULLET = "• "
_MARK = re.compile(r"^(?:•|\d{1,4}\.) ")


def write_mark(text: str, number: int) -> str:
    """Return the text after its number, or after a bullet if `number` is 0."""
    return f"{number}. {text}" if number > 0 else BULLET + text


def strip_mark(text: str) -> str:
    """Return the text without its mark."""
    return _MARK.sub("", text)
