"""Conversion of database rows to domain nouns and back.

Columns are read by name, so that a new column does not affect a program that does not know it.
"""

from __future__ import annotations

import json
from array import array
from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, cast

import apsw

Row = Any
"""A row of a query, with its columns as attributes."""

# The columns that `document` reads, of `documents d JOIN corpora c`.
DOCUMENT = """d.id, c.name AS corpus, d.owner, d.source, d.title, d.media_type, d.sha256, d.size, d.page_count,
    d.passage_count, d.state, d.added_at, d.warnings,
    (SELECT json_group_object(m.key, m.value) FROM document_meta m WHERE m.document_id = d.id) AS metadata"""
# The text of `passages p`.
TEXT = (
    """(SELECT cut_text(b.text, b.content, b.start, p.start, p."end") FROM blocks b WHERE b.id = p.block)"""
)
# The columns that `nouns.passage` reads, of `passages p`.
PASSAGE = f"""p.id, p.document_id, p.ordinal, p.start, p."end", p.page, p.heading, p.kind, p.cluster, p.place, p.ocr,
    {TEXT} AS text"""


def fetch_all(cursor: apsw.Cursor) -> list[Row]:
    """Return all rows of a query."""
    try:
        columns = cursor.get_description()
    except apsw.ExecutionCompleteError:  # there are no rows
        return []
    return [*map(_make_row_type(columns), cursor)]


def fetch_first(cursor: apsw.Cursor) -> Row | None:
    """Return the first row of a query, or None."""
    found = fetch_all(cursor)
    return found[0] if found else None


@lru_cache(maxsize=1_000)
def _make_row_type(columns: tuple[tuple[str, ...], ...]) -> Callable[[Iterable[Any]], Row]:
    # This costs a quarter of a dictionary per row, measured.
    shape: Any = cast(Any, namedtuple)("Row", [column for column, *_ in columns], rename=True)
    make: Callable[[Iterable[Any]], Row] = shape._make
    return make


# A list is bound as one value, however long it is: SQLite allows at most 32,766 parameters in a statement.
ANY_OF = "(SELECT value FROM json_each(?))"


def bind_list(values: Iterable[str | int]) -> str:
    """Return the value to bind to `ANY_OF`."""
    return json.dumps(list(values))


# The same for integers, which are bound as an array.
ANY_NUMBER_OF = "carray(?)"


def bind_numbers(values: Iterable[int]) -> object:
    """Return the value to bind to `ANY_NUMBER_OF`.

    An empty array has no address that can be bound: it is replaced by -1, which is not a key.
    """
    return apsw.carray(array("q", values) or array("q", (-1,)))


def marks(columns: int) -> str:
    """Return placeholders for a row with so many columns."""
    return ",".join("?" * columns)
