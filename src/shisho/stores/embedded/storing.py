"""Insert documents, whole or part by part, in the caller's transaction."""

from __future__ import annotations

import apsw

from shisho.domain.corpus import Document, DocumentId, Intake, Passage
from shisho.stores import nouns
from shisho.stores.embedded import blocks, near_duplicates, rows
from shisho.stores.embedded.queries import EmbeddedQueries
from shisho.stores.refusals import arrival_ended, just_taken_in
from shisho.stores.sql import names

# Add a document without its text.
DOCUMENT = f"""INSERT INTO documents(id, corpus_id, owner, source, title, media_type, sha256, size, page_count, added_at,
        warnings, state, passage_count, term_count, bigram_count, heading_count)
    VALUES ({rows.marks(16)})"""
# Add the lines of one part of a document.
LAYOUT = "INSERT INTO layouts(document_id, start, layout) VALUES (?, ?, ?)"
# Add a passage.
PASSAGE = f"""INSERT INTO passages(id, document_id, ordinal, start, "end", page, heading, kind, cluster, place, ocr,
        bands, block, spans, term_count, heading_count, pair_count)
    VALUES ({rows.marks(17)})"""
# Add the counts of a part to its document.
COUNT = """UPDATE documents SET passage_count = passage_count + ?, term_count = term_count + ?,
    bigram_count = bigram_count + ?, heading_count = heading_count + ? WHERE id = ?"""
# Make a completed document live.
SHOW = "UPDATE documents SET state = 'live' WHERE id = ?"
# Read the state of a document.
STATE = "SELECT state FROM documents WHERE id = ?"
# Start adding a document in parts.
ARRIVE = "INSERT INTO arrivals(document_id, token, at) VALUES (?, ?, ?)"
# Read the token of the process that is adding a document.
TOKEN = "SELECT token FROM arrivals WHERE document_id = ?"
# Finish adding a document.
ARRIVED = "DELETE FROM arrivals WHERE document_id = ?"
# Delete every row of a document. Only passages are not deleted by cascade.
DISCARD = ("DELETE FROM passages WHERE document_id = ?", "DELETE FROM documents WHERE id = ?")


def insert(connection: apsw.Connection, intake: Intake, corpus_id: int, *, replaces: bool) -> None:
    """Insert a whole live document.

    `replaces`: rows of a purged or incomplete document with this ID exist and are deleted first.
    """
    if replaces:
        discard(connection, intake.document.id)
    counts = (len(intake.passages), *nouns.passage_sizes(intake.passages))
    _insert_document(connection, intake.document, corpus_id, ("live", *counts))
    _insert_text(connection, intake)


def _insert_document(
    connection: apsw.Connection, document: Document, corpus_id: int, standing: tuple[str | int, ...]
) -> None:
    """Insert a document without its text; its ID must be unused.

    `standing` is its state and its counts.
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
        *standing,
    )
    connection.execute(DOCUMENT, values)


def insert_part(connection: apsw.Connection, intake: Intake) -> None:
    _insert_text(connection, intake)
    connection.execute(
        COUNT, (len(intake.passages), *nouns.passage_sizes(intake.passages), intake.document.id)
    )


def _insert_text(connection: apsw.Connection, intake: Intake) -> None:
    passages = intake.passages
    layout = nouns.pack_lines(intake.lines)
    document_id = intake.document.id
    if layout is not None:
        connection.execute(LAYOUT, (document_id, intake.start, layout))
    places = blocks.insert(connection, document_id, intake.start, intake.text, passages)
    passage_rows = [_passage_row(passage, place) for passage, place in zip(passages, places, strict=True)]
    connection.executemany(PASSAGE, passage_rows)
    near_duplicates.insert(connection, passages)
    names.insert(EmbeddedQueries(connection), document_id, intake.names)


def _passage_row(passage: Passage, place: blocks.VectorPlace) -> tuple[str | int | bytes | None, ...]:
    """Return a row for `PASSAGE`."""
    return (
        nouns.passage_number(passage.id),
        passage.document_id,
        passage.ordinal,
        passage.start,
        passage.end,
        passage.page,
        passage.heading,
        str(passage.kind),
        passage.cluster,
        passage.place,
        int(passage.ocr),
        near_duplicates.pack(passage.bands),
        *place,
    )


def begin(connection: apsw.Connection, document: Document, corpus_id: int, token: str) -> None:
    """Start adding a document in parts. Raises Conflict if it was added concurrently."""
    if connection.execute(STATE, (document.id,)).get == "live":
        raise just_taken_in()
    discard(connection, document.id)
    # Until it is complete, the document counts as purged.
    _insert_document(connection, document, corpus_id, ("purged", 0, 0, 0, 0))
    connection.execute(ARRIVE, (document.id, token, document.added_at))


def check_arrival(connection: apsw.Connection, document_id: DocumentId, token: str) -> None:
    """Check that this process is adding the document. Raises Conflict if it was restarted."""
    if connection.execute(TOKEN, (document_id,)).get != token:
        raise arrival_ended()


def finish(connection: apsw.Connection, document_id: DocumentId) -> None:
    connection.execute(ARRIVED, (document_id,))
    connection.execute(SHOW, (document_id,))


def discard(connection: apsw.Connection, document_id: str) -> None:
    """Delete every row of a document, with its parts, sources and metadata."""
    near_duplicates.delete(connection, document_id)
    for statement in DISCARD:
        connection.execute(statement, (document_id,))
