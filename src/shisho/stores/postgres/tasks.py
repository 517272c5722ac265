"""The task store in PostgreSQL."""

from __future__ import annotations

from shisho.ports import Bell, Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.transitions import build_postgres_transactions
from shisho.stores.tasks import StoredTasks


class PostgresTasks(StoredTasks):
    """`ports.TaskStore` over one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock, bell: Bell) -> None:
        super().__init__(build_postgres_transactions(database, clock, bell))
