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
    PassageId,
    PrintedLine,
    Scope,
)
from shisho.domain.metadata import MetadataField
from shisho.errors import Conflict, ShishoError
from shisho.language.comparable import make_comparable
from shisho.ports import Clock
from shisho.stores import nouns
from shisho.stores.postgres import postings, rows, standing, storing
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.metadata import count_metadata
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.purge import erase
from shisho.stores.postgres.scope import FROM_DOCUMENTS, READABLE, count_in, write_condition
from shisho.stores.postgres.vectors import passages_by_id
from shisho.stores.refusals import bound_ids, no_document, nothing_to_remove, text_purged
from shisho.telemetry import log

# Find the live document of a corpus with these bytes.
KNOWN = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.state = 'live' AND d.sha256 = %s AND c.name = %s AND c.owner = %s"
# Read one document in any state.
DOCUMENT = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.id = %s"
# Read documents by ID.
DOCUMENTS = f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE d.id = ANY(%s)"
# Find documents that a reader may open by ID prefix, as a range of IDs.
BY_PREFIX = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS}
    WHERE d.id >= %s AND d.id < %s AND c.id IN ({READABLE}) ORDER BY d.id LIMIT %s"""
# The same corpora as `READABLE`.
READABLE_BY = "SELECT r.corpus_id FROM readable_corpora r WHERE r.reader = %(owner)s"
# The condition for a path or a file name; the column is filled in.
IS_AT = (
    "({column} = %(name)s OR right({column}, length(%(name)s) + 1) IN ('/' || %(name)s, '\\' || %(name)s))"
)
# Find live documents at a path or with a file name. O(documents), but only people type file names, one at a
# time.
AT_PLACE = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE c.id IN ({READABLE_BY}) AND d.state = 'live' AND d.id IN
    (SELECT p.document_id FROM places p WHERE {IS_AT.format(column="p.source")})"""
# Find removed documents that had a path or a file name.
REMOVED_FROM = f"""SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE c.id IN ({READABLE_BY}) AND d.state = 'removed'
    AND {IS_AT.format(column="d.source")} ORDER BY d.added_at, d.id"""
# List the metadata names of the live documents that a reader may search.
METADATA_KEYS = f"""SELECT DISTINCT m.key FROM document_meta m JOIN documents d ON d.id = m.document_id
    WHERE d.corpus_id IN ({READABLE}) AND d.state = 'live' ORDER BY m.key"""
# List a page of documents in scope, oldest first: the condition and the cursor are filled in.
PAGE = (
    f"SELECT {rows.DOCUMENT} {FROM_DOCUMENTS} WHERE {{condition}}{{later}} ORDER BY d.added_at, d.id LIMIT %s"
)
# The cursor: after the last document seen. A document that the reader may not see gives the same empty result
# as an unknown one.
LATER = f""" AND (d.added_at, d.id) >
    (SELECT seen.added_at, seen.id FROM documents seen WHERE seen.id = %s AND seen.corpus_id IN ({READABLE}))"""
# Read the text of a document, part by part.
TEXT = "SELECT text FROM parts WHERE document_id = %s ORDER BY start"
# Read the packed lines of a document, part by part.
LAYOUT = "SELECT layout FROM parts WHERE document_id = %s ORDER BY start"
# Read the two passages after each given one, with the ID of the given one.
FOLLOWING = f"""SELECT {rows.PASSAGE}, q.id AS before FROM passages q JOIN documents d ON d.id = q.document_id
    JOIN passages p ON p.document_id = q.document_id AND p.ordinal IN (q.ordinal + 1, q.ordinal + 2)
    WHERE d.state = 'live' AND q.id = ANY(%s) ORDER BY q.id, p.ordinal"""
