"""Rate limits of resources in PostgreSQL."""

from __future__ import annotations

from shisho.domain.time import to_epoch
from shisho.ports import Clock
from shisho.stores.limiter import StoredLimiter
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.queries import PostgresQueryStore


class PostgresLimiter(StoredLimiter):
    """`ports.Limiter` for all processes that share one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        # The machines' monotonic clocks are not comparable; the shared timeline is.
        super().__init__(PostgresQueryStore(database), clock, lambda: to_epoch(clock.steady()))
