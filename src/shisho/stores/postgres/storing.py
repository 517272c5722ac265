"""Insert documents, whole or part by part, in the caller's transaction."""

from __future__ import annotations

from typing import Any

from shisho.domain.corpus import Document, DocumentId, Intake, Passage
from shisho.stores import nouns
from shisho.stores.nouns import vector_of
from shisho.stores.postgres import postings, rows, standing
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.refusals import arrival_ended, just_taken_in
from shisho.stores.sql import names

# Add a document without its text.
DOCUMENT = """INSERT INTO documents(id, corpus_id, owner, source, title, media_type, sha256, size, page_count, added_at,
        warnings, state, passage_count, term_count, bigram_count, heading_count)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"""
# Add one part of a document's text.
PART = "INSERT INTO parts(document_id, start, text, layout) VALUES (%s, %s, %s, %s)"
# Allocate numbers for passages.
NUMBERS = "SELECT nextval('passage_numbers') AS number FROM generate_series(1, %s)"
# Add passages.
PASSAGES = """COPY passages(id, document_id, ordinal, start, "end", page, heading, kind, text, terms, heading_terms, bigrams,
    cluster, place, ocr, bands, number) FROM STDIN"""
# Add their term vectors.
VECTORS = """COPY term_vectors(passage_id, document_id, terms, heading, characters, term_count, heading_count, pair_count)
    FROM STDIN"""
# Add the counts of a part to its document.
COUNT = """UPDATE documents SET passage_count = passage_count + %s, term_count = term_count + %s,
    bigram_count = bigram_count + %s, heading_count = heading_count + %s WHERE id = %s"""
# Start adding a document in parts.
ARRIVE = "INSERT INTO arrivals(document_id, token, at) VALUES (%s, %s, %s)"
# Read the token of the process that is adding a document.
TOKEN = "SELECT token FROM arrivals WHERE document_id = %s"
# Finish adding a document.
ARRIVED = "DELETE FROM arrivals WHERE document_id = %s"
# Delete every row of a document. Only passages are not deleted by cascade.
DISCARD = ("DELETE FROM passages WHERE document_id = %s", "DELETE FROM documents WHERE id = %s")


def insert(connection: Connection, intake: Intake, corpus_id: int, *, replaces: bool) -> None:
    """Insert a whole live document.

    `replaces`: rows of a purged or incomplete document with this ID exist and are deleted first.
    """
    if replaces:
        discard(connection, intake.document.id)
    counts = (len(intake.passages), *nouns.passage_sizes(intake.passages))
    _insert_document(connection, intake.document, corpus_id, ("live", *counts))
    numbers = _insert_text(connection, intake)
    postings.add(connection, corpus_id, intake.passages, numbers)


def insert_part(connection: Connection, intake: Intake, corpus_id: int) -> None:
    numbers = _insert_text(connection, intake)
    document_id = intake.document.id
    postings.add(connection, corpus_id, intake.passages, numbers, arriving=document_id)
    counts = (len(intake.passages), *nouns.passage_sizes(intake.passages))
    rows.change(connection, COUNT, (*counts, document_id))


def _insert_document(
    connection: Connection, document: Document, corpus_id: int, counts: tuple[str | int, ...]
) -> None:
    """Insert a document without its text; its ID must be unused.

    `counts` starts with its state.
    """
    values = (
        document.id,
        corpus_id,
        document.owner,
        document.source,
        document.title,
        document.media_type,
        document.sha256,
        document.size,
        document.page_count,
        document.added_at,
        nouns.pack_warnings(document.warnings),
        *counts,
    )
    rows.change(connection, DOCUMENT, values)


def _insert_text(connection: Connection, intake: Intake) -> list[int]:
    """Insert a text and its passages; return the numbers of the passages."""
    layout = nouns.pack_lines(intake.lines)
    rows.change(connection, PART, (intake.document.id, intake.start, intake.text, layout))
    numbers = [row.number for row in rows.fetch_all(connection, NUMBERS, (len(intake.passages),))]
    rows.copy(connection, PASSAGES, map(_values, intake.passages, numbers))
    rows.copy(connection, VECTORS, map(_vector_values, intake.passages))
    names.insert(PostgresQueries(connection), intake.document.id, intake.names)
    return numbers


def begin(connection: Connection, document: Document, corpus_id: int, token: str) -> None:
    """Start adding a document in parts. Raises Conflict if it was added concurrently."""
    if standing.state_of(connection, document.id) == "live":
        raise just_taken_in()
    discard(connection, document.id)
    # Until it is complete, the document counts as purged.
    _insert_document(connection, document, corpus_id, ("purged", 0, 0, 0, 0))
    rows.change(connection, ARRIVE, (document.id, token, document.added_at))


def check_arrival(connection: Connection, document_id: DocumentId, token: str) -> int:
    """Lock the corpus and return its key. Raises Conflict if the document was restarted."""
    corpus_id = standing.lock_corpus_of(connection, document_id)
    row = rows.fetch_first(connection, TOKEN, (document_id,))
    if corpus_id is None or row is None or row.token != token:
        raise arrival_ended()
    return corpus_id


def finish(connection: Connection, document_id: DocumentId) -> None:
    rows.change(connection, ARRIVED, (document_id,))
    postings.finish(connection, document_id)
    rows.change(connection, standing.SET_STATE, ("live", document_id))


def discard(connection: Connection, document_id: str) -> None:
    """Delete every row of a document, with its parts, sources and metadata."""
    postings.discard(connection, document_id)
    for statement in DISCARD:
        rows.change(connection, statement, (document_id,))


def _values(passage: Passage, number: int) -> tuple[Any, ...]:
    """Return a row for `PASSAGES`."""
    return (*nouns.passage_values(passage), list(passage.bands), number)


def _vector_values(passage: Passage) -> tuple[Any, ...]:
    """Return a row for `VECTORS`."""
    return (nouns.passage_number(passage.id), *vector_of(passage)[1:-1])
