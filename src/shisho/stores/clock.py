"""The machine's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """`ports.Clock` by the operating system."""

    def now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="microseconds")

    def monotonic(self) -> float:
        return time.monotonic()