# Read all passages of a document, in order.
PASSAGES_OF = f"SELECT {rows.PASSAGE} FROM passages p WHERE p.document_id = %s ORDER BY p.ordinal"
# Find passages that share a band. Only two per band: a letter that was sent a thousand times must not slow
# down the next copy.
NEAR_DUPLICATES = f"""WITH near AS (SELECT band, min(p.id) AS lowest, max(p.id) AS highest
        FROM passages p JOIN documents d ON d.id = p.document_id CROSS JOIN LATERAL unnest(p.bands) AS band
        WHERE p.bands && %(bands)s::bigint[] AND band = ANY(%(bands)s::bigint[]) AND d.owner = %(owner)s GROUP BY band)
    SELECT {rows.PASSAGE}, p.bands FROM passages p
    WHERE p.id IN (SELECT lowest FROM near UNION SELECT highest FROM near) ORDER BY p.id"""
# List every source of a corpus with its document.
PLACES = """SELECT p.source, p.document_id FROM places p JOIN corpora c ON c.id = p.corpus_id
    WHERE c.owner = %s AND c.name = %s"""
# Delete the sources of a removed document.
NO_PLACES = "DELETE FROM places WHERE document_id = %s"
# List the corpora that a reader may search, their own first, or the one with a given name.
CORPORA = """SELECT r.address AS name, c.owner, c.documents, c.passages
    FROM corpora c JOIN (SELECT DISTINCT corpus_id, address FROM readable_corpora
        WHERE reader = %(owner)s AND (%(name)s::text IS NULL OR address = %(name)s)) AS r ON c.id = r.corpus_id
    ORDER BY c.owner <> %(owner)s, c.name, c.owner"""
# Set metadata of a document under some names, replacing old values.
DESCRIBE = """INSERT INTO document_meta(document_id, key, value, folded, number)
    SELECT %(id)s, given.key, given.value, given.folded, given.number
    FROM unnest(%(keys)s::text[], %(values)s::text[], %(folded)s::text[], %(numbers)s::float8[])
        AS given(key, value, folded, number)
    ON CONFLICT (document_id, key) DO UPDATE
    SET value = excluded.value, folded = excluded.folded, number = excluded.number"""


async def _nothing_else() -> bool:
    """Do nothing: there are no other copies."""
    return True


