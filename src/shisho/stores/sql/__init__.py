"""Stores that SQLite and PostgreSQL share, one module per noun, and the SQL that both run.

Statements are written for SQLite, with these rules, so that the PostgreSQL store can translate them:

- A parameter is written `:name`. A list is bound as one value and read with
  `IN (SELECT value FROM json_each(:name))`. Rows are bound as JSON, an array each: `value ->> 0` of
  `FROM json_each(:name)` is the first column.
- `/*pg … */` holds what only PostgreSQL needs, such as locks for a server with many writers.
- `LIKE` ignores the case of ASCII letters, and `instr(text, part) > 0` finds a part of a text, in both.
- `ON CONFLICT` names its columns before `DO UPDATE`.
- A sum is cast: `CAST(sum(n) AS bigint)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from shisho.stores.nouns import Row
from shisho.stores.step_content import Slice

T = TypeVar("T")


class Queries(Protocol):
    """A connection within a transaction."""

    document_columns: str
    """The columns that `nouns.document` reads, of `documents d JOIN corpora c`."""
    passage_columns: str
    """The columns that `nouns.passage` reads, of `passages p`."""
    passage_text: str
    """The text of `passages p`."""

    def fetch(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        """Return all rows of a statement."""

    def change(self, statement: str, values: Mapping[str, Any]) -> int:
        """Run a statement that returns no rows; return the number of rows that it changed."""

    def change_each(self, statement: str, values: Iterable[Mapping[str, Any]]) -> None:
        """Run such a statement once for each of `values`."""

    def read_slices(self, slices: Sequence[Slice]) -> list[str | None]:
        """Return slices of documents' texts; None for each missing one."""

    def hold(self, name: str) -> None:
        """Hold an exclusive lock of a name until the end of the transaction.

        It is needed when a write depends on an earlier read.
        """


class QueryStore(Protocol):
    """A database that runs work in transactions."""

    spans_machines: bool
    """Whether several machines share it, so that their monotonic clocks cannot be compared."""

    async def write(self, work: Callable[[Queries], T], *, lasting: bool = True) -> T:
        """Run `work` in a transaction, and return its result after the commit.

        If not `lasting`, a crash of the server may undo it, unless something lasting was written after it.
        """

    async def read(self, work: Callable[[Queries], T]) -> T:
        """Run `work` with all its statements on one snapshot."""


def fetch_first(queries: Queries, statement: str, values: Mapping[str, Any]) -> Row | None:
    """Return the first row of a statement, or None."""
    rows = queries.fetch(statement, values)
    return rows[0] if rows else None
