"""Passages and their term vectors, read by ID."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shisho.domain.corpus import Passage, PassageId, TermVector
from shisho.domain.ranking import NamedPassage
from shisho.stores import nouns
from shisho.stores.postgres import rows
from shisho.stores.postgres.pool import Connection

# Read term vectors: the passage's number, then the fields of `TermVector` from the second on, in order.
VECTORS = """SELECT v.passage_id, v.document_id, v.terms, v.heading, v.characters, v.term_count, v.heading_count,
        v.pair_count, d.term_count AS document_term_count FROM term_vectors v JOIN documents d ON d.id = v.document_id
    WHERE v.passage_id = ANY(%s)"""
# Read passages of live documents by number.
PASSAGES = f"""SELECT {rows.PASSAGE} FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE d.state = 'live' AND p.id = ANY(%s)"""
# Read the same, with the names of their documents.
NAMED_PASSAGES = f"""SELECT {rows.PASSAGE}, d.source, d.title FROM passages p JOIN documents d ON d.id = p.document_id
    WHERE d.state = 'live' AND p.id = ANY(%s)"""


def select(connection: Connection, ids: Sequence[PassageId]) -> dict[PassageId, TermVector]:
    """Return the vectors of `ids`."""
    # Binary, because text mode sends bytes as hexadecimal digits.
    passage_rows = connection.execute(VECTORS.encode(), (rows.numbers_of(ids),), binary=True).fetchall()
    return {
        (name := nouns.passage_id(number)): TermVector._make((name, *rest)) for number, *rest in passage_rows
    }


def passages_by_id(connection: Connection, ids: Iterable[PassageId]) -> dict[PassageId, Passage]:
    """Implement `Shelf.fetch_passages` on a connection."""
    passage_rows = rows.fetch_all(connection, PASSAGES, (rows.numbers_of(ids),))
    return {passage.id: passage for passage in map(nouns.passage, passage_rows)}


def fetch_named_passages(connection: Connection, ids: Iterable[PassageId]) -> dict[PassageId, NamedPassage]:
    """Implement `SearchView.fetch_passages` on a connection."""
    passage_rows = rows.fetch_all(connection, NAMED_PASSAGES, (rows.numbers_of(ids),))
    named_passages = (NamedPassage(nouns.passage(row), row.source, row.title) for row in passage_rows)
    return {named.passage.id: named for named in named_passages}
