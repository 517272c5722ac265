"""Messages for text that a parser of Python refuses: TOML, JSON and UTF-8. Their own words are in one
language alone."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping

from shisho.messages.message import Message

TOML: Mapping[str, Message] = {
    "Invalid value": Message("syntax.no_value"),
    "Expected '='": Message("syntax.no_equals"),
    "Expected newline": Message("syntax.after_value"),
    "Expected ']": Message("syntax.no_bracket"),
    "Unterminated string": Message("syntax.no_quote"),
    "Illegal character": Message("syntax.no_quote"),
    "Unescaped": Message("syntax.backslash"),
    "Cannot": Message("syntax.duplicate"),
    "Duplicate": Message("syntax.duplicate"),
}
"""What is wrong, by how the words of the parser begin."""
OTHERWISE = Message("syntax.unreadable")
NOT_UTF8 = Message("syntax.not_utf8")
AT_END = Message("syntax.at_end")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)$")


def describe_syntax_error(error: ValueError) -> Message | None:
    """Where the text cannot be read, and why as far as it is known; None for another error."""
    if isinstance(error, UnicodeDecodeError):
        return NOT_UTF8
    if isinstance(error, json.JSONDecodeError):
        return Message("syntax.place", where=_describe_place(error.lineno, error.colno), what=OTHERWISE)
    if isinstance(error, tomllib.TOMLDecodeError):
        words = str(error)
        place = _PLACE.search(words)
        where = AT_END if place is None else _describe_place(*place.groups())
        what = next((TOML[head] for head in TOML if words.startswith(head)), OTHERWISE)
        return Message("syntax.place", where=where, what=what)
    return None


def _describe_place(line: int | str, column: int | str) -> Message:
    return Message("syntax.line_column", line=line, column=column)
