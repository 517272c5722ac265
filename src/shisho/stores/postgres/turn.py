"""One process of many, on whichever machine: who holds an advisory lock of the database. The server lets it
go when its holder's connection ends."""

from __future__ import annotations

from contextlib import suppress

import psycopg

from shisho.errors import ShishoError
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection

# Take a name's turn, if nobody has it, until the connection ends.
TAKE = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0)) AS is_taken"


class PostgresTurn:
    """`ports.FollowerTurn` on a connection of its own, which no pooler may share out."""

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
        """A process of another machine has no id here."""
        return None
