"""The machine's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from shisho.domain.time import Instant, from_epoch

BOOT = Path("/proc/sys/kernel/random/boot_id")


class SystemClock:
    """`ports.Clock` by the operating system. `line`: seconds on the time line of the store whose moments are
    waited for."""

    def __init__(self, line: Callable[[], float] | None = None) -> None:
        # Without a store's, a line of its own: the same for as long as this clock lasts.
        begins = time.time() - measure_since_start()
        self._line = line or (lambda: begins + measure_since_start())

    def now(self) -> Instant:
        return from_epoch(time.time())

    def steady(self) -> Instant:
        return from_epoch(self._line())

    def monotonic(self) -> float:
        return time.monotonic()


def measure_since_start() -> float:
    """Seconds since the machine's start; while it sleeps they pass too, where the system counts them."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


def identify_start() -> str:
    """The name of the machine's run; "" where the system gives it none."""
    try:
        return BOOT.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
