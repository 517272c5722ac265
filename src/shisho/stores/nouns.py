"""Conversion of database rows to domain nouns and back: the same in every store.

Columns are read by name, so that a new column does not affect a program that does not know it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from shisho.domain.corpus import (
    BlockKind,
    Document,
    DocumentId,
    DocumentState,
    Passage,
    PassageId,
    PrintedLine,
    TermVector,
)
from shisho.language.vectors import count_words, encode_characters, encode_terms
from shisho.messages import pack, unpack

Row = Any
"""A row of a query, with its columns as attributes."""


def document(row: Row) -> Document:
    """Build a document from the columns of `DOCUMENT`."""
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
    """Build a passage from the columns of `PASSAGE`, without its words."""
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
        terms="",
        heading_terms="",
        bigrams="",
        cluster=row.cluster,
        place=row.place,
        ocr=bool(row.ocr),
    )


def passage_id(number: int) -> PassageId:
    """Format 60 bits as 15 hexadecimal digits."""
    return PassageId(f"{number:015x}")


def passage_number(name: str) -> int:
    """Return the key of a passage; -1, which is never a key, for an invalid ID."""
    try:
        return int(name, 16) if len(name) == 15 else -1
    except ValueError:
        return -1


def pack_lines(lines: Iterable[PrintedLine]) -> bytes | None:
    """Pack the geometry of a document's lines into a compressed blob; None without lines."""
    rows = [(line.start, line.end, line.page, *(round(edge, 1) for edge in line.box)) for line in lines]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode()) if rows else None


def unpack_lines(blob: bytes | None) -> tuple[PrintedLine, ...]:
    """Unpack the result of `pack_lines`."""
    if blob is None:
        return ()
    packed = json.loads(zlib.decompress(blob))
    return tuple(
        PrintedLine(start, end, page, (left, top, right, low))
        for start, end, page, left, top, right, low in packed
    )


def passage_values(passage: Passage) -> tuple[str | int | None, ...]:
    """Return the columns of a passage's row in every store, without its bands.

    Its number comes first, then its fields in order.
    """
    return (
        passage_number(passage.id),
        passage.document_id,
        passage.ordinal,
        passage.start,
        passage.end,
        passage.page,
        passage.heading,
        str(passage.kind),
        passage.text,
        passage.terms,
        passage.heading_terms,
        passage.bigrams,
        passage.cluster,
        passage.place,
        int(passage.ocr),
    )


def passage_sizes(passages: Sequence[Passage]) -> tuple[int, int, int]:
    """Return the number of terms, bigrams and heading terms."""
    terms = sum(len(passage.terms.split()) for passage in passages)
    bigrams = sum(count_words(passage.bigrams) for passage in passages)
    return terms, bigrams, sum(count_words(passage.heading_terms) for passage in passages)


def pack_warnings(warnings: Sequence[str]) -> str:
    return json.dumps([pack(warning) for warning in warnings], ensure_ascii=False)


NUL = "\0"
INSTEAD = "\N{REPLACEMENT CHARACTER}"  # one character for one, so that offsets in a text do not change


def replace_nul(text: str) -> str:
    """Return the text in a form that every kind of database can store."""
    return text.replace(NUL, INSTEAD)


def vector_of(passage: Passage, document_term_count: int = 0) -> TermVector:
    """Return the term vector of a passage. Documents of unknown length have a count of 0."""
    return TermVector(
        passage.id,
        passage.document_id,
        encode_terms(passage.terms),
        encode_terms(passage.heading_terms),
        encode_characters(f"{passage.heading}\n{passage.text}"),
        count_words(passage.terms),
        count_words(passage.heading_terms),
        count_words(passage.bigrams),
        document_term_count,
    )
