"""Conversations in PostgreSQL."""

from __future__ import annotations

from shisho.ports import Clock
from shisho.stores.conversations import StoredConversations
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.queries import PostgresQueryStore


class PostgresConversations(StoredConversations):
    """`ports.Conversations` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        super().__init__(PostgresQueryStore(database), clock, _erase_nothing)


async def _erase_nothing() -> bool:
    """Do nothing: the server vacuums deleted rows."""
    return True
