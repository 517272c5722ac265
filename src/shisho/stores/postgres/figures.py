"""Metrics of a library in PostgreSQL."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from shisho.domain.figures import LibraryFigures
from shisho.domain.time import to_epoch
from shisho.ports import Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import fetch_all

# Count unfinished jobs by kind and state.
JOBS = """SELECT kind, state, count(*) AS number FROM jobs
    WHERE state IN ('queued', 'running', 'parked', 'awaiting_auth') GROUP BY kind, state"""
# Read the creation time of the oldest queued job that any worker may claim.
OLDEST = "SELECT min(created_at) AS oldest FROM jobs WHERE state = 'queued' AND not_before IS NULL"
# Count live documents and passages.
AMOUNTS = """SELECT coalesce(sum(documents), 0)::bigint AS documents, coalesce(sum(passages), 0)::bigint AS passages
    FROM corpora"""


class PostgresFigures:
    """Reads the library's metrics. `behind` returns the number of unindexed changes."""

    def __init__(
        self, database: PostgresDatabase, clock: Clock, behind: Callable[[], Awaitable[int]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._behind = behind

    async def read(self) -> LibraryFigures:
        figures = await self._database.read(self._figures)
        return replace(figures, behind=await self._behind())

    def _figures(self, connection: Connection) -> LibraryFigures:
        (amounts,) = fetch_all(connection, AMOUNTS)
        (queue,) = fetch_all(connection, OLDEST)
        age = 0.0 if queue.oldest is None else to_epoch(self._clock.now()) - to_epoch(queue.oldest)
        return LibraryFigures(
            jobs={(row.kind, row.state): row.number for row in fetch_all(connection, JOBS)},
            oldest_queued_s=max(0.0, age),
            documents=amounts.documents,
            passages=amounts.passages,
        )
