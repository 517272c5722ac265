"""Documents into their tables, whole or part by part. Every function runs inside its caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.domain.corpus import Document, DocumentId, Intake, Passage
from shisho.stores import nouns
from shisho.stores.embedded import names, rows, vectors
from shisho.stores.refusals import arrival_ended, just_taken_in

# A document without its text.
DOCUMENT = f"""INSERT INTO documents(id, corpus_id, owner, source, title, media_type, sha256, size, page_count, added_at,
        warnings, state, passage_count, term_count, bigram_count, heading_count)
    VALUES ({rows.marks(16)})"""
# One part of a document's text.
PART = "INSERT INTO parts(document_id, start, text, layout) VALUES (?, ?, ?, ?)"
# One passage.
PASSAGE = f"""INSERT INTO passages(id, document_id, ordinal, start, "end", page, heading, kind, text, terms, heading_terms,
        bigrams, cluster, place, ocr)
    VALUES ({rows.marks(15)})"""
# One band of a passage; two of them may be equal.
BAND = "INSERT INTO passage_bands(band, passage_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
# What a part adds to the numbers of its document.
COUNT = """UPDATE documents SET passage_count = passage_count + ?, term_count = term_count + ?,
    bigram_count = bigram_count + ?, heading_count = heading_count + ? WHERE id = ?"""
# Every part is there.
SHOW = "UPDATE documents SET state = 'live' WHERE id = ?"
# The state of a document.
STATE = "SELECT state FROM documents WHERE id = ?"
# A document begins to arrive in parts.
ARRIVE = "INSERT INTO arrivals(document_id, token, at) VALUES (?, ?, ?)"
# Who brings the parts of a document.
TOKEN = "SELECT token FROM arrivals WHERE document_id = ?"
# A document has arrived.
ARRIVED = "DELETE FROM arrivals WHERE document_id = ?"
# Every row of a document: what refers to it goes with it, but for its passages.
DISCARD = ("DELETE FROM passages WHERE document_id = ?", "DELETE FROM documents WHERE id = ?")


def insert(connection: apsw.Connection, intake: Intake, corpus_id: int, *, replaces: bool) -> None:
    """A whole document, live. `replaces`: what is left of one that was purged or never came to its end is
    there."""
    if replaces:
        discard(connection, intake.document.id)
    counts = (len(intake.passages), *nouns.passage_sizes(intake.passages))
    _insert_document(connection, intake.document, corpus_id, ("live", *counts))
    _insert_text(connection, intake)


def _insert_document(
    connection: apsw.Connection, document: Document, corpus_id: int, standing: tuple[str | int, ...]
) -> None:
    """A document without its text, where there is none of this id. `standing`: its state and its counts."""
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
    connection.execute(PART, (intake.document.id, intake.start, intake.text, layout))
    connection.executemany(PASSAGE, map(nouns.passage_values, passages))
    connection.executemany(BAND, _bands(passages))
    vectors.insert(connection, passages)
    names.insert(connection, intake.document.id, intake.names)


def begin(connection: apsw.Connection, document: Document, corpus_id: int, token: str) -> None:
    """Raises Conflict where the document has come meanwhile."""
    if connection.execute(STATE, (document.id,)).get == "live":
        raise just_taken_in()
    discard(connection, document.id)
    # Until every part is there it counts as purged.
    _insert_document(connection, document, corpus_id, ("purged", 0, 0, 0, 0))
    connection.execute(ARRIVE, (document.id, token, document.added_at))


def check_arrival(connection: apsw.Connection, document_id: DocumentId, token: str) -> None:
    """Raises Conflict where somebody else has begun anew with the document."""
    if connection.execute(TOKEN, (document_id,)).get != token:
        raise arrival_ended()


def finish(connection: apsw.Connection, document_id: DocumentId) -> None:
    connection.execute(ARRIVED, (document_id,))
    connection.execute(SHOW, (document_id,))


def discard(connection: apsw.Connection, document_id: str) -> None:
    """Every row of a document; its parts, places and what was said of it go with it."""
    for statement in DISCARD:
        connection.execute(statement, (document_id,))


def _bands(passages: Sequence[Passage]) -> list[tuple[int, int]]:
    # In the order of the index: a long document's rows then touch each page of it once.
    numbered = [(nouns.passage_number(passage.id), passage.bands) for passage in passages]
    return sorted({(band, number) for number, bands in numbered for band in bands})
