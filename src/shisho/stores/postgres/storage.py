"""The foundation of all stores over PostgreSQL: the database, and the blob files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import psycopg

from shisho.domain.corpus import Check
from shisho.errors import ShishoError
from shisho.messages import Message
from shisho.ports import Blobs
from shisho.stores import CheckWanted, run_while_wanted
from shisho.stores.postgres.archive import read_archive, write_archive
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import fetch_all
from shisho.stores.postgres.troubles import trouble
from shisho.system.disk import build_path_error

T = TypeVar("T")
# The bytes of the database.
SIZE = "SELECT pg_database_size(current_database()) AS size"


class PostgresStorage:
    """`ports.Storage` over one PostgreSQL database and the blobs of its documents."""

    def __init__(self, database: PostgresDatabase, blobs: Blobs) -> None:
        self.database = database
        self._blobs = blobs

    async def check_ready(self) -> None:
        await self.database.check_ready()

    async def migrate(self) -> list[str]:
        return await self.database.migrate()

    async def examine(self) -> None:
        await self.database.examine()

    async def backup(self, target: Path) -> None:
        """Back up the database and the stored files as of one moment, without blocking writers.

        Raises: Conflict if the target exists, InvalidParams if it cannot be created, StorageUnusable.
        """

        def copy(check_wanted: CheckWanted) -> None:
            self._run(lambda connection: write_archive(connection, self._blobs, target, check_wanted), target)

        await run_while_wanted(copy)

    async def restore(self, source: Path) -> None:
        """Fill an empty database from a backup, all or nothing.

        Raises: Conflict, InvalidParams, StorageUnusable.
        """
        await self._with_connection(lambda connection: read_archive(connection, self._blobs, source), source)

    async def compact(self) -> tuple[int, int]:
        """Free the room of removed rows for others, at the end of a table for the system as well."""

        def run_vacuum(connection: Connection) -> tuple[int, int]:
            before = connection.execute(SIZE).fetchall()[0].size
            connection.execute("VACUUM (ANALYZE)")
            return before, connection.execute(SIZE).fetchall()[0].size

        await self.check_ready()
        return await self._with_connection(run_vacuum, Path())

    async def close(self) -> None:
        await self.database.close()

    async def _with_connection(self, work: Callable[[Connection], T], path: Path) -> T:
        return await asyncio.to_thread(self._run, work, path)

    def _run(self, work: Callable[[Connection], T], path: Path) -> T:
        try:
            with closing(self.database.open_connection()) as connection:
                return work(connection)
        except psycopg.Error as error:
            raise trouble(error, self.database.facts) from error
        except OSError as error:
            raise build_path_error(error, path) from error


# Read the server's version, the database name, the number of live documents, and whether vectors can be
# stored.
FACTS = """SELECT current_setting('server_version') AS version, current_database() AS name,
    (SELECT coalesce(sum(documents), 0) FROM corpora)::bigint AS documents,
    EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') AS has_vectors"""


async def check_database(database: PostgresDatabase) -> Check:
    """Connect to the database, and check that it is writable."""
    try:
        await database.check_ready()
        (row,) = await database.read(lambda connection: fetch_all(connection, FACTS))
    except ShishoError as error:
        return Check("database", False, error.message)
    detail = Message("postgres.summary", version=row.version, count=row.documents, name=row.name)
    if row.has_vectors:
        return Check("database", True, detail)
    remedy = Message("postgres.install_pgvector")
    without = Message("postgres.without_vectors", detail=detail)
    return Check("database", True, without, remedy)
