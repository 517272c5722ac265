"""Time."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> str:
        """Wall-clock time, ISO 8601 in UTC."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
