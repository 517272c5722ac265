"""Time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.time import Instant


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> Instant:
        """Wall-clock time: for what is dated. It may jump."""

    def steady(self) -> Instant:
        """On a line that no jump of the wall clock moves: for moments that are waited for, and only compared
        with each other. One line for all processes that share a store."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
