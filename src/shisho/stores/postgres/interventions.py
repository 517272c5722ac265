"""Pages that wait for a person's action, in PostgreSQL."""

from __future__ import annotations

from shisho.ports import Bell, Clock
from shisho.stores.interventions import StoredInterventions
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.transitions import build_postgres_transactions


class PostgresInterventions(StoredInterventions):
    """`ports.Interventions` over one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock, bell: Bell) -> None:
        super().__init__(build_postgres_transactions(database, clock, bell))
