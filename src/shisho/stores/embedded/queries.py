"""Statements that SQLite and PostgreSQL share, executed by SQLite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import apsw

from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import bind_list, fetch_all
from shisho.stores.embedded.texts import read_slices
from shisho.stores.nouns import Row
from shisho.stores.sql.queries import Queries
from shisho.stores.step_content import Slice

T = TypeVar("T")
# List the columns of a table with their types.
COLUMNS = "SELECT name, type FROM pragma_table_info(:table) ORDER BY cid"


class EmbeddedQueries:
    """`stores.sql.queries.Queries` on a connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def rows(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        return fetch_all(self.connection.execute(statement, _bind_lists(values)))

    def change(self, statement: str, values: Mapping[str, Any]) -> int:
        self.connection.execute(statement, _bind_lists(values))
        return self.connection.changes()

    def change_each(self, statement: str, values: Iterable[Mapping[str, Any]]) -> None:
        self.connection.executemany(statement, values)

    def read_slices(self, slices: Sequence[Slice]) -> list[str | None]:
        return read_slices(self.connection, slices)

    def hold(self, name: str) -> None:
        """Do nothing: SQLite has only one writer at a time."""


class EmbeddedQueryStore:
    """`stores.sql.queries.QueryStore` over one SQLite file."""

    spans_machines = False

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, work: Callable[[Queries], T], *, lasting: bool = True) -> T:
        return await self._database.write(lambda connection: work(EmbeddedQueries(connection)))

    async def read(self, work: Callable[[Queries], T]) -> T:
        return await self._database.read(lambda connection: work(EmbeddedQueries(connection)))


def _bind_lists(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values with each list as the JSON that `json_each` reads."""
    lists = {name: bind_list(value) for name, value in values.items() if isinstance(value, list)}
    return {**values, **lists} if lists else values
