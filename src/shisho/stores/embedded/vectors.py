"""Term vectors of passages, read from their blocks, and a view of the shelf with them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from shisho.domain.corpus import PassageId, TermVector
from shisho.language.vectors import count_words, encode_characters, encode_terms
from shisho.stores import nouns
from shisho.stores.embedded import rows
from shisho.stores.embedded.blocks import LARGE_SPANS, SPANS
from shisho.stores.embedded.queries import EmbeddedQueries
from shisho.stores.sql.shelf_view import ShelfView

# Read what locates the term vectors of passages.
PLACES = f"""SELECT p.id, p.document_id, p.block, p.spans, p.term_count, p.heading_count, p.pair_count,
        d.term_count AS document_term_count FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE p.id IN {rows.ANY_NUMBER_OF}"""
# Read the contents of blocks.
CONTENTS = f"SELECT id, content FROM blocks WHERE id IN {rows.ANY_NUMBER_OF}"


def _pack_vector(vector: bytes) -> bytes:
    # Imported here, because only older libraries with vectors need it.
    from shisho.stores.embedded.packed_vectors import pack_vector

    return pack_vector(vector)


def _truncate_bands(packed: bytes) -> bytes:
    from shisho.stores.embedded.near_duplicates import truncate_bands

    return truncate_bands(packed)


FUNCTIONS: dict[str, Callable[..., bytes | int]] = {
    "pack_vector": _pack_vector,
    "truncate_bands": _truncate_bands,
    "term_codes": encode_terms,
    "character_codes": encode_characters,
    "word_count": count_words,
}


def register(connection: apsw.Connection) -> None:
    """Register the functions with which schema scripts recode what is stored of passages."""
    for name, function in FUNCTIONS.items():
        connection.create_scalar_function(name, function, 1, deterministic=True)


def select(connection: apsw.Connection, ids: Sequence[PassageId]) -> dict[PassageId, TermVector]:
    """Return the vectors of `ids`."""
    names = {nouns.passage_number(name): name for name in ids}
    locations: list[Any] = connection.execute(PLACES, (rows.bind_numbers(names),)).fetchall()
    numbers = rows.bind_numbers({block for _, _, block, *_ in locations})
    stored: list[Any] = connection.execute(CONTENTS, (numbers,)).fetchall()
    blocks: dict[int, bytes] = dict(stored)

    make = TermVector._make
    read_spans = SPANS.unpack
    small = SPANS.size
    vectors: dict[PassageId, TermVector] = {}
    for number, document_id, block, packed, *counts in locations:
        try:
            spans = read_spans(packed) if len(packed) == small else LARGE_SPANS.unpack(packed)
            content = blocks[block]
        except (KeyError, struct.error) as error:
            raise apsw.CorruptError(f"passage {number} has no block") from error
        a, b, c, d, e, f, g, h = spans
        characters = content[e:f] + content[g:h] if f > e else content[g:h]
        name = names[number]
        fields = (name, document_id, content[a:b], content[c:d], characters, *counts)
        vectors[name] = make(fields)
    return vectors


class EmbeddedShelfView(ShelfView):
    """The part of a search view that needs no index, on a connection in a transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(EmbeddedQueries(connection))
        self._connection = connection

    def read_vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        return select(self._connection, ids)
