"""Passages and their term vectors, read from their blocks."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from typing import Any

import apsw

from shisho.domain.corpus import Passage, PassageId, TermVector
from shisho.domain.ranking import NamedPassage
from shisho.language.vectors import character_codes, term_codes, word_count
from shisho.stores import nouns
from shisho.stores.embedded import rows
from shisho.stores.embedded.blocks import SPANS

# Read what locates the term vectors of passages.
PLACES = f"""SELECT p.id, p.document_id, p.block, p.spans, p.term_count, p.heading_count, p.pair_count,
        d.term_count AS document_term_count FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE p.id IN {rows.ANY_NUMBER_OF}"""
# Read the contents of blocks.
CONTENTS = f"SELECT id, content FROM blocks WHERE id IN {rows.ANY_NUMBER_OF}"
# Read passages of live documents by number.
PASSAGES = f"""SELECT {rows.PASSAGE} FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE d.state = 'live' AND p.id IN {rows.ANY_OF}"""
# Read the same, with the names of their documents.
NAMED_PASSAGES = f"""SELECT {rows.PASSAGE}, d.source, d.title FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE d.state = 'live' AND p.id IN {rows.ANY_NUMBER_OF}"""
FUNCTIONS: dict[str, Callable[..., bytes | int]] = {
    "term_codes": term_codes,
    "character_codes": character_codes,
    "word_count": word_count,
}


def register(connection: apsw.Connection) -> None:
    """Register the functions with which schema scripts compute vectors of stored passages."""
    for name, function in FUNCTIONS.items():
        connection.create_scalar_function(name, function, 1, deterministic=True)


def select(connection: apsw.Connection, ids: Sequence[PassageId]) -> dict[PassageId, TermVector]:
    """Return the vectors of `ids`."""
    names = {nouns.passage_number(name): name for name in ids}
    places: list[Any] = connection.execute(PLACES, (rows.bind_numbers(names),)).fetchall()
    numbers = rows.bind_numbers({block for _, _, block, *_ in places})
    stored: list[Any] = connection.execute(CONTENTS, (numbers,)).fetchall()
    blocks: dict[int, bytes] = dict(stored)

    def read(
        number: int, document_id: str, block: int, spans: bytes, *counts: int
    ) -> tuple[PassageId, TermVector]:
        a, b, c, d, e, f, g, h = struct.unpack(SPANS[len(spans) > 16], spans)
        content = blocks[block]
        name = names[number]
        characters = content[e:f] + content[g:h]
        return name, TermVector._make((name, document_id, content[a:b], content[c:d], characters, *counts))

    return dict(starmap(read, places))


def passages_by_id(connection: apsw.Connection, ids: Iterable[PassageId]) -> dict[PassageId, Passage]:
    """Implement `Shelf.fetch_passages` on a connection."""
    found = rows.fetch_all(connection.execute(PASSAGES, (_listed(ids),)))
    return {passage.id: passage for passage in map(nouns.passage, found)}


def fetch_named_passages(
    connection: apsw.Connection, ids: Iterable[PassageId]
) -> dict[PassageId, NamedPassage]:
    """Implement `SearchView.fetch_passages` on a connection."""
    numbers = rows.bind_numbers(map(nouns.passage_number, ids))
    passage_rows = rows.fetch_all(connection.execute(NAMED_PASSAGES, (numbers,)))
    named_passages = (NamedPassage(nouns.passage(row), row.source, row.title) for row in passage_rows)
    return {named.passage.id: named for named in named_passages}


def _listed(ids: Iterable[PassageId]) -> str:
    return rows.bind_list(map(nouns.passage_number, ids))
