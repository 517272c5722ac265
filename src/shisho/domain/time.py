"""Instants and waits: one form for every moment, and the arithmetic over it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NewType

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 120.0
SPREAD = 0.1
MAX_DOUBLINGS = 10  # 2 to a larger power exceeds the longest wait by far

Instant = NewType("Instant", str)
"""A moment in ISO 8601, in UTC, with six digits of a second: earlier instants are smaller texts.

Those of `Clock.now` and those of `Clock.steady` are on separate timelines and must not be compared.
"""


def from_epoch(seconds: float) -> Instant:
    """Return the instant so many seconds after the beginning of 1970."""
    return _write_instant(datetime.fromtimestamp(seconds, UTC))


def to_epoch(at: Instant) -> float:
    """Return the seconds since the beginning of 1970."""
    return datetime.fromisoformat(at).timestamp()


def to_date(at: Instant) -> date:
    """Return the day in UTC."""
    return datetime.fromisoformat(at).astimezone(UTC).date()


def add_seconds(at: Instant, seconds: float) -> Instant:
    """Return the instant so many seconds after another one."""
    return _write_instant(datetime.fromisoformat(at) + timedelta(seconds=seconds))


def drop_fraction(at: Instant) -> Instant:
    """Return the instant to the second, for people.

    It still compares as text: `+` comes before `.`.
    """
    return Instant(datetime.fromisoformat(at).isoformat(timespec="seconds"))


def count_seconds(start: Instant, end: Instant) -> float:
    """Return the seconds from one instant to another, negative if `end` is earlier."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def compute_backoff(failures: int, chance: float) -> float:
    """Return the seconds until the next try after `failures` of them: 1, 2, 4 … 120.

    They are spread by ± 10 % with `chance` in 0..1, so that clients that failed together do not retry
    together.
    """
    wait = min(FIRST_WAIT_S * 2.0 ** min(failures, MAX_DOUBLINGS), LONGEST_WAIT_S)
    return wait * (1 - SPREAD + 2 * SPREAD * chance)


def _write_instant(at: datetime) -> Instant:
    return Instant(at.isoformat(timespec="microseconds"))
