"""Statements that SQLite and PostgreSQL share, executed by SQLite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import apsw

from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.nouns import Row
from shisho.stores.queries import Queries

T = TypeVar("T")


class EmbeddedQueries:
    """`stores.queries.Queries` on a connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def rows(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        return fetch_all(self.connection.execute(statement, values))

    def hold(self, name: str) -> None:
        """Do nothing: SQLite has only one writer at a time."""


class EmbeddedQueryStore:
    """`stores.queries.QueryStore` over one SQLite file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, work: Callable[[Queries], T], *, lasting: bool = True) -> T:
        return await self._database.write(lambda connection: work(EmbeddedQueries(connection)))

    async def read(self, work: Callable[[Queries], T]) -> T:
        return await self._database.read(lambda connection: work(EmbeddedQueries(connection)))
