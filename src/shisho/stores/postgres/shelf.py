"""The shelf in PostgreSQL.

A document with its passages and postings is added, replaced or removed in one transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from shisho.domain.corpus import (
    Corpus,
    Document,
    DocumentId,
    Intake,
    Passage,
)
from shisho.errors import Conflict, ShishoError
from shisho.ports import Clock
from shisho.stores import nouns
from shisho.stores.postgres import postings, rows, standing, storing
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.purge import erase
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.refusals import nothing_to_remove
from shisho.stores.sql.queries import Queries
from shisho.stores.sql.shelf import (
    StoredShelf,
    describe_document,
    describe_documents,
    find_document,
    list_corpora,
)
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
# Delete the sources of a removed document.
NO_PLACES = "DELETE FROM places WHERE document_id = %s"


async def _nothing_else() -> bool:
    """Do nothing: there are no other copies."""
    return True


class PostgresShelf(StoredShelf):
    """`ports.Shelf` over PostgreSQL. `erased` runs after a purge to clean up other copies."""

    def __init__(
        self, database: PostgresDatabase, clock: Clock, erased: Callable[[], Awaitable[bool]] = _nothing_else
    ) -> None:
        super().__init__(PostgresQueryStore(database))
        self._database = database
        self._clock = clock
        self._erased = erased

    async def ensure_corpus(self, name: str, owner: str) -> Corpus:
        def work(connection: Connection) -> Corpus:
            standing.ensure_corpus_id(connection, name, owner, self._clock.now())
            return list_corpora(PostgresQueries(connection), owner, name)[0]

        return await self._database.write(work)

    async def put(self, intake: Intake, *, may_replace: bool = True) -> DocumentId | None:
        earlier, corpus_id = await self._database.write(
            lambda connection: _put(connection, intake, may_replace)
        )
        await self._merge(corpus_id)
        return earlier

    async def begin(self, document: Document) -> str:
        token = secrets.token_hex(8)
        await self._database.write(lambda connection: _begin(connection, document, token))
        return token

    async def extend(self, token: str, part: Intake) -> None:
        def work(connection: Connection) -> None:
            corpus_id = storing.check_arrival(connection, part.document.id, token)
            storing.insert_part(connection, part, corpus_id)

        await self._database.write(work)

    async def finish(self, token: str, document: Document, *, may_replace: bool = True) -> DocumentId | None:
        def work(connection: Connection) -> tuple[DocumentId | None, int]:
            corpus_id = storing.check_arrival(connection, document.id, token)
            storing.finish(connection, document.id)
            return _put_in_place(connection, document, corpus_id, may_replace), corpus_id

        earlier, corpus_id = await self._database.write(work)
        await self._merge(corpus_id)
        return earlier

    async def abandon(self, token: str, document_id: DocumentId) -> None:
        def work(connection: Connection) -> None:
            with suppress(Conflict):
                storing.check_arrival(connection, document_id, token)
                storing.discard(connection, document_id)

        await self._database.write(work)

    async def record_seen(
        self, document: Document, source: str, metadata: Mapping[str, str], *, may_replace: bool = True
    ) -> bool:
        return await self._database.write(
            lambda connection: _record_seen(connection, document, source, metadata, may_replace)
        )

    async def describe(self, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
        return await self._store.write(lambda queries: describe_documents(queries, facts))

    def _read_text(self, queries: Queries, document_id: DocumentId) -> str:
        return "".join(part.text for part in queries.rows(TEXT, {"id": document_id}))

    def _read_lines(self, queries: Queries, document_id: DocumentId) -> list[rows.Row]:
        return queries.rows(LAYOUT, {"id": document_id})

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        listed = await self._rows(NEAR_DUPLICATES, {"bands": list(bands), "owner": owner})
        return [replace(nouns.passage(row), bands=tuple(row.bands)) for row in listed]

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        def work(connection: Connection) -> DocumentId | None:
            corpus_id = standing.ensure_corpus_id(connection, corpus, owner, self._clock.now())
            return standing.leave(connection, corpus_id, source)

        return await self._database.write(work)

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        for document_id in document_ids:
            await self._database.write(partial(_remove, document_id=document_id, purge=purge))
        return await self._erased() if purge and document_ids else True

    async def restore(self, document_id: DocumentId) -> Document:
        def work(connection: Connection) -> Document:
            standing.lock_corpus_of(connection, document_id)
            document = find_document(PostgresQueries(connection), document_id)
            return standing.restore(connection, document_id, document)

        return await self._database.write(work)

    async def _merge(self, corpus_id: int) -> None:
        """Merge index segments. A failure is harmless: the next document triggers another attempt."""
        try:
            while await self._database.write(partial(postings.merge, corpus_id=corpus_id)):
                pass
        except ShishoError as error:
            log.debug("segments are not merged yet: %s", error)

    async def _rows(self, statement: str, values: object) -> list[rows.Row]:
        return await self._database.read(lambda connection: rows.fetch_all(connection, statement, values))


def _put(connection: Connection, intake: Intake, may_replace: bool) -> tuple[DocumentId | None, int]:
    """Store a document; return the superseded version and the key of the corpus."""
    document = intake.document
    corpus_id = standing.ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    state = standing.state_of(connection, document.id)
    if state in (None, "purged"):
        storing.insert(connection, intake, corpus_id, replaces=state is not None)
    elif state != "live":
        standing.revive(connection, document.id, document.source)
    return _put_in_place(connection, document, corpus_id, may_replace), corpus_id


def _begin(connection: Connection, document: Document, token: str) -> None:
    corpus_id = standing.ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    storing.begin(connection, document, corpus_id, token)


def _put_in_place(
    connection: Connection, document: Document, corpus_id: int, may_replace: bool
) -> DocumentId | None:
    """Store a live document's metadata and source; return the superseded version."""
    describe_document(PostgresQueries(connection), document.id, document.metadata)
    return standing.place(connection, corpus_id, document.source, document.id, may_replace=may_replace)


def _record_seen(
    connection: Connection,
    document: Document,
    source: str,
    metadata: Mapping[str, str],
    may_replace: bool,
) -> bool:
    corpus_id = standing.ensure_corpus_id(connection, document.corpus, document.owner, document.added_at)
    state = standing.state_of(connection, document.id)
    if state in (None, "purged"):
        return False
    if state != "live":
        standing.revive(connection, document.id, source)
    standing.place(connection, corpus_id, source, document.id, may_replace=may_replace)
    describe_document(PostgresQueries(connection), document.id, metadata)
    return True


def _remove(connection: Connection, document_id: DocumentId, *, purge: bool) -> None:
    corpus_id = standing.lock_corpus_of(connection, document_id)
    if corpus_id is None or standing.state_of(connection, document_id) == "purged":
        raise nothing_to_remove(document_id)
    standing.withdraw(connection, document_id, "purged" if purge else "removed")
    if purge:
        erase(connection, corpus_id, document_id)
    else:
        rows.change(connection, NO_PLACES, (document_id,))
