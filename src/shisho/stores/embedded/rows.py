"""Rows of the database to the nouns of the domain, and back. A row is read by the names of its columns, so
that a column more in a table changes nothing for a program that does not know it."""

from __future__ import annotations

import json
import zlib
from array import array
from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, cast

import apsw

from shisho.domain.corpus import (
    BlockKind,
    Document,
    DocumentId,
    DocumentState,
    Passage,
    PassageId,
    PrintedLine,
)
from shisho.messages.message import unpack

Row = Any
"""A row of a query: what stands in a column, by the column's name."""

# What `document` reads, of `documents d JOIN corpora c`.
DOCUMENT = """d.id, c.name AS corpus, d.owner, d.source, d.title, d.media_type, d.sha256, d.size, d.page_count,
    d.passage_count, d.state, d.added_at, d.warnings,
    (SELECT json_group_object(m.key, m.value) FROM document_meta m WHERE m.document_id = d.id) AS metadata"""
# What `passage` reads, of `passages p`.
PASSAGE = """p.id, p.document_id, p.ordinal, p.start, p."end", p.page, p.heading, p.kind, p.text, p.terms, p.heading_terms,
    p.bigrams, p.cluster, p.place, p.ocr"""


def document(row: Row) -> Document:
    """From the columns of `DOCUMENT`."""
    return Document(
        id=DocumentId(row.id),
        corpus=row.corpus,
        owner=row.owner,
        source=row.source,
        title=row.title,
        media_type=row.media_type,
        sha256=row.sha256,
        size=row.size,
        page_count=row.page_count,
        passage_count=row.passage_count,
        state=DocumentState(row.state),
        added_at=row.added_at,
        warnings=tuple(map(unpack, json.loads(row.warnings))),
        metadata=json.loads(row.metadata),
    )


def passage(row: Row) -> Passage:
    """From the columns of `PASSAGE`."""
    return Passage(
        id=passage_id(row.id),
        document_id=DocumentId(row.document_id),
        ordinal=row.ordinal,
        start=row.start,
        end=row.end,
        page=row.page,
        heading=row.heading,
        kind=BlockKind(row.kind),
        text=row.text,
        terms=row.terms,
        heading_terms=row.heading_terms,
        bigrams=row.bigrams,
        cluster=row.cluster,
        place=row.place,
        ocr=bool(row.ocr),
    )


def passage_id(number: int) -> PassageId:
    """60 bits as 15 hexadecimal digits."""
    return PassageId(f"{number:015x}")


def passage_number(name: str) -> int:
    """The key of a passage; -1, which no passage has, for what is no passage id."""
    try:
        return int(name, 16) if len(name) == 15 else -1
    except ValueError:
        return -1


def pack_lines(lines: Iterable[PrintedLine]) -> bytes | None:
    """Geometry of a document's lines as one compressed blob; None where there is none."""
    rows = [(line.start, line.end, line.page, *(round(edge, 1) for edge in line.box)) for line in lines]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode()) if rows else None


def unpack_lines(blob: bytes | None) -> tuple[PrintedLine, ...]:
    """The lines that `pack_lines` packed."""
    if blob is None:
        return ()
    packed = json.loads(zlib.decompress(blob))
    return tuple(
        PrintedLine(start, end, page, (left, top, right, low))
        for start, end, page, left, top, right, low in packed
    )


def every(cursor: apsw.Cursor) -> list[Row]:
    """All rows of a query."""
    try:
        columns = cursor.get_description()
    except apsw.ExecutionCompleteError:  # there is no row
        return []
    return [*map(_maker(columns), cursor)]


def first(cursor: apsw.Cursor) -> Row | None:
    """The first row of a query; None where there is none."""
    found = every(cursor)
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


def listed(values: Iterable[str | int]) -> str:
    """The value to bind to `ANY_OF`."""
    return json.dumps(list(values))


# The same for whole numbers, which are bound as they are.
ANY_NUMBER_OF = "carray(?)"


def numbered(values: Iterable[int]) -> object:
    """The value to bind to `ANY_NUMBER_OF`. An empty array has no address that could be bound: -1, which
    no key is, stands for it."""
    return apsw.carray(array("q", values) or array("q", (-1,)))


def marks(columns: int) -> str:
    """Bound parameters for a row of so many columns."""
    return ",".join("?" * columns)
