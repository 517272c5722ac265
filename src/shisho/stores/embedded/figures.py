"""Metrics of a library in one SQLite file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import apsw

from shisho.domain.figures import LibraryFigures
from shisho.domain.time import to_epoch
from shisho.ports import Clock
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database

# Count unfinished jobs by kind and state: each state from its own index, because most jobs are finished.
JOBS = """SELECT kind, state, count(*) AS number FROM jobs WHERE state = 'queued' GROUP BY kind
    UNION ALL SELECT kind, state, count(*) FROM jobs WHERE state = 'running' GROUP BY kind
    UNION ALL SELECT kind, state, count(*) FROM jobs WHERE state IN ('parked', 'awaiting_auth') GROUP BY kind, state"""
# Read the creation time of the oldest queued job that any worker may claim.
OLDEST = "SELECT min(created_at) AS oldest FROM jobs WHERE state = 'queued' AND not_before IS NULL"
# Count live documents and passages.
AMOUNTS = (
    "SELECT coalesce(sum(documents), 0) AS documents, coalesce(sum(passages), 0) AS passages FROM corpora"
)


class EmbeddedFigures:
    """Reads the library's metrics. `behind` returns the number of unindexed changes."""

    def __init__(self, database: Database, clock: Clock, behind: Callable[[], Awaitable[int]]) -> None:
        self._database = database
        self._clock = clock
        self._behind = behind

    async def read(self) -> LibraryFigures:
        behind = await self._behind()
        return await self._database.read(lambda connection: self._figures(connection, behind))

    def _figures(self, connection: apsw.Connection, behind: int) -> LibraryFigures:
        (amounts,) = rows.fetch_all(connection.execute(AMOUNTS))
        (queue,) = rows.fetch_all(connection.execute(OLDEST))
        age = 0.0 if queue.oldest is None else to_epoch(self._clock.now()) - to_epoch(queue.oldest)
        return LibraryFigures(
            jobs={(row.kind, row.state): row.number for row in rows.fetch_all(connection.execute(JOBS))},
            oldest_queued_s=max(0.0, age),
            documents=amounts.documents,
            passages=amounts.passages,
            behind=behind,
        )
