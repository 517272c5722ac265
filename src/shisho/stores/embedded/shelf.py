"""The shelf in SQLite.

A document with its passages is added, replaced or removed in one transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import apsw

from shisho.domain.corpus import (
    Corpus,
    Document,
    DocumentId,
    Intake,
    Passage,
)
from shisho.errors import Conflict
from shisho.ports import Clock
from shisho.stores import nouns
from shisho.stores.embedded import near_duplicates, rows, standing, storing, texts
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.purge import erase
from shisho.stores.embedded.queries import EmbeddedQueries
from shisho.stores.refusals import nothing_to_remove
from shisho.stores.sql.queries import Queries
from shisho.stores.sql.shelf import (
    StoredShelf,
    describe_document,
    describe_documents,
    find_document,
    list_corpora,
)

# Read the packed lines of a document, part by part.
LAYOUT = "SELECT layout FROM layouts WHERE document_id = :id ORDER BY start"
# Find passages that share a band. Only two per band: a letter that was sent a thousand times must not slow
# down the next copy.
NEAR_DUPLICATES = f"""WITH near AS (SELECT min(b.passage_id) AS lowest, max(b.passage_id) AS highest FROM passage_bands b
        JOIN passages p ON p.id = b.passage_id JOIN documents d ON d.id = p.document_id
        WHERE b.band IN {rows.ANY_NUMBER_OF} AND d.owner = ? GROUP BY b.band)
    SELECT {rows.PASSAGE}, p.bands FROM passages p
    WHERE p.id IN (SELECT lowest FROM near UNION SELECT highest FROM near) ORDER BY p.id"""
# Remove a document, unless it was purged.
REMOVE = "UPDATE documents SET state = ? WHERE id = ? AND state <> 'purged'"
# Delete the sources of a removed document.
NO_PLACES = "DELETE FROM places WHERE document_id = ?"


async def _nothing_else() -> bool:
    """Do nothing: there are no other copies."""
    return True


class EmbeddedShelf(StoredShelf):
    """`ports.Shelf` over one SQLite file. `erased` runs after a purge to clean up other copies."""

    def __init__(
        self, database: Database, clock: Clock, erased: Callable[[], Awaitable[bool]] = _nothing_else
    ) -> None:
        super().__init__(EmbeddedQueryStore(database))
        self._database = database
        self._clock = clock
        self._erased = erased

    async def ensure_corpus(self, name: str, owner: str) -> Corpus:
        def work(connection: apsw.Connection) -> Corpus:
            standing.ensure_corpus_id(connection, name, owner, self._clock.now())
            return list_corpora(EmbeddedQueries(connection), owner, name)[0]

        return await self._database.write(work)

    async def put(self, intake: Intake, *, may_replace: bool = True) -> DocumentId | None:
        return await self._database.write(lambda connection: _put(connection, intake, may_replace))

    async def begin(self, document: Document) -> str:
        token = secrets.token_hex(8)

        def work(connection: apsw.Connection) -> None:
            corpus_id = standing.ensure_corpus_id(
                connection, document.corpus, document.owner, document.added_at
            )
            storing.begin(connection, document, corpus_id, token)

        await self._database.write(work)
        return token

    async def extend(self, token: str, part: Intake) -> None:
        def work(connection: apsw.Connection) -> None:
            storing.check_arrival(connection, part.document.id, token)
            storing.insert_part(connection, part)

        await self._database.write(work)

    async def finish(self, token: str, document: Document, *, may_replace: bool = True) -> DocumentId | None:
        def work(connection: apsw.Connection) -> DocumentId | None:
            storing.check_arrival(connection, document.id, token)
            storing.finish(connection, document.id)
            corpus_id = standing.ensure_corpus_id(
                connection, document.corpus, document.owner, document.added_at
            )
            return _put_in_place(connection, document, corpus_id, may_replace)

        return await self._database.write(work)

    async def abandon(self, token: str, document_id: DocumentId) -> None:
        def work(connection: apsw.Connection) -> None:
            with suppress(Conflict):
                storing.check_arrival(connection, document_id, token)
                storing.discard(connection, document_id)

        await self._database.write(work)

    async def record_seen(
        self, document: Document, source: str, metadata: Mapping[str, str], *, may_replace: bool = True
    ) -> bool:
        def work(connection: apsw.Connection) -> bool:
            state = connection.execute(storing.STATE, (document.id,)).get
            if state in (None, "purged"):
                return False
            if state != "live":
                connection.execute(standing.REVIVE, (source, document.id))
            corpus_id = standing.ensure_corpus_id(
                connection, document.corpus, document.owner, document.added_at
            )
            standing.place(connection, corpus_id, source, document.id, may_replace=may_replace)
            describe_document(EmbeddedQueries(connection), document.id, metadata)
            return True

        return await self._database.write(work)

    async def describe(self, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
        return await self._store.write(lambda queries: describe_documents(queries, facts))

    def _read_text(self, queries: Queries, document_id: DocumentId) -> str:
        assert isinstance(queries, EmbeddedQueries)
        return texts.read_text(queries.connection, document_id)

    def _read_lines(self, queries: Queries, document_id: DocumentId) -> list[rows.Row]:
        return queries.rows(LAYOUT, {"id": document_id})

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        def work(connection: apsw.Connection) -> list[Passage]:
            near_rows = rows.fetch_all(connection.execute(NEAR_DUPLICATES, (rows.bind_numbers(bands), owner)))
            return [replace(nouns.passage(row), bands=near_duplicates.unpack(row.bands)) for row in near_rows]

        return await self._database.read(work)

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        def work(connection: apsw.Connection) -> DocumentId | None:
            corpus_id = standing.ensure_corpus_id(connection, corpus, owner, self._clock.now())
            place = rows.fetch_first(connection.execute(standing.LEAVE, (corpus_id, source)))
            if place is None:
                return None
            return standing.retire(connection, DocumentId(place.document_id), source, "removed")

        return await self._database.write(work)

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        for document_id in document_ids:
            await self._database.write(partial(_remove, document_id=document_id, purge=purge))
        return await self._erased() if purge and document_ids else True

    async def restore(self, document_id: DocumentId) -> Document:
        def work(connection: apsw.Connection) -> Document:
            document = find_document(EmbeddedQueries(connection), document_id)
            return standing.restore(connection, document_id, document)

        return await self._database.write(work)


def _remove(connection: apsw.Connection, document_id: DocumentId, *, purge: bool) -> None:
    connection.execute(REMOVE, ("purged" if purge else "removed", document_id))
    if connection.changes() == 0:
        raise nothing_to_remove(document_id)
    if purge:
        erase(connection, document_id)
    else:
        connection.execute(NO_PLACES, (document_id,))


def _put(connection: apsw.Connection, intake: Intake, may_replace: bool) -> DocumentId | None:
    document = intake.document
    corpus_id = standing.ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    state = connection.execute(storing.STATE, (document.id,)).get
    if state in (None, "purged"):
        storing.insert(connection, intake, corpus_id, replaces=state is not None)
    elif state != "live":
        connection.execute(standing.REVIVE, (document.source, document.id))
    return _put_in_place(connection, document, corpus_id, may_replace)


def _put_in_place(
    connection: apsw.Connection, document: Document, corpus_id: int, may_replace: bool
) -> DocumentId | None:
    """Store a live document's metadata and source; return the superseded version."""
    describe_document(EmbeddedQueries(connection), document.id, document.metadata)
    return standing.place(connection, corpus_id, document.source, document.id, may_replace=may_replace)
