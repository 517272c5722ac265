"""Leader election: one process on any machine holds an advisory lock of the database.

The server releases the lock when the holder's connection ends.
"""

from __future__ import annotations

from contextlib import suppress

import psycopg

from shisho.errors import ShishoError
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection

# Try to lock a name until the connection ends.
TAKE = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0)) AS is_taken"


class PostgresTurn:
    """`ports.FollowerTurn` on a separate connection, which no pooler may share."""

    def __init__(self, database: PostgresDatabase, name: str) -> None:
        self._database = database
        self._name = name
        self._connection: Connection | None = None

    def take(self) -> bool:
        with suppress(ShishoError, psycopg.Error):
            if self._connection is None:
                self._connection = self._database.connection()
            row = self._connection.execute(TAKE, (self._name,)).fetchone()
            if row is not None and row.is_taken:
                return True
        self.end()
        return False

    def end(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def holder(self) -> int | None:
        """Return None: process IDs of other machines mean nothing here."""
        return None
