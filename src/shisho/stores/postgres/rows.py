"""The columns of the domain's nouns, and helpers that run statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shisho.domain.corpus import PassageId
from shisho.stores.nouns import passage_number
from shisho.stores.postgres.pool import Connection

Row = Any
"""A row of a query, with its columns as attributes."""

# The columns that `nouns.document` reads, of `documents d JOIN corpora c`.
DOCUMENT = """d.id, c.name AS corpus, d.owner, d.source, d.title, d.media_type, d.sha256, d.size, d.page_count,
    d.passage_count, d.state, d.added_at, d.warnings,
    (SELECT coalesce(json_object_agg(m.key, m.value), json_build_object())::text FROM document_meta m
        WHERE m.document_id = d.id) AS metadata"""
# The columns that `nouns.passage` reads, of `passages p`.
PASSAGE = """p.id, p.document_id, p.ordinal, p.start, p."end", p.page, p.heading, p.kind, p.text, p.cluster, p.place,
    p.ocr"""


def fetch_all(connection: Connection, statement: str, values: Any = None) -> list[Row]:
    """Return all rows of a query."""
    return connection.execute(statement.encode(), values).fetchall()


def fetch_first(connection: Connection, statement: str, values: Any = None) -> Row | None:
    """Return the first row of a query, or None."""
    return connection.execute(statement.encode(), values).fetchone()


def change(connection: Connection, statement: str, values: Any = None) -> int:
    """Run a statement, and return the number of rows that it changed."""
    return connection.execute(statement.encode(), values).rowcount


def copy(
    connection: Connection, statement: str, values: Iterable[Sequence[Any]], types: Sequence[str] = ()
) -> None:
    """Store many rows at once with `COPY … FROM STDIN`; a binary copy needs the column types."""
    with connection.cursor() as cursor, cursor.copy(statement.encode()) as copying:
        if types:
            copying.set_types(types)
        for row_values in values:
            copying.write_row(row_values)


def numbers_of(ids: Iterable[PassageId]) -> list[int]:
    """Return the keys of passages as a list, to bind as one array."""
    return [passage_number(name) for name in ids]
