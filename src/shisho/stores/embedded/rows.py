"""Rows of the database to the nouns of the domain, and back. A row is read by the names of its columns, so
that a column more in a table changes nothing for a program that does not know it."""

from __future__ import annotations

import json
from array import array
from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, cast

import apsw

Row = Any
"""A row of a query: what stands in a column, by the column's name."""

# What `document` reads, of `documents d JOIN corpora c`.
DOCUMENT = """d.id, c.name AS corpus, d.owner, d.source, d.title, d.media_type, d.sha256, d.size, d.page_count,
    d.passage_count, d.state, d.added_at, d.warnings,
    (SELECT json_group_object(m.key, m.value) FROM document_meta m WHERE m.document_id = d.id) AS metadata"""
# What `passage` reads, of `passages p`.
PASSAGE = """p.id, p.document_id, p.ordinal, p.start, p."end", p.page, p.heading, p.kind, p.text, p.terms, p.heading_terms,
    p.bigrams, p.cluster, p.place, p.ocr"""


def fetch_all(cursor: apsw.Cursor) -> list[Row]:
    """All rows of a query."""
    try:
        columns = cursor.get_description()
    except apsw.ExecutionCompleteError:  # there is no row
        return []
    return [*map(_maker(columns), cursor)]


def fetch_first(cursor: apsw.Cursor) -> Row | None:
    """The first row of a query; None where there is none."""
    found = fetch_all(cursor)
    return found[0] if found else None


@lru_cache(maxsize=1_000)
def _maker(columns: tuple[tuple[str, ...], ...]) -> Callable[[Iterable[Any]], Row]:
    # A quarter of what a dictionary for each row would cost, measured.
    shape: Any = cast(Any, namedtuple)("Row", [column for column, *_ in columns], rename=True)
    make: Callable[[Iterable[Any]], Row] = shape._make
    return make


# A caller's list is one bound value, however long it is: SQLite takes no more than 32,766 of them in a
# statement.
ANY_OF = "(SELECT value FROM json_each(?))"


def bind_list(values: Iterable[str | int]) -> str:
    """The value to bind to `ANY_OF`."""
    return json.dumps(list(values))


# The same for whole numbers, which are bound as they are.
ANY_NUMBER_OF = "carray(?)"


def bind_numbers(values: Iterable[int]) -> object:
    """The value to bind to `ANY_NUMBER_OF`. An empty array has no address that could be bound: -1, which
    no key is, stands for it."""
    return apsw.carray(array("q", values) or array("q", (-1,)))


def marks(columns: int) -> str:
    """Bound parameters for a row of so many columns."""
    return ",".join("?" * columns)
