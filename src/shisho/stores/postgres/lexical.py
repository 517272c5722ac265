"""The index of a search in PostgreSQL: tables that every change of the shelf keeps in its own transaction."""

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
    """`ports.Index` over PostgreSQL, and over vectors where there are some."""

    def __init__(self, database: PostgresDatabase, dense: PostgresServing | None = None) -> None:
        self._database = database
        self._dense = dense

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        def look(connection: Connection) -> T:
            return work(PostgresView(connection, self._dense))

        try:
            return await self._database.read(look)
        except psycopg.errors.UndefinedTable:  # vectors that were retired just when they were to be read
            return await self._database.read(look)

    async def count_behind(self) -> int:
        """Never: what it proposes by stands in the transaction that changes the shelf."""
        return 0

    async def examine(self) -> Sequence[IndexDamage]:
        """It keeps nothing in files."""
        return ()

    async def close(self) -> None:
        """It holds nothing of its own: its connections are the database's."""

    async def catch_up(self) -> None:
        """There is nothing to catch up with but an index over vectors that have become many."""
        if self._dense is not None:
            await self._dense.catch_up()
