"""The time line of everything that is waited for, one for all machines that share a PostgreSQL database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from shisho.domain.timeline import ServerAnchor, set_server_anchor
from shisho.system.clock import measure_since_start

SAMPLE_SECONDS = 5.0  # between two looks at the server's clock, while something is written
READS = 3  # of which the quickest counts
NOTE_SECONDS = 2.0  # who has noted the line less long ago was here for all
# The server's clock, and what is known of the line.
CLOCK = """SELECT extract(epoch FROM clock_timestamp())::float8 AS wall, t.ahead, t.noted, t.wall AS noted_wall
    FROM (SELECT 1) always LEFT JOIN timeline t ON true"""
# What the line says now.
NOTE = """INSERT INTO timeline(one, ahead, noted, wall) VALUES (true, %(ahead)s, %(noted)s, %(wall)s)
    ON CONFLICT (one) DO UPDATE SET ahead = excluded.ahead, noted = excluded.noted, wall = excluded.wall"""


@dataclass(frozen=True, slots=True)
class _Sample:
    line: float
    own: float  # this machine's clock since its start, when the server's were read


class ServerTime:
    """Between two looks the line goes on with this machine's own clock since its start."""

    def __init__(self) -> None:
        self._sample: _Sample | None = None

    @property
    def is_known(self) -> bool:
        """True once the server was asked."""
        return self._sample is not None

    @property
    def is_due(self) -> bool:
        """True where the server's clock should be looked at again."""
        sample = self._sample
        return sample is None or measure_since_start() - sample.own > SAMPLE_SECONDS

    def line(self) -> float:
        """The present on the line, in seconds since 1970."""
        assert self._sample is not None
        return self._sample.line + measure_since_start() - self._sample.own

    def note(self, connection: psycopg.Connection[Any]) -> None:
        """Look at the server's clock, and store what the line says. Whoever has just begun stores nothing
        where something stands: it cannot know whether the clock has jumped."""
        has_begun = self._sample is not None
        stored, anchor = self._look(connection)
        if stored is None or (has_begun and not stored.was_noted(anchor.wall, NOTE_SECONDS)):
            connection.execute(NOTE, {"ahead": anchor.ahead, "noted": anchor.noted, "wall": anchor.wall})

    def sample(self, connection: psycopg.Connection[Any]) -> None:
        """Look at the server's clock; nothing is stored."""
        self._look(connection)

    def _look(self, connection: psycopg.Connection[Any]) -> tuple[ServerAnchor | None, ServerAnchor]:
        """What is stored, and what is true now."""
        row, own, error = min((_read(connection) for _ in range(READS)), key=lambda read: read[2])
        stored = None if row.ahead is None else ServerAnchor(row.ahead, row.noted, row.noted_wall)
        sample = self._sample
        expected = None if sample is None else sample.line + own - sample.own
        anchor = set_server_anchor(stored, row.wall, expected)
        # What is off by less than can be told from here is no reason to move.
        line = anchor.noted if expected is None or abs(anchor.noted - expected) > error else expected
        self._sample = _Sample(line, own)
        return stored, anchor


def _read(connection: psycopg.Connection[Any]) -> tuple[Any, float, float]:
    """The server's clock, this machine's meanwhile, and by how much the two may be apart."""
    before = measure_since_start()
    (row,) = connection.execute(CLOCK).fetchall()
    after = measure_since_start()
    return row, (before + after) / 2, (after - before) / 2
