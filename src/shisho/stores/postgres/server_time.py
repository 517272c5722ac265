"""The timeline of all waits, shared by all machines that use a PostgreSQL database."""

from __future__ import annotations

from typing import Any

import psycopg

from shisho.domain.time import ServerAnchor, set_server_anchor
from shisho.records import dataclass
from shisho.system.clock import measure_since_start

SAMPLE_SECONDS = 5.0  # between two reads of the server's clock, while there are writes
READS = 3  # of the clock; the one with the shortest round trip counts
NOTE_SECONDS = 2.0  # a record that is newer than this suffices for all processes
# Read the server's clock, and the stored state of the timeline.
CLOCK = """SELECT extract(epoch FROM clock_timestamp())::float8 AS wall, t.ahead, t.noted, t.wall AS noted_wall
    FROM (SELECT 1) always LEFT JOIN timeline t ON true"""
# Store the current state of the timeline.
NOTE = """INSERT INTO timeline(one, ahead, noted, wall) VALUES (true, %(ahead)s, %(noted)s, %(wall)s)
    ON CONFLICT (one) DO UPDATE SET ahead = excluded.ahead, noted = excluded.noted, wall = excluded.wall"""


@dataclass(frozen=True, slots=True)
class _Sample:
    line: float
    own: float  # this machine's monotonic clock when the server's was read


class ServerTime:
    """A server's timeline; between samples, this machine's monotonic clock continues it."""

    def __init__(self) -> None:
        self._sample: _Sample | None = None

    @property
    def is_known(self) -> bool:
        """True once the server's clock was read."""
        return self._sample is not None

    @property
    def is_due(self) -> bool:
        """True if the server's clock should be read again."""
        sample = self._sample
        return sample is None or measure_since_start() - sample.own > SAMPLE_SECONDS

    def read_timeline(self) -> float:
        """Return the current time of the timeline, in seconds since 1970."""
        assert self._sample is not None
        return self._sample.line + measure_since_start() - self._sample.own

    def note(self, connection: psycopg.Connection[Any]) -> None:
        """Sample the server's clock, and store the state of the timeline.

        The first sample of a process does not overwrite stored state: it cannot detect whether the clock has
        jumped.
        """
        has_begun = self._sample is not None
        stored, anchor = self._look(connection)
        if stored is None or (has_begun and not stored.is_recent(anchor.wall, NOTE_SECONDS)):
            connection.execute(NOTE, {"ahead": anchor.ahead, "noted": anchor.noted, "wall": anchor.wall})

    def sample(self, connection: psycopg.Connection[Any]) -> None:
        """Sample the server's clock without storing anything."""
        self._look(connection)

    def _look(self, connection: psycopg.Connection[Any]) -> tuple[ServerAnchor | None, ServerAnchor]:
        """Sample the clock, and return the stored and the current anchor."""
        row, own, error = min((_read(connection) for _ in range(READS)), key=lambda read: read[2])
        stored = None if row.ahead is None else ServerAnchor(row.ahead, row.noted, row.noted_wall)
        sample = self._sample
        expected = None if sample is None else sample.line + own - sample.own
        anchor = set_server_anchor(stored, row.wall, expected)
        # Differences below the measurement error do not move the timeline.
        line = anchor.noted if expected is None or abs(anchor.noted - expected) > error else expected
        self._sample = _Sample(line, own)
        return stored, anchor


def _read(connection: psycopg.Connection[Any]) -> tuple[Any, float, float]:
    """Read the server's clock, this machine's clock at that moment, and the maximum error."""
    before = measure_since_start()
    (row,) = connection.execute(CLOCK).fetchall()
    after = measure_since_start()
    return row, (before + after) / 2, (after - before) / 2
