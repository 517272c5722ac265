"""Progress reports of a child: few, light messages before the answer."""

from __future__ import annotations

import time
from collections.abc import Callable

from shisho.isolation import wire
from shisho.isolation.wire import ChildBroken

Tell = Callable[[int, int], object]
"""Called with the number of steps done, and their total."""

MAX_MESSAGES = 2 * wire.MAX_STEPS  # per piece of work: steps done twice are reported twice


def tell_nobody(done: int, total: int) -> None:
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
        if now >= self._next and total <= wire.MAX_STEPS:
            self._next = now + self._seconds
            self._send(wire.pack_progress(done, total))


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
