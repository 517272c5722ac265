"""Passages and their term vectors.

A term vector is stored in the transaction of its passage, and can be recomputed from the passage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import apsw

from shisho.domain.corpus import Passage, PassageId, TermVector
from shisho.domain.ranking import NamedPassage
from shisho.language.vectors import character_codes, term_codes, word_count
from shisho.stores import nouns
from shisho.stores.embedded import rows
from shisho.stores.vectors import vector_of

# Add the term vector of a passage.
INSERT = f"""INSERT INTO term_vectors(passage_id, document_id, terms, heading, characters, term_count, heading_count,
        pair_count)
    VALUES ({rows.marks(8)})"""
# Read term vectors: the passage's number, then the fields of `TermVector` from the second on, in order.
VECTORS = f"""SELECT v.passage_id, v.document_id, v.terms, v.heading, v.characters, v.term_count, v.heading_count,
        v.pair_count, d.term_count AS document_term_count FROM term_vectors v JOIN documents d ON d.id = v.document_id
    WHERE v.passage_id IN {rows.ANY_NUMBER_OF}"""
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


def insert(connection: apsw.Connection, passages: Sequence[Passage]) -> None:
    # Compute all before the first is stored, which keeps code and tables of each phase in the CPU cache.
    vector_rows = [_values(passage) for passage in passages]
    connection.executemany(INSERT, vector_rows)


def select(connection: apsw.Connection, ids: Sequence[PassageId]) -> dict[PassageId, TermVector]:
    """Return the vectors of `ids`."""
    numbers = {nouns.passage_number(name): name for name in ids}
    vector_rows = connection.execute(VECTORS, (rows.bind_numbers(numbers),))
    vectors = {(name := numbers[number]): TermVector._make((name, *rest)) for number, *rest in vector_rows}
    # An older version that is still running stores passages without vectors.
    if len(vectors) < len(numbers):
        missing = [name for name in ids if name not in vectors]
        vectors |= {name: vector_of(passage) for name, passage in passages_by_id(connection, missing).items()}
    return vectors


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


def _values(passage: Passage) -> tuple[int | str | bytes, ...]:
    """Return a row for `INSERT`."""
    return (nouns.passage_number(passage.id), *vector_of(passage)[1:-1])
