"""Documents into their tables, whole or part by part. Every function runs inside its caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from shisho.domain.corpus import Document, DocumentId, Intake, Passage
from shisho.errors import Conflict
from shisho.messages.message import pack
from shisho.stores.embedded import rows

COUNT = """UPDATE documents SET passage_count = passage_count + ?, term_count = term_count + ?,
    bigram_count = bigram_count + ?, heading_count = heading_count + ? WHERE id = ?"""


def insert(connection: apsw.Connection, intake: Intake, corpus_id: int) -> None:
    """A whole document, live."""
    insert_document(connection, intake.document, corpus_id)
    insert_part(connection, intake)
    connection.execute("UPDATE documents SET state = 'live' WHERE id = ?", (intake.document.id,))


def insert_document(connection: apsw.Connection, document: Document, corpus_id: int) -> None:
    """A document without its text, in place of what is left of one that was purged or never came to its end."""
    discard(connection, document.id)
    connection.execute(
        f"INSERT INTO documents VALUES ({rows.marks(16)})",
        (
            document.id, corpus_id, document.owner, document.source, document.title, document.media_type, document.sha256,
            document.size, document.page_count, "purged", document.added_at,
            _packed(document.warnings), 0, 0, 0, 0,
        ),
    )  # fmt: skip


def insert_part(connection: apsw.Connection, intake: Intake) -> None:
    document_id, passages = intake.document.id, intake.passages
    layout = rows.pack_lines(intake.lines)
    connection.execute("INSERT INTO parts VALUES (?, ?, ?, ?)", (document_id, intake.start, intake.text, layout))
    connection.executemany(
        f"INSERT INTO passages VALUES ({rows.marks(13)})",
        (
            (
                rows.passage_number(each.id), each.document_id, each.ordinal, each.start, each.end, each.page, each.heading,
                str(each.kind), each.text, each.terms, each.heading_terms, each.bigrams, each.cluster,
            )
            for each in passages
        ),
    )  # fmt: skip
    connection.executemany("INSERT OR IGNORE INTO passage_bands VALUES (?, ?)", _bands(passages))
    connection.execute(COUNT, (len(passages), *_sizes(passages), document_id))


def begin(connection: apsw.Connection, document: Document, corpus_id: int, token: str) -> None:
    """Raises Conflict where the document has come meanwhile."""
    if connection.execute("SELECT state FROM documents WHERE id = ?", (document.id,)).get == "live":
        raise Conflict("Another process has just taken this file in. Add it again.")
    insert_document(connection, document, corpus_id)
    connection.execute("INSERT INTO arrivals VALUES (?, ?, ?)", (document.id, token, document.added_at))


def check_arrival(connection: apsw.Connection, document_id: DocumentId, token: str) -> None:
    """Raises Conflict where somebody else has begun anew with the document."""
    if connection.execute("SELECT token FROM arrivals WHERE document_id = ?", (document_id,)).get != token:
        raise Conflict("Another process takes the same file in. Add it again.")


def finish(connection: apsw.Connection, document_id: DocumentId) -> None:
    connection.execute("DELETE FROM arrivals WHERE document_id = ?", (document_id,))
    connection.execute("UPDATE documents SET state = 'live' WHERE id = ?", (document_id,))


def discard(connection: apsw.Connection, document_id: str) -> None:
    """Every row of a document; its parts, places and what was said of it go with it."""
    connection.execute("DELETE FROM passages WHERE document_id = ?", (document_id,))
    connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))


def _bands(passages: Sequence[Passage]) -> list[tuple[int, int]]:
    # In the order of the index: a long document's rows then touch each page of it once.
    return sorted({(band, rows.passage_number(passage.id)) for passage in passages for band in passage.bands})


def _sizes(passages: Sequence[Passage]) -> tuple[int, int, int]:
    """How many terms, bigrams and terms of headings there are."""
    terms = sum(len(passage.terms.split()) for passage in passages)
    bigrams = sum(len(passage.bigrams.split()) for passage in passages)
    return terms, bigrams, sum(len(passage.heading_terms.split()) for passage in passages)


def _packed(warnings: Sequence[str]) -> str:
    return json.dumps([pack(warning) for warning in warnings], ensure_ascii=False)
