"""The tables of a PostgreSQL database, for copies of raw rows."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.stores.nouns import replace_nul
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_all
from shisho.stores.sql.table_copy import RowValues

# List the columns of a table with their types.
COLUMNS = """SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type FROM pg_attribute a
    WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
# Read some rows of a table; names and order are filled in.
ROWS = "SELECT {columns} FROM {table} ORDER BY {order} LIMIT %s OFFSET %s"
# Insert a row, unless it exists.
PUT = "INSERT INTO {table}({columns}) VALUES ({values}) ON CONFLICT DO NOTHING"
# Delete all rows of a table.
EMPTY = "DELETE FROM {table}"
# Set the state and source of a document that is not live.
SET_DOCUMENT = "UPDATE documents SET state = %s, source = %s WHERE id = %s AND state <> 'live'"
# Continue the numbering of a table after its highest number.
NUMBER = """SELECT setval(pg_get_serial_sequence('{table}', 'seq'), greatest(1, coalesce(max(seq), 0)))
    FROM {table}"""
NUMBERED = ("turns", "audit")


class PostgresTables:
    """`stores.table_copy.Tables` of one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def list_columns(self, table: str) -> Sequence[str]:
        rows = await self._database.read(lambda connection: fetch_all(connection, COLUMNS, (table,)))
        return [row.name for row in rows]

    async def read_rows(
        self, table: str, columns: Sequence[str], order: Sequence[str], offset: int, limit: int
    ) -> Sequence[RowValues]:
        statement = ROWS.format(columns=_listed(columns), table=table, order=_listed(order))
        values = (limit, offset)
        return await self._database.read(
            lambda connection: [tuple(row) for row in fetch_all(connection, statement, values)]
        )

    async def put(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        await self._database.write(lambda connection: _put(connection, table, columns, rows))

    async def replace(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        def work(connection: Connection) -> None:
            change(connection, EMPTY.format(table=table))
            _put(connection, table, columns, rows)

        await self._database.write(work)

    async def set_documents(self, states: Sequence[tuple[str, str, str]]) -> None:
        def work(connection: Connection) -> None:
            for values in states:
                change(connection, SET_DOCUMENT, values)

        await self._database.write(work)

    async def go_on_numbering(self) -> None:
        def work(connection: Connection) -> None:
            for table in NUMBERED:
                fetch_all(connection, NUMBER.format(table=table))

        await self._database.write(work)


def _put(connection: Connection, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
    types = {row.name: row.type for row in fetch_all(connection, COLUMNS, (table,))}
    is_flag = [types[column] == "boolean" for column in columns]
    names = ", ".join(f"%({column})s" for column in columns)
    statement = PUT.format(table=table, columns=_listed(columns), values=names)
    flagged = [dict(zip(columns, map(_value, row, is_flag), strict=True)) for row in rows]
    with connection.cursor() as cursor:
        cursor.executemany(statement.encode(), flagged)


def _value(value: object, is_flag: bool) -> object:
    if is_flag and value is not None:
        return bool(value)
    return replace_nul(value) if isinstance(value, str) else value


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)
