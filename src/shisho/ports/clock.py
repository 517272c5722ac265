"""The clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.time import Instant


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> Instant:
        """Return the wall-clock time, for dates. It may jump."""

    def steady(self) -> Instant:
        """Return the time on a timeline that jumps of the wall clock do not move.

        For deadlines, which are only compared with each other. All processes that share a store share one
        timeline.
        """

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
