"""Messages for errors of Python and the operating system, whose own words are in one language only."""

from __future__ import annotations

import errno
import json
import re
import socket
import tomllib
from collections.abc import Mapping

from shisho.messages import Message

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
"""The fault, by the beginning of the parser's words."""
OTHERWISE = Message("syntax.unreadable")
NOT_UTF8 = Message("syntax.not_utf8")
AT_END = Message("syntax.at_end")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)$")


def describe_syntax_error(error: ValueError) -> Message | None:
    """Return where and why a text cannot be parsed; None for another error."""
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


REASONS: Mapping[int, Message] = {
    errno.ENOENT: Message("system.not_found"),
    errno.EACCES: Message("system.permission_denied"),
    errno.EPERM: Message("system.permission_denied"),
    errno.EEXIST: Message("system.exists"),
    errno.ENOTDIR: Message("system.not_a_folder"),
    errno.EISDIR: Message("system.is_folder"),
    errno.ENOTEMPTY: Message("system.not_empty"),
    errno.ENAMETOOLONG: Message("system.name_too_long"),
    errno.ELOOP: Message("system.link_loop"),
    errno.EMFILE: Message("system.too_many_files"),
    errno.ENFILE: Message("system.too_many_files"),
    errno.ENOSPC: Message("system.disk_full"),
    errno.EDQUOT: Message("system.disk_quota"),
    errno.EROFS: Message("system.read_only"),
    errno.EIO: Message("system.disk_failed"),
    errno.ENXIO: Message("system.no_device"),
    errno.EADDRINUSE: Message("system.address_in_use"),
    errno.EADDRNOTAVAIL: Message("system.address_unavailable"),
    errno.ECONNREFUSED: Message("system.refused"),
    errno.ECONNRESET: Message("system.connection_broken"),
    errno.EPIPE: Message("system.connection_broken"),
    errno.ETIMEDOUT: Message("system.timeout"),
    errno.EHOSTUNREACH: Message("system.unreachable"),
    errno.ENETUNREACH: Message("system.unreachable"),
}
NAMES: Mapping[int, Message] = {
    socket.EAI_NONAME: Message("system.unknown_name"),
    socket.EAI_AGAIN: Message("system.dns_failed"),
}


def explain_error(error: Exception) -> str:
    """Return the reason for an error as a message; in its own words if no message is known."""
    message = getattr(error, "message", None)
    if isinstance(message, Message):
        return message
    if isinstance(error, socket.gaierror):
        return NAMES.get(error.errno or 0) or error.strerror or str(error)
    if isinstance(error, OSError):
        number = errno.ETIMEDOUT if isinstance(error, TimeoutError) else error.errno or 0
        return REASONS.get(number) or error.strerror or str(error)
    known = describe_syntax_error(error) if isinstance(error, ValueError) else None
    return known or str(error)
