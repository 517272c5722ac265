"""The system clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from shisho.domain.time import Instant, from_epoch

BOOT = Path("/proc/sys/kernel/random/boot_id")


class SystemClock:
    """`ports.Clock` by the operating system.

    `line`: seconds on the timeline of the store whose deadlines are awaited.
    """

    def __init__(self, line: Callable[[], float] | None = None) -> None:
        # Without a store, a timeline of its own, consistent for the lifetime of this clock.
        begins = time.time() - measure_since_start()
        self._line = line or (lambda: begins + measure_since_start())

    def now(self) -> Instant:
        return from_epoch(time.time())

    def timeline_now(self) -> Instant:
        return from_epoch(self._line())

    def monotonic(self) -> float:
        return time.monotonic()


def measure_since_start() -> float:
    """Return the seconds since boot, including sleep if the system counts it."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


def identify_start() -> str:
    """Return an identifier of the current boot; "" if the system has none."""
    try:
        return BOOT.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
