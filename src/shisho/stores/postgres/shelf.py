"""The shelf in PostgreSQL: texts, passages, and the postings of their words, which are counted here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from shisho.domain.corpus import DocumentId, Intake, Passage
from shisho.errors import ShishoError
from shisho.messages import Message
from shisho.ports import Clock
from shisho.stores import nouns
from shisho.stores.nouns import vector_of
from shisho.stores.postgres import postings, rows
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.sql import Queries, names
from shisho.stores.sql.shelf import HOLD_TEXT, StoredShelf, erase_nothing_else
from shisho.stores.sql.traces import TABLES_OF_TRACES
from shisho.telemetry import log

# Read the text of a document, part by part.
TEXT = "SELECT text FROM parts WHERE document_id = :id ORDER BY start"
# Read the packed lines of a document, part by part.
LAYOUT = "SELECT layout FROM parts WHERE document_id = :id ORDER BY start"
# Find passages that share a band. Only two per band: a letter that was sent a thousand times must not slow
# down the next copy.
NEAR_DUPLICATES = f"""WITH near AS (SELECT band, min(p.id) AS lowest, max(p.id) AS highest
        FROM passages p JOIN documents d ON d.id = p.document_id CROSS JOIN LATERAL unnest(p.bands) AS band
        WHERE p.bands && %(bands)s::bigint[] AND band = ANY(%(bands)s::bigint[]) AND d.owner = %(owner)s GROUP BY band)
    SELECT {rows.PASSAGE}, p.bands FROM passages p
    WHERE p.id IN (SELECT lowest FROM near UNION SELECT highest FROM near) ORDER BY p.id"""
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
# A deleted or updated row stays in the table's file until a vacuum; autovacuum runs only after a fifth of a
# table has changed. Tables that another process is vacuuming are skipped.
SWEEP = f"VACUUM (SKIP_LOCKED) {', '.join(sorted({'documents', 'parts', 'postings', *HOLD_TEXT, *TABLES_OF_TRACES}))}"


class PostgresShelf(StoredShelf):
    """`ports.Shelf` over PostgreSQL."""

    text_tables = ("parts",)

    def __init__(
        self,
        database: PostgresDatabase,
        clock: Clock,
        erased: Callable[[], Awaitable[bool]] = erase_nothing_else,
    ) -> None:
        super().__init__(PostgresQueryStore(database), clock, erased)
        self._database = database

    def _insert_text(self, queries: Queries, intake: Intake, corpus_id: int, *, is_part: bool) -> None:
        connection = _get_connection(queries)
        layout = nouns.pack_lines(intake.lines)
        document_id = intake.document.id
        rows.change(connection, PART, (document_id, intake.start, intake.text, layout))
        numbers = [row.number for row in rows.fetch_all(connection, NUMBERS, (len(intake.passages),))]
        rows.copy(connection, PASSAGES, map(_build_values, intake.passages, numbers))
        rows.copy(connection, VECTORS, map(_build_vector_values, intake.passages))
        names.insert(queries, document_id, intake.names)
        arriving = document_id if is_part else None
        postings.add(connection, corpus_id, intake.passages, numbers, arriving=arriving)

    def _discard_text(self, queries: Queries, document_id: DocumentId) -> None:
        postings.discard(_get_connection(queries), document_id)

    def _erase_text(self, queries: Queries, corpus_id: int, document_id: DocumentId) -> None:
        postings.erase(_get_connection(queries), corpus_id, document_id)

    def _complete_text(self, queries: Queries, document_id: DocumentId) -> None:
        postings.finish(_get_connection(queries), document_id)

    def _subtract_counts(self, queries: Queries, document_id: DocumentId) -> None:
        postings.subtract_counts(_get_connection(queries), document_id)

    def _restore_counts(self, queries: Queries, document_id: DocumentId) -> None:
        postings.restore_counts(_get_connection(queries), document_id)

    async def _follow_up(self, corpus_id: int) -> None:
        """Merge index segments. A failure is harmless: the next document triggers another attempt."""
        try:
            while await self._database.write(partial(postings.merge, corpus_id=corpus_id)):
                pass
        except ShishoError as error:
            log.debug("segments are not merged yet: %s", error)

    def _read_text(self, queries: Queries, document_id: DocumentId) -> str:
        return "".join(part.text for part in queries.fetch(TEXT, {"id": document_id}))

    def _read_lines(self, queries: Queries, document_id: DocumentId) -> list[rows.Row]:
        return queries.fetch(LAYOUT, {"id": document_id})

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        values = {"bands": list(bands), "owner": owner}
        listed = await self._database.read(
            lambda connection: rows.fetch_all(connection, NEAR_DUPLICATES, values)
        )
        return [replace(nouns.passage(row), bands=tuple(row.bands)) for row in listed]


def _get_connection(queries: Queries) -> Connection:
    assert isinstance(queries, PostgresQueries)
    return queries.connection


async def erase_rows(database: PostgresDatabase) -> bool:
    """Remove the erased rows from the table files, after the commit. Returns False on failure."""

    def run(connection: Connection) -> None:
        rows.change(connection, SWEEP)

    try:
        await asyncio.to_thread(database.run, run)
    except ShishoError as error:  # queries already cannot see the erased rows
        log.warning(Message("postgres.purge_unswept", why=error.message))
        return False
    return True


def _build_values(passage: Passage, number: int) -> tuple[Any, ...]:
    """Return a row for `PASSAGES`."""
    return (*nouns.passage_values(passage), list(passage.bands), number)


def _build_vector_values(passage: Passage) -> tuple[Any, ...]:
    """Return a row for `VECTORS`."""
    return (nouns.passage_number(passage.id), *vector_of(passage)[1:-1])
