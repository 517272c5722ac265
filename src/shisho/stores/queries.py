"""Statements in the SQL that SQLite and PostgreSQL share, and their execution.

A parameter is written `:name`. Clauses for a server with many writers are in comments that the PostgreSQL
store opens: `/*pg FOR UPDATE */`. A list is bound as one JSON value and read with `json_each(:name)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from shisho.stores.nouns import Row

T = TypeVar("T")


class Queries(Protocol):
    """A connection within a transaction."""

    def rows(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        """Return all rows of a statement."""

    def hold(self, name: str) -> None:
        """Hold an exclusive lock of a name until the end of the transaction.

        It is needed when a write depends on an earlier read.
        """


class QueryStore(Protocol):
    """A database that runs work in transactions."""

    async def write(self, work: Callable[[Queries], T], *, lasting: bool = True) -> T:
        """Run `work` in a transaction, and return its result after the commit.

        If not `lasting`, a crash of the server may undo it, unless something lasting was written after it.
        """

    async def read(self, work: Callable[[Queries], T]) -> T:
        """Run `work` with all its statements on one snapshot."""


def fetch_first(queries: Queries, statement: str, values: Mapping[str, Any]) -> Row | None:
    """Return the first row of a statement, or None."""
    rows = queries.rows(statement, values)
    return rows[0] if rows else None
