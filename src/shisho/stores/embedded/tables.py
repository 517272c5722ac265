"""The tables of a SQLite file, for copies of raw rows."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.sql.table_copy import RowValues

# List the columns of a table.
COLUMNS = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
# Read some rows of a table; names and order are filled in.
ROWS = "SELECT {columns} FROM {table} ORDER BY {order} LIMIT ? OFFSET ?"
# Insert a row, unless it exists.
PUT = "INSERT INTO {table}({columns}) VALUES ({values}) ON CONFLICT DO NOTHING"
# Delete all rows of a table.
EMPTY = "DELETE FROM {table}"
# Set the state and source of a document that is not live.
SET_DOCUMENT = "UPDATE documents SET state = ?, source = ? WHERE id = ? AND state <> 'live'"


class EmbeddedTables:
    """`stores.table_copy.Tables` of one SQLite file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_columns(self, table: str) -> Sequence[str]:
        rows = await self._database.read(lambda connection: fetch_all(connection.execute(COLUMNS, (table,))))
        return [row.name for row in rows]

    async def read_rows(
        self, table: str, columns: Sequence[str], order: Sequence[str], offset: int, limit: int
    ) -> Sequence[RowValues]:
        statement = ROWS.format(columns=_listed(columns), table=table, order=_listed(order))
        return await self._database.read(
            lambda connection: [tuple(row) for row in connection.execute(statement, (limit, offset))]
        )

    async def put(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        await self._database.write(lambda connection: _put(connection, table, columns, rows))

    async def replace(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        def work(connection: apsw.Connection) -> None:
            connection.execute(EMPTY.format(table=table))
            _put(connection, table, columns, rows)

        await self._database.write(work)

    async def set_documents(self, states: Sequence[tuple[str, str, str]]) -> None:
        await self._database.write(lambda connection: connection.executemany(SET_DOCUMENT, states) and None)

    async def go_on_numbering(self) -> None:
        """Do nothing: SQLite continues after the highest number."""


def _put(connection: apsw.Connection, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
    names = ", ".join(f":{column}" for column in columns)
    statement = PUT.format(table=table, columns=_listed(columns), values=names)
    connection.executemany(statement, [dict(zip(columns, row, strict=True)) for row in rows])


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)
