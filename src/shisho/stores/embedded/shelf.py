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
    PassageId,
    PrintedLine,
    Scope,
)
from shisho.domain.metadata import MetadataField
from shisho.errors import Conflict
from shisho.language.comparable import make_comparable
from shisho.ports import Clock
from shisho.stores import nouns
from shisho.stores.embedded import near_duplicates, rows, standing, storing, texts
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.metadata import count_metadata
from shisho.stores.embedded.purge import erase
from shisho.stores.embedded.scope import READABLE, count_in, write_condition
from shisho.stores.embedded.vectors import passages_by_id
from shisho.stores.refusals import bound_ids, no_document, nothing_to_remove, text_purged

# Documents with their corpora, as a scope's condition (`scope.write_condition`) expects them.
FROM_DOCUMENTS = "FROM documents d JOIN corpora c ON c.id = d.corpus_id"
# Find the live document of a corpus with these bytes.
KNOWN = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.state = 'live' AND d.sha256 = ? AND c.name = ? AND c.owner = ?"
# Read one document in any state.
DOCUMENT = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.id = ?"
# Read documents by ID.
DOCUMENTS = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.id IN {rows.ANY_OF}"
# Find documents that a reader may open by ID prefix, as a range of IDs.
BY_PREFIX = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS}
    WHERE d.id >= ? AND d.id < ? AND c.id IN ({READABLE}) ORDER BY d.id LIMIT ?"""
# Find live documents at a path or with a file name. O(documents), but only people type file names, one at a
# time.
AT_PLACE = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE c.id IN ({READABLE}) AND d.state = 'live' AND d.id IN
    (SELECT p.document_id FROM places p
     WHERE p.source = ?2 OR substr(p.source, -length(?2) - 1) IN ('/' || ?2, '\\' || ?2))"""
