"""Rows of the database to the nouns of the domain, and back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from shisho.domain.corpus import BlockKind, Document, DocumentId, DocumentState, Passage, PassageId, PrintedLine
from shisho.messages.message import unpack

DOCUMENT = """d.id, c.name, d.owner, d.source, d.title, d.media_type, d.sha256, d.size, d.page_count, d.passage_count,
    d.state, d.added_at, d.warnings, (SELECT json_group_object(key, value) FROM document_meta WHERE document_id = d.id)"""
PASSAGE = """p.id, p.document_id, p.ordinal, p.start, p."end", p.page, p.heading, p.kind, p.text, p.terms, p.heading_terms,
    p.bigrams, p.cluster"""


def document(row: Sequence[Any]) -> Document:
    """From the columns of `DOCUMENT`."""
    return Document(
        id=DocumentId(row[0]),
        corpus=row[1],
        owner=row[2],
        source=row[3],
        title=row[4],
        media_type=row[5],
        sha256=row[6],
        size=row[7],
        page_count=row[8],
        passage_count=row[9],
        state=DocumentState(row[10]),
        added_at=row[11],
        warnings=tuple(map(unpack, json.loads(row[12]))),
        metadata=json.loads(row[13]),
    )


def passage(row: Sequence[Any]) -> Passage:
    """From the columns of `PASSAGE`."""
    return Passage(
        id=passage_id(row[0]),
        document_id=DocumentId(row[1]),
        ordinal=row[2],
        start=row[3],
        end=row[4],
        page=row[5],
        heading=row[6],
        kind=BlockKind(row[7]),
        text=row[8],
        terms=row[9],
        heading_terms=row[10],
        bigrams=row[11],
        cluster=row[12],
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
    return tuple(
        PrintedLine(row[0], row[1], row[2], (row[3], row[4], row[5], row[6])) for row in json.loads(zlib.decompress(blob))
    )


def every(cursor: Iterable[Any]) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return list(cursor)


# A caller's list is one bound value, however long it is: SQLite takes no more than 32,766 of them in a statement.
ANY_OF = "(SELECT value FROM json_each(?))"


def listed(values: Iterable[str | int]) -> str:
    """What `ANY_OF` is bound to."""
    return json.dumps(list(values))


def marks(columns: int) -> str:
    """Bound parameters for a row of so many columns."""
    return ",".join("?" * columns)
