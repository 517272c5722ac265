"""Copies of raw rows between databases: the tables, their order, the operations.

Documents are not copied this way: the shelf's own methods add them, which also create derived data.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from shisho.stores.nouns import replace_nul
from shisho.stores.sql import Queries, QueryStore

# Referenced tables come first, each with its sort columns.
TABLES: Mapping[str, tuple[str, ...]] = {
    "runs": ("id",),
    "steps": ("run_id", "step"),
    "session_rounds": ("session_id", "round"),
    "session_passages": ("session_id", "number"),
    "answers": ("id",),
    "evidence": ("id",),
    "conversations": ("id",),
    "turns": ("seq",),
    "tasks": ("id",),
    "jobs": ("created_at", "id"),
    "job_steps": ("job_id", "step_key"),
    "events": ("task_id", "revision"),
    "interventions": ("id",),
    "request_keys": ("owner", "key"),
    "finds": ("job_id", "canonical_url"),
    "searches": ("job_id",),
    "opinions": ("owner", "kind", "target"),
    "assistants": ("id",),
    "assistant_evidence": ("session_id", "number"),
    "page_memory": ("owner", "corpus", "canonical_url"),
    "watched_folders": ("owner", "path"),
    "users": ("name",),
    "user_groups": ("name",),
    "group_members": ("group_name", "user_name"),
    "quotas": ("kind", "name", "resource"),
    "task_shares": ("shared_id", "group_name"),
    "audit": ("seq",),
}
NOT_COPIED: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("corpora", "documents", "passages", "passage_bands", "document_meta", "changes"),
            *("short_names", "definitions"),
        ),
        "goes in by the shelf's own verbs, which make it anew",
    ),
    **dict.fromkeys(("places", "grants"), "has keys of corpora, which are others in the target"),
    **dict.fromkeys(("parts", "blocks", "layouts", "arrivals"), "is of documents that are not whole yet"),
    **dict.fromkeys(
        ("term_vectors", "postings", "segments", "embedders", "embeddings"),
        "is derived from passages",
    ),
    **dict.fromkeys(("outer_indexes", "outer_documents", "outer_words"), "is of an index elsewhere"),
    **dict.fromkeys(("paces", "pace_places", "pace_days", "cache"), "is of the moment"),
    **dict.fromkeys(("engine_health", "engine_answers", "workers"), "is of the moment"),
    **dict.fromkeys(("timeline", "migrations"), "is of this database itself"),
}
"""The other tables of both databases, each with the reason why its rows are not copied."""
BATCH = 1_000

RowValues = tuple[Any, ...]


# Read some rows of a table; names and order are filled in.
ROWS = "SELECT {columns} FROM {table} ORDER BY {order} LIMIT :limit OFFSET :offset"
# Insert a row, unless it exists.
PUT = "INSERT INTO {table}({columns}) VALUES ({values}) ON CONFLICT DO NOTHING"
# Delete all rows of a table.
EMPTY = "DELETE FROM {table}"
# Set the state and source of a document that is not live.
SET_DOCUMENT = "UPDATE documents SET state = :state, source = :source WHERE id = :id AND state <> 'live'"


class Tables:
    """The tables of one database. Values are in the order of the given columns.

    `columns` is a statement that lists the names and types of the columns of `:table`, `numbers` statements
    that continue the numbering of rows after inserted ones.
    """

    def __init__(self, store: QueryStore, columns: str, numbers: Sequence[str] = ()) -> None:
        self._store = store
        self._columns = columns
        self._numbers = numbers

    async def list_columns(self, table: str) -> Sequence[str]:
        rows = await self._store.read(lambda queries: queries.fetch(self._columns, {"table": table}))
        return [row.name for row in rows]

    async def read_rows(
        self, table: str, columns: Sequence[str], order: Sequence[str], offset: int, limit: int
    ) -> Sequence[RowValues]:
        statement = ROWS.format(columns=_list_columns(columns), table=table, order=_list_columns(order))
        values = {"limit": limit, "offset": offset}
        return await self._store.read(lambda queries: [*map(tuple, queries.fetch(statement, values))])

    async def put(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        """Insert rows in one transaction; existing rows stay unchanged."""
        await self._store.write(lambda queries: self._put(queries, table, columns, rows))

    async def replace(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        """Replace all rows, in one transaction."""

        def write(queries: Queries) -> None:
            queries.change(EMPTY.format(table=table), {})
            self._put(queries, table, columns, rows)

        await self._store.write(write)

    async def set_documents(self, states: Sequence[tuple[str, str, str]]) -> None:
        """Set documents that are not live, given as state, source and ID."""
        values = [dict(zip(("state", "source", "id"), each, strict=True)) for each in states]
        await self._store.write(lambda queries: queries.change_each(SET_DOCUMENT, values))

    async def continue_numbering(self) -> None:
        """Continue the numbering of rows after the inserted ones."""

        def write(queries: Queries) -> None:
            for statement in self._numbers:
                queries.fetch(statement, {})

        await self._store.write(write)

    def _put(self, queries: Queries, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        types = {row.name: row.type for row in queries.fetch(self._columns, {"table": table})}
        is_flag = [types[column] == "boolean" for column in columns]
        names = ", ".join(f":{column}" for column in columns)
        statement = PUT.format(table=table, columns=_list_columns(columns), values=names)
        values = [dict(zip(columns, map(_convert_flag, row, is_flag), strict=True)) for row in rows]
        queries.change_each(statement, values)


async def read_every_row(
    tables: Tables, table: str, columns: Sequence[str], order: Sequence[str]
) -> AsyncIterator[list[RowValues]]:
    """Yield all rows in order, in batches, with values that are the same in every database."""
    offset = 0
    while rows := await tables.read_rows(table, columns, order, offset, BATCH):
        yield [tuple(map(_simplify, row)) for row in rows]
        offset += len(rows)


async def digest(tables: Tables, table: str, columns: Sequence[str], order: Sequence[str]) -> tuple[int, str]:
    """Return the number of rows, and one hash of them all."""
    count = 0
    hashed = hashlib.sha256()
    async for rows in read_every_row(tables, table, columns, order):
        count += len(rows)
        for row in map(_make_portable, rows):
            hashed.update(
                json.dumps(row, ensure_ascii=False, default=_hash_bytes).encode("utf-8", "surrogatepass")
            )
    return count, hashed.hexdigest()


async def has_other_rows(
    origin: Tables, destination: Tables, table: str, columns: Sequence[str], order: Sequence[str]
) -> bool:
    """Return True if the destination has a row that the origin lacks.

    Both are read in the same order, so no row has to be remembered.
    """
    ours = _read_rows(origin, table, columns, order)
    async for theirs in _read_rows(destination, table, columns, order):
        async for row in ours:
            if row == theirs:
                break
        else:
            return True
    return False


async def _read_rows(
    tables: Tables, table: str, columns: Sequence[str], order: Sequence[str]
) -> AsyncIterator[RowValues]:
    async for rows in read_every_row(tables, table, columns, order):
        for row in rows:
            yield _make_portable(row)


def _make_portable(row: RowValues) -> RowValues:
    """Return the row in a form that every kind of database can store."""
    return tuple(replace_nul(value) if isinstance(value, str) else value for value in row)


def _simplify(value: Any) -> Any:
    if isinstance(value, memoryview):
        return bytes(value)
    return int(value) if isinstance(value, bool) else value


def _hash_bytes(value: Any) -> str:
    """Return the hash of a value that JSON cannot represent."""
    return hashlib.sha256(value).hexdigest()


def _convert_flag(value: object, is_flag: bool) -> object:
    return bool(value) if is_flag and value is not None else value


def _list_columns(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)
