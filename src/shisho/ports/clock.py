"""Time."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> str:
        """Wall-clock time, ISO 8601 in UTC: for what is dated. It may jump."""

    def steady(self) -> str:
        """The same form, on a line that no jump of the wall clock moves: for moments that are waited for, and only compared
        with each other. One line for all processes that share a store."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
