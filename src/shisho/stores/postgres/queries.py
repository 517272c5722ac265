"""Statements that SQLite and PostgreSQL share, executed by PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from shisho.domain.corpus import PassageId, TermVector
from shisho.stores import nouns
from shisho.stores.nouns import Row
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import DOCUMENT, PASSAGE, fetch_all, numbers_of
from shisho.stores.sql.shelf_view import ShelfView
from shisho.stores.step_content import Slice

# Assemble each slice from the parts of its document's text.
SLICES = """SELECT w.place, string_agg(substr(p.text, greatest(w.start - p.start, 0)::integer + 1,
        (least(w."end" - p.start, length(p.text)) - greatest(w.start - p.start, 0))::integer), '' ORDER BY p.start) AS text
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) WITH ORDINALITY AS w(document_id, start, "end", place)
    JOIN parts p ON p.document_id = w.document_id AND p.start < w."end" AND p.start + length(p.text) > w.start
    GROUP BY w.place"""


def read_slices(connection: Connection, slices: Sequence[Slice]) -> list[str | None]:
    """Return slices of documents; None for each missing one."""
    if not slices:
        return []
    columns = [list(column) for column in zip(*slices, strict=True)]
    texts = {row.place: row.text for row in fetch_all(connection, SLICES, columns)}
    return [texts.get(place) for place in range(1, len(slices) + 1)]


# Wait for the lock of a name. It is released at the end of the transaction.
HOLD = "SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, 0))"
# List the columns of a table with their types.
COLUMNS = """SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type FROM pg_attribute a
    WHERE a.attrelid = to_regclass(:table) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
# Continue the numbering of tables after their highest numbers.
NUMBERS = tuple(
    f"""SELECT setval(pg_get_serial_sequence('{table}', 'seq'), greatest(1, coalesce(max(seq), 0))) FROM {table}"""
    for table in ("turns", "audit")
)
OPENED = re.compile(r"/\*pg (.*?)\*/", re.DOTALL)
NOT_IN_LIST = re.compile(r"NOT IN \(SELECT value FROM json_each\((:\w+)\)\)")
IN_LIST = re.compile(r"IN \(SELECT value FROM json_each\((:\w+)\)\)")
EACH = re.compile(r"\bjson_each\((:\w+)\)")
INSTR = re.compile(r"\binstr\(")
LIKE = re.compile(r"\bLIKE\b")
VALUE = re.compile(r"(?<![:\w]):(?=[a-z_])(\w+)")


@lru_cache(maxsize=1_000)
def translate_statement(statement: str) -> str:
    """Translate a shared statement into psycopg's syntax."""
    opened = OPENED.sub(r"\1", statement).replace("%", "%%")
    listed = IN_LIST.sub(r"= ANY(\1)", NOT_IN_LIST.sub(r"<> ALL(\1)", opened))
    unpacked = EACH.sub(r"json_array_elements(CAST(\1 AS json))", listed)
    return VALUE.sub(r"%(\1)s", LIKE.sub("ILIKE", INSTR.sub("strpos(", unpacked)))


class PostgresQueries:
    """`stores.sql.Queries` on a connection."""

    document_columns = DOCUMENT
    passage_columns = PASSAGE
    passage_text = "p.text"

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def fetch(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        cursor = self.connection.execute(translate_statement(statement), values)
        # Reading `description` would create an object for each column.
        return cursor.fetchall() if cursor.rownumber is not None else []

    def change(self, statement: str, values: Mapping[str, Any]) -> int:
        return self.connection.execute(translate_statement(statement), values).rowcount

    def change_each(self, statement: str, values: Iterable[Mapping[str, Any]]) -> None:
        with self.connection.cursor() as cursor:
            cursor.executemany(translate_statement(statement), list(values))

    def read_slices(self, slices: Sequence[Slice]) -> list[str | None]:
        return read_slices(self.connection, slices)

    def hold(self, name: str) -> None:
        self.connection.execute(HOLD, {"name": name})


# Read term vectors: the passage's number, then the fields of `TermVector` from the second on, in order.
VECTORS = """SELECT v.passage_id, v.document_id, v.terms, v.heading, v.characters, v.term_count, v.heading_count,
        v.pair_count, d.term_count AS document_term_count FROM term_vectors v JOIN documents d ON d.id = v.document_id
    WHERE v.passage_id = ANY(%s)"""


def read_vectors(connection: Connection, ids: Sequence[PassageId]) -> dict[PassageId, TermVector]:
    """Return the vectors of `ids`."""
    # Binary, because text mode sends bytes as hexadecimal digits.
    passage_rows = connection.execute(VECTORS.encode(), (numbers_of(ids),), binary=True).fetchall()
    return {
        (name := nouns.passage_id(number)): TermVector._make((name, *rest)) for number, *rest in passage_rows
    }


class PostgresShelfView(ShelfView):
    """The part of a search view that needs no index, on a connection in a transaction."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(PostgresQueries(connection))
        self._connection = connection

    def read_vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        return read_vectors(self._connection, ids)
