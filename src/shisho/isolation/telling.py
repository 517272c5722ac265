"""How far work is, told by the child that does it: light messages, few of them, before the answer."""

from __future__ import annotations

import time
from collections.abc import Callable

from shisho.isolation import wire
from shisho.isolation.wire import ChildBroken

Tell = Callable[[int, int], object]
"""Told how many steps are done, of how many."""

MOST_MESSAGES = 2 * wire.MOST_STEPS  # messages of one piece of work: what has to be read twice is told twice


def tell_nobody(done: int, total: int) -> None:
    """For work whose progress nobody hears."""


class Teller:
    """The child's side. Calling it costs next to nothing: once in `seconds` it sends how far the work is."""

    def __init__(self, send: Callable[[bytes], None], seconds: float) -> None:
        self._send = send
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now >= self._next and total <= wire.MOST_STEPS:
            self._next = now + self._seconds
            self._send(wire.pack_progress(done, total))


class Hearer:
    """The parent's side, who trusts no child: what comes faster than it may is passed over, and a child that
    never stops telling is broken."""

    def __init__(self, notify: Tell, seconds: float | None) -> None:
        self._notify = notify
        self._seconds = seconds
        self._heard = 0
        self._next = 0.0

    def hear(self, done: int, total: int) -> None:
        """Raises ChildBroken for a message too many, and for any where the work was to tell nothing."""
        self._heard += 1
        if self._seconds is None or self._heard > MOST_MESSAGES:
            raise ChildBroken("")
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self._seconds / 2  # half: a message may have been late, and the next is not
            self._notify(done, total)
