"""The messages between a parent and its child: JSON in frames with a length before them, checked on
arrival.

Never pickle: a child that has looked at hostile bytes is not to be trusted."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from typing import Any, TypeVar

from shisho.errors import ShishoError, map_by_code
from shisho.messages.message import Message
from shisho.messages.message import pack as pack_message
from shisho.messages.message import unpack as unpack_message

T = TypeVar("T")

LENGTH = struct.Struct(">Q")
READY = b"ready"
MISSING = b"missing "  # instead of READY, before the name of what is not installed
MAX_REPLY = 64 * 1024 * 1024
MOST_STEPS = 10_000  # that work may say it has: as many as a PDF may have pages
_PROGRESS = re.compile(rb"progress ([0-9]{1,5}) of ([0-9]{1,5})")
_MAX_WORDS = 500
_MAX_DETAILS = 20


class ChildBroken(Exception):
    """The bytes broke the function or its process. Its argument: the name of what was raised, "" where
    nothing was."""


class ChildExhausted(Exception):
    """More memory, or a larger answer, than a child may have."""


def frame(payload: bytes) -> bytes:
    return LENGTH.pack(len(payload)) + payload


def pack(value: Any, *, more: bool = False) -> bytes:
    """A whole answer, or a part of one: `more` says whether another follows. Lone surrogates become question
    marks: no store takes them."""
    reply = {"value": value, "more": True} if more else {"value": value}
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")


def pack_progress(done: int, total: int) -> bytes:
    """How many steps of the work are done, of how many: a light message before the answer."""
    return b"progress %d of %d" % (done, total)


def read_progress(reply: bytes) -> tuple[int, int] | None:
    """None for a reply of another kind. Raises Broken for steps that there cannot be."""
    match = _PROGRESS.fullmatch(reply)
    if match is None:
        return None
    done = int(match[1])
    total = int(match[2])
    if not 1 <= done <= total <= MOST_STEPS:
        raise ChildBroken("")
    return done, total


def pack_reason(reason: ShishoError) -> bytes:
    return json.dumps(
        {
            "code": reason.code,
            "message": pack_message(reason.message),
            "details": dict(reason.details),
        }
    ).encode()


def pack_failure(raised: str) -> bytes:
    return json.dumps({"raised": raised}).encode()


def unpack(
    reply: bytes, make: Callable[[Any], T], reasons: tuple[type[ShishoError], ...]
) -> tuple[T | ShishoError, bool]:
    """Unpack what was sent: a value, as `make` makes it, or one of `reasons`; and whether another part
    follows. Raises Exhausted, or Broken for anything else: never ask its sender again."""
    try:
        answer = json.loads(reply)
        if "value" in answer:
            return make(answer["value"]), answer.get("more") is True
        if "code" in answer:
            return _reason(answer, reasons), False
        raised = _clean(answer["raised"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as nonsense:
        raise ChildBroken("") from nonsense
    raise ChildExhausted if raised == MemoryError.__name__ else ChildBroken(raised)


def _reason(answer: Any, reasons: tuple[type[ShishoError], ...]) -> ShishoError:
    cls = map_by_code()[answer["code"]]
    if not issubclass(cls, reasons):
        raise ValueError(answer["code"])
    details = list(answer["details"].items())[:_MAX_DETAILS]
    plain = {
        _clean(name): value
        for name, value in details
        if value is None or isinstance(value, bool | int | float)
    }
    words = {_clean(name): _clean(value) for name, value in details if isinstance(value, str)}
    return cls(_clean_message(answer["message"]), **plain, **words)


def _clean_message(packed: Any) -> Message:
    """Return the message without control characters. An id of no message of ours is a template, which has
    names with short formats for its fields, whoever sends it (`messages.message`)."""
    message = unpack_message(packed)
    if not isinstance(message, Message):
        raise TypeError(packed)
    values = {_clean(name): _clean_value(value) for name, value in message.values.items()}
    return Message(_clean(message.id), **values)


def _clean_value(value: Any) -> Any:
    if isinstance(value, Message):
        return _clean_message(pack_message(value))
    return _clean(value) if isinstance(value, str) else value


def _clean(words: Any) -> str:
    if not isinstance(words, str):
        raise TypeError(words)
    return "".join(char for char in words[:_MAX_WORDS] if char.isprintable())