# Find removed documents that had a path or a file name.
REMOVED_FROM = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE c.id IN ({READABLE})
    AND d.state = 'removed'
    AND (d.source = ?2 OR substr(d.source, -length(?2) - 1) IN ('/' || ?2, '\\' || ?2)) ORDER BY d.added_at, d.id"""
# List the metadata names of the live documents that a reader may search.
METADATA_KEYS = f"""SELECT DISTINCT m.key FROM document_meta m JOIN documents d ON d.id = m.document_id
    WHERE d.corpus_id IN ({READABLE}) AND d.state = 'live' ORDER BY m.key"""
# List a page of documents in scope, oldest first: the condition and the cursor are filled in.
PAGE = (
    f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE {{condition}}{{later}} ORDER BY d.added_at, d.id LIMIT ?"
)
# The cursor: after the last document seen. A document that the reader may not see gives the same empty result
# as an unknown one.
LATER = f""" AND (d.added_at, d.id) >
    (SELECT seen.added_at, seen.id FROM documents seen WHERE seen.id = ? AND seen.corpus_id IN ({READABLE}))"""
# Read the packed lines of a document, part by part.
LAYOUT = "SELECT layout FROM layouts WHERE document_id = ? ORDER BY start"
# Read the two passages after each given one, with the ID of the given one.
FOLLOWING = f"""SELECT {rows.PASSAGE}, q.id AS before FROM passages q JOIN documents d ON d.id = q.document_id
    JOIN passages p ON p.document_id = q.document_id AND p.ordinal IN (q.ordinal + 1, q.ordinal + 2)
    WHERE d.state = 'live' AND q.id IN {rows.ANY_OF} ORDER BY q.id, p.ordinal"""
# Read all passages of a document, in order.
PASSAGES_OF = f"SELECT {rows.PASSAGE} FROM passages p WHERE p.document_id = ? ORDER BY p.ordinal"
# Find passages that share a band. Only two per band: a letter that was sent a thousand times must not slow
# down the next copy.
NEAR_DUPLICATES = f"""WITH near AS (SELECT min(b.passage_id) AS lowest, max(b.passage_id) AS highest FROM passage_bands b
        JOIN passages p ON p.id = b.passage_id JOIN documents d ON d.id = p.document_id
        WHERE b.band IN {rows.ANY_NUMBER_OF} AND d.owner = ? GROUP BY b.band)
    SELECT {rows.PASSAGE}, p.bands FROM passages p
    WHERE p.id IN (SELECT lowest FROM near UNION SELECT highest FROM near) ORDER BY p.id"""
# List every source of a corpus with its document.
PLACES = """SELECT p.source, p.document_id FROM places p JOIN corpora c ON c.id = p.corpus_id
    WHERE c.owner = ? AND c.name = ?"""
# Remove a document, unless it was purged.
REMOVE = "UPDATE documents SET state = ? WHERE id = ? AND state <> 'purged'"
# Delete the sources of a removed document.
NO_PLACES = "DELETE FROM places WHERE document_id = ?"
# List the corpora that a reader may search, their own first, or the one with a given name.
CORPORA = """SELECT DISTINCT r.address AS name, c.owner, c.documents, c.passages
    FROM readable_corpora r JOIN corpora c ON c.id = r.corpus_id
    WHERE r.reader = ?1 AND (?2 IS NULL OR r.address = ?2) ORDER BY c.owner <> ?1, c.name, c.owner"""
# Set a metadata value of a document, replacing an old one.
DESCRIBE = """INSERT INTO document_meta(document_id, key, value, folded, number) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value, folded = excluded.folded, number = excluded.number"""


async def _nothing_else() -> bool:
    """Do nothing: there are no other copies."""
    return True


class EmbeddedShelf:
    """`ports.Shelf` over one SQLite file. `erased` runs after a purge to clean up other copies."""

    def __init__(
        self, database: Database, clock: Clock, erased: Callable[[], Awaitable[bool]] = _nothing_else
    ) -> None:
        self._database = database
        self._clock = clock
        self._erased = erased

    async def ensure_corpus(self, name: str, owner: str) -> Corpus:
        def work(connection: apsw.Connection) -> Corpus:
            standing.ensure_corpus_id(connection, name, owner, self._clock.now())
            return _corpora(connection, owner, name)[0]

        return await self._database.write(work)

    async def list_corpora(self, owner: str) -> Sequence[Corpus]:
        return await self._database.read(lambda connection: _corpora(connection, owner))

    async def find_known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        def work(connection: apsw.Connection) -> Document | None:
            row = rows.fetch_first(connection.execute(KNOWN, (sha256, corpus, owner)))
            return None if row is None else nouns.document(row)

        return await self._database.read(work)

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
            _describe(connection, document.id, metadata)
            return True

        return await self._database.write(work)

    async def describe(self, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
        def work(connection: apsw.Connection) -> int:
            documents = _documents_by_id(connection, list(facts))
            fresh = {
                name: facts[name]
                for name, document in documents.items()
                if not facts[name].items() <= document.metadata.items()
            }
            for document_id, description in fresh.items():
                _describe(connection, document_id, description)
            return len(fresh)

        return await self._database.write(work)

    async def find_document(self, document_id: DocumentId) -> Document:
        def work(connection: apsw.Connection) -> Document:
            row = rows.fetch_first(connection.execute(DOCUMENT, (document_id,)))
            if row is None:
                raise no_document(document_id)
            return nouns.document(row)

        return await self._database.read(work)

    async def fetch_documents(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]:
        return await self._database.read(lambda connection: _documents_by_id(connection, ids))

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]:
        def work(connection: apsw.Connection) -> list[Document]:
            bounds = bound_ids(prefix, "document")
            cursor = rows.fetch_all(connection.execute(BY_PREFIX, (*bounds, owner, limit)))
            return [nouns.document(row) for row in cursor]

        return await self._database.read(work)

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        def work(connection: apsw.Connection) -> list[Document]:
            return [
                nouns.document(row) for row in rows.fetch_all(connection.execute(AT_PLACE, (owner, name)))
            ]

        return await self._database.read(work)

    async def find_removed(self, name: str, owner: str) -> Sequence[Document]:
        def work(connection: apsw.Connection) -> list[Document]:
            return [
                nouns.document(row) for row in rows.fetch_all(connection.execute(REMOVED_FROM, (owner, name)))
            ]

        return await self._database.read(work)

    async def list_metadata_keys(self, owner: str) -> Sequence[str]:
        def work(connection: apsw.Connection) -> list[str]:
            return [row.key for row in rows.fetch_all(connection.execute(METADATA_KEYS, (owner,)))]

        return await self._database.read(work)

    async def count_metadata(self, scope: Scope, fields: int, values: int) -> Sequence[MetadataField]:
        return await self._database.read(lambda connection: count_metadata(connection, scope, fields, values))

    async def list_documents(
        self, scope: Scope, after: str = "", limit: int = 100, *, removed: bool = False
    ) -> Sequence[Document]:
        def work(connection: apsw.Connection) -> list[Document]:
            condition = write_condition(scope, removed=removed)
            seen = (after, scope.owner) if after else ()
            query = PAGE.format(condition=condition.sql, later=LATER if after else "")
            listed_rows = rows.fetch_all(connection.execute(query, (*condition.values, *seen, limit)))
            return [nouns.document(row) for row in listed_rows]

        return await self._database.read(work)

    async def read_text(self, document_id: DocumentId) -> str:
        def work(connection: apsw.Connection) -> str:
            state = connection.execute(storing.STATE, (document_id,)).get
            if state is None:
                raise no_document(document_id)
            if state == "purged":
                raise text_purged(document_id)
            return texts.read_text(connection, document_id)

        return await self._database.read(work)

    async def read_lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        def work(connection: apsw.Connection) -> Sequence[PrintedLine]:
            parts = rows.fetch_all(connection.execute(LAYOUT, (document_id,)))
            return [line for part in parts for line in nouns.unpack_lines(part.layout)]

        return await self._database.read(work)

    async def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        return await self._database.read(lambda connection: passages_by_id(connection, ids))

    async def find_following(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Sequence[Passage]]:
        def work(connection: apsw.Connection) -> dict[PassageId, list[Passage]]:
            after: dict[PassageId, list[Passage]] = {}
            cursor = connection.execute(FOLLOWING, (rows.bind_list(map(nouns.passage_number, ids)),))
            for row in rows.fetch_all(cursor):
                after.setdefault(nouns.passage_id(row.before), []).append(nouns.passage(row))
            return after

        return await self._database.read(work)

    async def list_passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        def work(connection: apsw.Connection) -> list[Passage]:
            return [
                nouns.passage(row) for row in rows.fetch_all(connection.execute(PASSAGES_OF, (document_id,)))
            ]

        return await self._database.read(work)

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        def work(connection: apsw.Connection) -> list[Passage]:
            near_rows = rows.fetch_all(connection.execute(NEAR_DUPLICATES, (rows.bind_numbers(bands), owner)))
            return [replace(nouns.passage(row), bands=near_duplicates.unpack(row.bands)) for row in near_rows]

        return await self._database.read(work)

    async def list_places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        def work(connection: apsw.Connection) -> dict[str, DocumentId]:
            listed_rows = rows.fetch_all(connection.execute(PLACES, (owner, corpus)))
            return {place.source: DocumentId(place.document_id) for place in listed_rows}

        return await self._database.read(work)

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        def work(connection: apsw.Connection) -> DocumentId | None:
            corpus_id = standing.ensure_corpus_id(connection, corpus, owner, self._clock.now())
            place = rows.fetch_first(connection.execute(standing.LEAVE, (corpus_id, source)))
            if place is None:
                return None
            return standing.retire(connection, DocumentId(place.document_id), source, "removed")

        return await self._database.write(work)

    async def count(self, scope: Scope) -> int:
        return await self._database.read(lambda connection: count_in(connection, scope))

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        for document_id in document_ids:
            await self._database.write(partial(_remove, document_id=document_id, purge=purge))
        return await self._erased() if purge and document_ids else True

    async def restore(self, document_id: DocumentId) -> Document:
        def work(connection: apsw.Connection) -> Document:
            row = rows.fetch_first(connection.execute(DOCUMENT, (document_id,)))
            return standing.restore(connection, document_id, None if row is None else nouns.document(row))

        return await self._database.write(work)


def _documents_by_id(connection: apsw.Connection, ids: Sequence[DocumentId]) -> dict[DocumentId, Document]:
    listed_rows = rows.fetch_all(connection.execute(DOCUMENTS, (rows.bind_list(ids),)))
    return {document.id: document for document in map(nouns.document, listed_rows)}


def _corpora(connection: apsw.Connection, owner: str, name: str | None = None) -> list[Corpus]:
    listed_rows = rows.fetch_all(connection.execute(CORPORA, (owner, name)))
    return [
        Corpus(name=row.name, owner=row.owner, documents=row.documents, passages=row.passages)
        for row in listed_rows
    ]


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
    _describe(connection, document.id, document.metadata)
    return standing.place(connection, corpus_id, document.source, document.id, may_replace=may_replace)


def _describe(connection: apsw.Connection, document_id: DocumentId, metadata: Mapping[str, str]) -> None:
    facts = [(key, value, make_comparable(value)) for key, value in metadata.items()]
    described = [(document_id, key, value, form.folded, form.number) for key, value, form in facts]
    connection.executemany(DESCRIBE, described)
