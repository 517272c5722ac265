"""The shelf in SQLite: texts and passages in compressed blocks. Triggers count the documents of a corpus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import apsw

from shisho.domain.corpus import DocumentId, Intake, Passage
from shisho.ports import Clock
from shisho.stores import nouns
from shisho.stores.embedded import blocks, near_duplicates, rows
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.queries import EmbeddedQueries
from shisho.stores.sql import Queries, names
from shisho.stores.sql.shelf import StoredShelf, erase_nothing_else

# Read the packed lines of a document, part by part.
LAYOUT = "SELECT layout FROM layouts WHERE document_id = :id ORDER BY start"
# Find passages that share a band. Only two per band: a letter that was sent a thousand times must not slow
# down the next copy.
NEAR_DUPLICATES = f"""WITH near AS (SELECT min(b.passage_id) AS lowest, max(b.passage_id) AS highest FROM passage_bands b
        JOIN passages p ON p.id = b.passage_id JOIN documents d ON d.id = p.document_id
        WHERE b.band IN {rows.ANY_NUMBER_OF} AND d.owner = ? GROUP BY b.band)
    SELECT {rows.PASSAGE}, p.bands FROM passages p
    WHERE p.id IN (SELECT lowest FROM near UNION SELECT highest FROM near) ORDER BY p.id"""
# Add the lines of one part of a document.
LAYOUT_OF_PART = "INSERT INTO layouts(document_id, start, layout) VALUES (?, ?, ?)"
# Add a passage.
PASSAGE = f"""INSERT INTO passages(id, document_id, ordinal, start, "end", page, heading, kind, cluster, place, ocr,
        bands, block, spans, term_count, heading_count, pair_count)
    VALUES ({rows.marks(17)})"""


class EmbeddedShelf(StoredShelf):
    """`ports.Shelf` over one SQLite file."""

    text_tables = ("blocks", "layouts")

    def __init__(
        self, database: Database, clock: Clock, erased: Callable[[], Awaitable[bool]] = erase_nothing_else
    ) -> None:
        super().__init__(EmbeddedQueryStore(database), clock, erased)
        self._database = database

    def _insert_text(self, queries: Queries, intake: Intake, corpus_id: int, *, is_part: bool) -> None:
        connection = _get_connection(queries)
        passages = intake.passages
        layout = nouns.pack_lines(intake.lines)
        document_id = intake.document.id
        if layout is not None:
            connection.execute(LAYOUT_OF_PART, (document_id, intake.start, layout))
        locations = blocks.insert(connection, document_id, intake.start, intake.text, passages)
        passage_rows = [
            _build_passage_row(passage, location)
            for passage, location in zip(passages, locations, strict=True)
        ]
        connection.executemany(PASSAGE, passage_rows)
        near_duplicates.insert(connection, passages)
        names.insert(queries, document_id, intake.names)

    def _discard_text(self, queries: Queries, document_id: DocumentId) -> None:
        near_duplicates.delete(_get_connection(queries), document_id)

    def _erase_text(self, queries: Queries, corpus_id: int, document_id: DocumentId) -> None:
        near_duplicates.delete(_get_connection(queries), document_id)

    def _read_text(self, queries: Queries, document_id: DocumentId) -> str:
        return blocks.read_text(_get_connection(queries), document_id)

    def _read_lines(self, queries: Queries, document_id: DocumentId) -> list[rows.Row]:
        return queries.fetch(LAYOUT, {"id": document_id})

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        def read(connection: apsw.Connection) -> list[Passage]:
            whole = {near_duplicates.truncate(band): band for band in bands}
            numbers = rows.bind_numbers(whole)
            near_rows = rows.fetch_all(connection.execute(NEAR_DUPLICATES, (numbers, owner)))
            return [
                replace(nouns.passage(row), bands=near_duplicates.widen(row.bands, whole))
                for row in near_rows
            ]

        return await self._database.read(read)


def _get_connection(queries: Queries) -> apsw.Connection:
    assert isinstance(queries, EmbeddedQueries)
    return queries.connection


def _build_passage_row(
    passage: Passage, location: blocks.VectorLocation
) -> tuple[str | int | bytes | None, ...]:
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
        *location,
    )
