"""Rows brought from one database to another as they are: which tables, in which order, and what both kinds of
database can do with them. The shelf is not among them: a document goes in by the shelf's own verbs, which
make what is derived from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from shisho.stores.nul import replace_nul

# Each after those that it points to, with what orders its rows.
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
    **dict.fromkeys(("parts", "arrivals"), "is of documents that are not whole yet"),
    **dict.fromkeys(
        ("term_vectors", "postings", "segments", "embedders", "embeddings"), "is derived from passages"
    ),
    **dict.fromkeys(("outer_indexes", "outer_documents", "outer_words"), "is of an index elsewhere"),
    **dict.fromkeys(("paces", "pace_places", "pace_days", "cache"), "is of the moment"),
    **dict.fromkeys(("engine_health", "engine_answers", "workers"), "is of the moment"),
    **dict.fromkeys(("timeline", "migrations"), "is of this database itself"),
}
"""The other tables of both databases, each with the reason why its rows are not brought as they are."""
BATCH = 1_000

RowValues = tuple[Any, ...]


class Tables(Protocol):
    """The tables of one database. Columns are given in the order in which their values are wanted."""

    async def list_columns(self, table: str) -> Sequence[str]: ...

    async def read_rows(
        self, table: str, columns: Sequence[str], order: Sequence[str], offset: int, limit: int
    ) -> Sequence[RowValues]: ...

    async def put(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        """In one transaction; a row that is there already stays as it is."""

    async def replace(self, table: str, columns: Sequence[str], rows: Sequence[RowValues]) -> None:
        """In one transaction, in place of all rows there are."""

    async def set_documents(self, states: Sequence[tuple[str, str, str]]) -> None:
        """State, source and id of documents that are not live."""

    async def go_on_numbering(self) -> None:
        """Number the next rows after those that were put."""


async def read_every_row(
    tables: Tables, table: str, columns: Sequence[str], order: Sequence[str]
) -> AsyncIterator[list[RowValues]]:
    """All rows in their order, a batch at a time, with values that are the same in every kind of database."""
    offset = 0
    while rows := await tables.read_rows(table, columns, order, offset, BATCH):
        yield [tuple(map(_plain, row)) for row in rows]
        offset += len(rows)


async def digest(tables: Tables, table: str, columns: Sequence[str], order: Sequence[str]) -> tuple[int, str]:
    """How many rows there are, and one hash of them all."""
    count = 0
    hashed = hashlib.sha256()
    async for rows in read_every_row(tables, table, columns, order):
        count += len(rows)
        for row in map(_as_it_arrives, rows):
            hashed.update(
                json.dumps(row, ensure_ascii=False, default=_hash_bytes).encode("utf-8", "surrogatepass")
            )
    return count, hashed.hexdigest()


async def has_other_rows(
    origin: Tables, destination: Tables, table: str, columns: Sequence[str], order: Sequence[str]
) -> bool:
    """Return True if the destination has a row that the origin lacks. Both are read in the same order, so no
    row has to be remembered."""
    ours = _each_row(origin, table, columns, order)
    async for theirs in _each_row(destination, table, columns, order):
        async for row in ours:
            if row == theirs:
                break
        else:
            return True
    return False


async def _each_row(
    tables: Tables, table: str, columns: Sequence[str], order: Sequence[str]
) -> AsyncIterator[RowValues]:
    async for rows in read_every_row(tables, table, columns, order):
        for row in rows:
            yield _as_it_arrives(row)


def _as_it_arrives(row: RowValues) -> RowValues:
    """As every kind of database can hold it."""
    return tuple(replace_nul(value) if isinstance(value, str) else value for value in row)


def _plain(value: Any) -> Any:
    if isinstance(value, memoryview):
        return bytes(value)
    return int(value) if isinstance(value, bool) else value


def _hash_bytes(value: Any) -> str:
    """Return what stands for a value that JSON has no form for."""
    return hashlib.sha256(value).hexdigest()
