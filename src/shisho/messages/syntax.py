"""Messages for text that a parser of Python refuses: TOML, JSON and UTF-8. Their own words are in one
language alone."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping

from shisho.messages.message import Message

TOML: Mapping[str, Message] = {
    "Invalid value": Message("this is no value: a word stands in quotation marks"),
    "Expected '='": Message("a name has no = after it"),
    "Expected newline": Message("something stands behind the value"),
    "Expected ']": Message("the name in brackets has no ] after it"),
    "Unterminated string": Message("a quotation mark is not closed"),
    "Illegal character": Message("a quotation mark is not closed"),
    "Unescaped": Message("a backslash between quotation marks is written twice"),
    "Cannot": Message("a name stands there twice"),
    "Duplicate": Message("a name stands there twice"),
}
"""What is wrong, by how the words of the parser begin."""
OTHERWISE = Message("this cannot be read")
NOT_UTF8 = Message("it is not UTF-8")
AT_END = Message("at its end")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)$")


def describe_syntax_error(error: ValueError) -> Message | None:
    """Where the text cannot be read, and why as far as it is known; None for another error."""
    if isinstance(error, UnicodeDecodeError):
        return NOT_UTF8
    if isinstance(error, json.JSONDecodeError):
        return Message("{where}: {what}", where=_name_place(error.lineno, error.colno), what=OTHERWISE)
    if isinstance(error, tomllib.TOMLDecodeError):
        words = str(error)
        place = _PLACE.search(words)
        where = AT_END if place is None else _name_place(*place.groups())
        what = next((TOML[head] for head in TOML if words.startswith(head)), OTHERWISE)
        return Message("{where}: {what}", where=where, what=what)
    return None


def _name_place(line: int | str, column: int | str) -> Message:
    return Message("line {line}, column {column}", line=line, column=column)
