"""Metrics of a library."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from shisho.domain.library import LibraryMetrics
from shisho.domain.time import to_epoch
from shisho.ports import Clock
from shisho.stores.sql import Queries, QueryStore

# Count unfinished jobs by kind and state: each state from its own index, because most jobs are finished.
JOBS = """SELECT kind, state, count(*) AS number FROM jobs WHERE state = 'queued' GROUP BY kind, state
    UNION ALL SELECT kind, state, count(*) FROM jobs WHERE state = 'running' GROUP BY kind, state
    UNION ALL SELECT kind, state, count(*) FROM jobs WHERE state IN ('parked', 'awaiting_auth') GROUP BY kind, state"""
# Read the creation time of the oldest queued job that any worker may claim.
OLDEST = "SELECT min(created_at) AS oldest FROM jobs WHERE state = 'queued' AND not_before IS NULL"
# Count live documents and passages.
AMOUNTS = """SELECT CAST(coalesce(sum(documents), 0) AS bigint) AS documents,
    CAST(coalesce(sum(passages), 0) AS bigint) AS passages FROM corpora"""


class StoredFigures:
    """Reads the library's metrics. `behind` returns the number of unindexed changes."""

    def __init__(self, store: QueryStore, clock: Clock, behind: Callable[[], Awaitable[int]]) -> None:
        self._store = store
        self._clock = clock
        self._behind = behind

    async def read(self) -> LibraryMetrics:
        behind = await self._behind()
        return await self._store.read(lambda queries: self._read_figures(queries, behind))

    def _read_figures(self, queries: Queries, behind: int) -> LibraryMetrics:
        (amounts,) = queries.fetch(AMOUNTS, {})
        (queue,) = queries.fetch(OLDEST, {})
        age = 0.0 if queue.oldest is None else to_epoch(self._clock.now()) - to_epoch(queue.oldest)
        return LibraryMetrics(
            jobs={(row.kind, row.state): row.number for row in queries.fetch(JOBS, {})},
            oldest_queued_s=max(0.0, age),
            documents=amounts.documents,
            passages=amounts.passages,
            behind=behind,
        )