class PostgresShelf:
    """`ports.Shelf` over PostgreSQL. `erased` runs after a purge to clean up other copies."""

    def __init__(
        self, database: PostgresDatabase, clock: Clock, erased: Callable[[], Awaitable[bool]] = _nothing_else
    ) -> None:
        self._database = database
        self._clock = clock
        self._erased = erased

    async def ensure_corpus(self, name: str, owner: str) -> Corpus:
        def work(connection: Connection) -> Corpus:
            standing.ensure_corpus_id(connection, name, owner, self._clock.now())
            return _corpora(connection, owner, name)[0]

        return await self._database.write(work)

    async def list_corpora(self, owner: str) -> Sequence[Corpus]:
        return await self._database.read(lambda connection: _corpora(connection, owner))

    async def find_known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        documents = await self._documents(KNOWN, (sha256, corpus, owner))
        return documents[0] if documents else None

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
        return await self._database.write(lambda connection: _describe_many(connection, facts))

    async def find_document(self, document_id: DocumentId) -> Document:
        documents = await self._documents(DOCUMENT, (document_id,))
        if not documents:
            raise no_document(document_id)
        return documents[0]

    async def fetch_documents(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]:
        return await self._database.read(lambda connection: _documents_by_id(connection, ids))

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]:
        return await self._documents(BY_PREFIX, (*bound_ids(prefix, "document"), owner, limit))

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        return await self._documents(AT_PLACE, {"name": name, "owner": owner})

    async def find_removed(self, name: str, owner: str) -> Sequence[Document]:
        return await self._documents(REMOVED_FROM, {"name": name, "owner": owner})

    async def list_metadata_keys(self, owner: str) -> Sequence[str]:
        return [row.key for row in await self._rows(METADATA_KEYS, (owner,))]

    async def count_metadata(self, scope: Scope, fields: int, values: int) -> Sequence[MetadataField]:
        return await self._database.read(lambda connection: count_metadata(connection, scope, fields, values))

    async def list_documents(
        self, scope: Scope, after: str = "", limit: int = 100, *, removed: bool = False
    ) -> Sequence[Document]:
        condition = write_condition(scope, removed=removed)
        seen = (after, scope.owner) if after else ()
        query = PAGE.format(condition=condition.sql, later=LATER if after else "")
        return await self._documents(query, (*condition.values, *seen, limit))

    async def read_text(self, document_id: DocumentId) -> str:
        def work(connection: Connection) -> str:
            state = standing.state_of(connection, document_id)
            if state is None:
                raise no_document(document_id)
            if state == "purged":
                raise text_purged(document_id)
            return "".join(part.text for part in rows.fetch_all(connection, TEXT, (document_id,)))

        return await self._database.read(work)

    async def read_lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        parts = await self._rows(LAYOUT, (document_id,))
        return [line for part in parts for line in nouns.unpack_lines(part.layout)]

    async def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        return await self._database.read(lambda connection: passages_by_id(connection, ids))

    async def find_following(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Sequence[Passage]]:
        after: dict[PassageId, list[Passage]] = {}
        for row in await self._rows(FOLLOWING, (rows.numbers_of(ids),)):
            after.setdefault(nouns.passage_id(row.before), []).append(nouns.passage(row))
        return after

    async def list_passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        return [nouns.passage(row) for row in await self._rows(PASSAGES_OF, (document_id,))]

    async def find_near_duplicates(self, owner: str, bands: Sequence[int]) -> Sequence[Passage]:
        listed = await self._rows(NEAR_DUPLICATES, {"bands": list(bands), "owner": owner})
        return [replace(nouns.passage(row), bands=tuple(row.bands)) for row in listed]

    async def list_places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        listed = await self._rows(PLACES, (owner, corpus))
        return {place.source: DocumentId(place.document_id) for place in listed}

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        def work(connection: Connection) -> DocumentId | None:
            corpus_id = standing.ensure_corpus_id(connection, corpus, owner, self._clock.now())
            return standing.leave(connection, corpus_id, source)

        return await self._database.write(work)

    async def count(self, scope: Scope) -> int:
        return await self._database.read(lambda connection: count_in(connection, scope))

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        for document_id in document_ids:
            await self._database.write(partial(_remove, document_id=document_id, purge=purge))
        return await self._erased() if purge and document_ids else True

    async def restore(self, document_id: DocumentId) -> Document:
        def work(connection: Connection) -> Document:
            standing.lock_corpus_of(connection, document_id)
            row = rows.fetch_first(connection, DOCUMENT, (document_id,))
            return standing.restore(connection, document_id, None if row is None else nouns.document(row))

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

    async def _documents(self, statement: str, values: object) -> list[Document]:
        return [nouns.document(row) for row in await self._rows(statement, values)]


def _documents_by_id(connection: Connection, ids: Sequence[DocumentId]) -> dict[DocumentId, Document]:
    listed = rows.fetch_all(connection, DOCUMENTS, (list(ids),))
    return {document.id: document for document in map(nouns.document, listed)}


def _corpora(connection: Connection, owner: str, name: str | None = None) -> list[Corpus]:
    listed = rows.fetch_all(connection, CORPORA, {"owner": owner, "name": name})
    return [Corpus(row.name, row.owner, row.documents, row.passages) for row in listed]


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
    _describe(connection, document.id, document.metadata)
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
    _describe(connection, document.id, metadata)
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


def _describe_many(connection: Connection, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
    """Set metadata of documents; return the number of changed documents.

    Documents are updated in order of ID, so that concurrent updates wait for each other without a deadlock.
    """
    documents = _documents_by_id(connection, list(facts))
    fresh = [
        name
        for name, document in sorted(documents.items())
        if not facts[name].items() <= document.metadata.items()
    ]
    for document_id in fresh:
        _describe(connection, document_id, facts[document_id])
    return len(fresh)


def _describe(connection: Connection, document_id: DocumentId, metadata: Mapping[str, str]) -> None:
    if not metadata:
        return
    forms = [make_comparable(value) for value in metadata.values()]
    values = {
        "id": document_id,
        "keys": list(metadata),
        "values": list(metadata.values()),
        "folded": [form.folded for form in forms],
        "numbers": [form.number for form in forms],
    }
    rows.change(connection, DESCRIBE, values)
