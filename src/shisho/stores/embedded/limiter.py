"""Rate limits of resources in SQLite."""

from __future__ import annotations

from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.queries import EmbeddedQueryStore
from shisho.stores.limiter import StoredLimiter


class EmbeddedLimiter(StoredLimiter):
    """`ports.Limiter` for all processes that share one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        super().__init__(EmbeddedQueryStore(database), clock, clock.monotonic)
