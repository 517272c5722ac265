"""The record of search engine responses in PostgreSQL."""

from __future__ import annotations

from shisho.ports import Clock
from shisho.stores.health import StoredHealth
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.queries import PostgresQueryStore


class PostgresHealth(StoredHealth):
    """`ports.Health` for all processes that share one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        super().__init__(PostgresQueryStore(database), clock)
