"""Statements that SQLite and PostgreSQL share, executed by SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from shisho.stores.embedded.blocks import read_slices
from shisho.stores.embedded.rows import DOCUMENT, PASSAGE, TEXT, bind_list, fetch_all
from shisho.stores.nouns import Row
from shisho.stores.step_content import Slice

# List the columns of a table with their types.
COLUMNS = "SELECT name, type FROM pragma_table_info(:table) ORDER BY cid"


class EmbeddedQueries:
    """`stores.sql.Queries` on a connection."""

    document_columns = DOCUMENT
    passage_columns = PASSAGE
    passage_text = TEXT

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def fetch(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
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


def _bind_lists(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values with each list as the JSON that `json_each` reads."""
    if list not in map(type, values.values()):
        return values
    return {name: bind_list(value) if isinstance(value, list) else value for name, value in values.items()}
