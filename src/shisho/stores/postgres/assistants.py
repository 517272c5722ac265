"""Sessions of assistants in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

from shisho.ports import Clock
from shisho.stores.assistants import StoredAssistants
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.queries import PostgresQueryStore


class PostgresAssistants(StoredAssistants):
    """`ports.SessionBook` for all processes that share one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock, site: Callable[[str], str]) -> None:
        super().__init__(PostgresQueryStore(database), clock, site)
