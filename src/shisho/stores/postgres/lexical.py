"""The search index in PostgreSQL: tables updated in the transaction of each change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import psycopg

from shisho.domain.index_damage import IndexDamage
from shisho.ports import SearchView
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.lexical_view import PostgresView
from shisho.stores.postgres.pool import Connection

if TYPE_CHECKING:
    from shisho.stores.postgres.serving import PostgresServing

T = TypeVar("T")


class PostgresIndex:
    """`ports.Index` over PostgreSQL, with vector search if there are vectors."""

    def __init__(self, database: PostgresDatabase, dense: PostgresServing | None = None) -> None:
        self._database = database
        self._dense = dense

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        def look(connection: Connection) -> T:
            return work(PostgresView(connection, self._dense))

        try:
            return await self._database.read(look)
        except psycopg.errors.UndefinedTable:  # the vectors were dropped just before they were read
            return await self._database.read(look)

    async def count_behind(self) -> int:
        """Return 0: the index is updated in the transaction that changes the shelf."""
        return 0

    async def examine(self) -> Sequence[IndexDamage]:
        """Return no damage: the index has no files."""
        return ()

    async def close(self) -> None:
        """Do nothing: the connections belong to the database."""

    async def catch_up(self) -> None:
        """Build the vector graph if it is due; the lexical index is always current."""
        if self._dense is not None:
            await self._dense.catch_up()
