"""Instants and waits, and the timeline that waits are measured on.

The timeline starts with the wall clock at boot and then follows the monotonic clock alone. Jumps of the wall
clock neither lengthen nor shorten a wait.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NewType

from shisho.records import dataclass

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


@dataclass(frozen=True, slots=True)
class Anchor:
    """The anchor of the timeline for all processes that share a store.

    `at`: the timeline's value, in seconds since 1970, when the monotonic clock of `boot` (the machine's boot
    id; "" if the system has none) read `monotonic`. `noted`: the latest recorded value of the timeline.
    """

    boot: str
    at: float
    monotonic: float
    noted: float

    def read_at(self, monotonic: float) -> float:
        """Return the instant on the timeline when the monotonic clock reads `monotonic`."""
        return self.at + monotonic - self.monotonic

    def is_of(self, boot: str, monotonic: float) -> bool:
        """Return whether the machine has not been restarted since."""
        return self.boot == boot and self.read_at(monotonic) >= self.noted


def set_anchor(anchor: Anchor | None, boot: str, wall: float, monotonic: float) -> Anchor:
    """Return the anchor for now. It is kept until the machine restarts.

    After a restart the wall clock measures the downtime. If the wall clock ran backwards, the timeline
    continues from its last recorded value, so that no wait grows by the difference.
    """
    if anchor is not None and anchor.is_of(boot, monotonic):
        return anchor
    at = wall if anchor is None else max(wall, anchor.noted)
    return Anchor(boot, at, monotonic, at)


WITNESS_S = 15.0
"""A process that recorded the timeline this recently was awake when a clock seemed to jump."""
JUMP_S = 2.0
"""Smaller differences between clocks are corrected; larger ones are jumps."""


@dataclass(frozen=True, slots=True)
class ServerAnchor:
    """The anchor of the timeline for all machines that share a server.

    No machine knows another's monotonic clock. The timeline is `ahead` of the server's clock. When that clock
    read `wall`, the timeline was at `noted`; all in seconds since 1970.
    """

    ahead: float
    noted: float
    wall: float

    def is_recent(self, wall: float, seconds: float) -> bool:
        """Return whether it was recorded at most `seconds` before the server's time `wall`."""
        return 0 <= wall - self.wall < seconds


def set_server_anchor(anchor: ServerAnchor | None, wall: float, expected: float | None) -> ServerAnchor:
    """Return the anchor for now, when the server's clock reads `wall`.

    `expected`: the timeline's value by the caller's own clock; None if the caller has just started.

    If the two disagree, either the server's clock has jumped, or the caller was suspended for a while (a
    machine that slept). If other processes kept recording the timeline in that time, the caller was
    suspended.
    """
    if anchor is None:
        return ServerAnchor(0.0, wall, wall)
    line = wall + anchor.ahead
    if expected is not None and abs(line - expected) > JUMP_S and not anchor.is_recent(wall, WITNESS_S):
        line = expected
    line = max(line, anchor.noted)
    return ServerAnchor(line - wall, line, wall)
