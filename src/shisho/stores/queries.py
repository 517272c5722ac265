"""Statements in the SQL that SQLite and PostgreSQL share, and who runs them. A value is named `:name`.

What only a server with many writers needs stands in a comment that its store opens: `/*pg FOR UPDATE */`. A
caller's list is one value, JSON, read by `json_each(:name)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from shisho.stores.nouns import Row

T = TypeVar("T")


class Queries(Protocol):
    """A connection within a transaction."""

    def rows(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        """All rows of a statement."""

    def hold(self, name: str) -> None:
        """Let nobody else pass who holds this name, until the end of the transaction. Needed where something
        is read and then written by what was read."""


class QueryStore(Protocol):
    """A database that runs work in transactions."""

    async def write(self, work: Callable[[Queries], T], *, lasting: bool = True) -> T:
        """As the database's own verb: returns after the commit. Not `lasting`: a crash of the server may undo
        it, as long as nothing lasting was written after it."""

    async def read(self, work: Callable[[Queries], T]) -> T:
        """As the database's own verb: all statements see one state of the data."""


def fetch_first(queries: Queries, statement: str, values: Mapping[str, Any]) -> Row | None:
    """The first row of a statement; None where there is none."""
    rows = queries.rows(statement, values)
    return rows[0] if rows else None
