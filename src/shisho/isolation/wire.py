"""The messages between a parent and its child: JSON in length-prefixed frames.

They are validated on arrival, and never use pickle: a child that parsed hostile bytes is not trusted.
"""

from __future__ import annotations

import json
import re
import struct
import time
from collections.abc import Callable
from typing import Any, TypeVar

from shisho.errors import ShishoError, map_by_code
from shisho.messages import Message
from shisho.messages import pack as pack_message
from shisho.messages import unpack as unpack_message

T = TypeVar("T")

LENGTH = struct.Struct(">Q")
READY = b"ready"
MISSING = b"missing "  # instead of READY, before the name of a missing package
MAX_REPLY = 64 * 1024 * 1024
MAX_STEPS = 10_000  # the most steps that work may report: the page limit of a PDF
_PROGRESS = re.compile(rb"progress ([0-9]{1,5}) of ([0-9]{1,5})")
_MAX_WORDS = 500
_MAX_DETAILS = 20


class ChildBroken(Exception):
    """The bytes broke the function or its process.

    Its argument is the name of the exception, or "".
    """


class ChildExhausted(Exception):
    """The child exceeded its memory, or the size limit of an answer."""


def pack_frame(payload: bytes) -> bytes:
    return LENGTH.pack(len(payload)) + payload


def pack(value: Any, *, more: bool = False) -> bytes:
    """Return a frame's payload for an answer, or for a part of one if `more` is set.

    Lone surrogates become question marks, because no store accepts them.
    """
    reply = {"value": value, "more": True} if more else {"value": value}
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")


def pack_progress(done: int, total: int) -> bytes:
    """Return a light message with the steps done and their total, sent before the answer."""
    return b"progress %d of %d" % (done, total)


def read_progress(reply: bytes) -> tuple[int, int] | None:
    """Return the progress in a reply; None for other replies.

    Raises:
        ChildBroken: The step counts are invalid.
    """
    match = _PROGRESS.fullmatch(reply)
    if match is None:
        return None
    done = int(match[1])
    total = int(match[2])
    if not 1 <= done <= total <= MAX_STEPS:
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
    """Return the value built by `make`, or one of `reasons`; and whether another part follows.

    Raises:
        ChildExhausted, ChildBroken: The child is not to be used again.
    """
    try:
        answer = json.loads(reply)
        if "value" in answer:
            return make(answer["value"]), answer.get("more") is True
        if "code" in answer:
            return _read_reason(answer, reasons), False
        raised = _clean(answer["raised"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as nonsense:
        raise ChildBroken("") from nonsense
    raise ChildExhausted if raised == MemoryError.__name__ else ChildBroken(raised)


def _read_reason(answer: Any, reasons: tuple[type[ShishoError], ...]) -> ShishoError:
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
    """Return the message without control characters.

    An unknown message id is treated as a template. Its fields may only be plain names with short formats
    (`messages.Message`).
    """
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


Tell = Callable[[int, int], object]
"""Called with the number of steps done, and their total."""

MAX_MESSAGES = 2 * MAX_STEPS  # per piece of work: steps done twice are reported twice


def discard_progress(done: int, total: int) -> None:
    """Discard the progress."""


class ProgressSender:
    """The child's side of progress reports.

    A call costs next to nothing: it sends one message in `seconds`.
    """

    def __init__(self, send: Callable[[bytes], None], seconds: float) -> None:
        self._send = send
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now >= self._next and total <= MAX_STEPS:
            self._next = now + self._seconds
            self._send(pack_progress(done, total))


class ProgressReceiver:
    """The parent's side of progress reports, which trusts no child.

    Messages above the rate limit are dropped, and a child that sends too many is broken.
    """

    def __init__(self, notify: Tell, seconds: float | None) -> None:
        self._notify = notify
        self._seconds = seconds
        self._heard = 0
        self._next = 0.0

    def hear(self, done: int, total: int) -> None:
        """Pass on a message.

        Raises:
            ChildBroken: There are too many messages, or the work may not send any.
        """
        self._heard += 1
        if self._seconds is None or self._heard > MAX_MESSAGES:
            raise ChildBroken("")
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self._seconds / 2  # half: a message may be late, and the next one not
            self._notify(done, total)
