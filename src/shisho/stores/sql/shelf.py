"""The shelf: documents, their sources, and their metadata.

A document with its passages is added, replaced or removed in one transaction. A transaction that changes a
corpus locks its row first: changes of one corpus are serialized, while others can change concurrently. Each
database stores texts and passages in its own way, as subclasses do (`embedded/shelf.py`,
`postgres/shelf.py`).
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Any

from shisho.domain.corpus import (
    Corpus,
    Document,
    DocumentId,
    DocumentState,
    Intake,
    Passage,
    PassageId,
    PrintedLine,
    Scope,
)
from shisho.domain.library import MetadataField, MetadataValue
from shisho.domain.time import Instant
from shisho.errors import Conflict
from shisho.language.numbers import make_comparable
from shisho.ports import Clock
from shisho.stores import nouns
from shisho.stores.refusals import (
    arrival_ended,
    bound_ids,
    build_added_concurrently,
    check_restorable,
    name_taken,
    no_document,
    nothing_to_remove,
    text_purged,
)
from shisho.stores.sql import Queries, QueryStore, fetch_first
from shisho.stores.sql.scope import FROM_DOCUMENTS, READABLE, count_in, write_condition
from shisho.stores.sql.shelf_view import fetch_passages
from shisho.stores.sql.traces import erase_traces

# Find the live document of a corpus with these bytes.
KNOWN = f"""SELECT {{columns}} {FROM_DOCUMENTS}
    WHERE d.state = 'live' AND d.sha256 = :sha256 AND c.name = :corpus AND c.owner = :owner"""
# Read one document in any state.
DOCUMENT = f"SELECT {{columns}} {FROM_DOCUMENTS} WHERE d.id = :id"
# Read the state of a document.
STATE = "SELECT state FROM documents WHERE id = :id"
# Read documents by ID.
DOCUMENTS = f"SELECT {{columns}} {FROM_DOCUMENTS} WHERE d.id IN (SELECT value FROM json_each(:ids))"
# Find documents that a reader may open by ID prefix, as a range of IDs.
BY_PREFIX = f"""SELECT {{columns}} {FROM_DOCUMENTS}
    WHERE d.id >= :low AND d.id < :high AND c.id IN ({READABLE}) ORDER BY d.id LIMIT :limit"""
# The condition for a path or a file name; the column is filled in.
IS_AT = """({column} = :name
    OR substr({column}, length({column}) - length(:name), length(:name) + 1) IN ('/' || :name, '\\' || :name))"""
# Find live documents at a path or with a file name. O(documents), but only people type file names, one at a
# time.
AT_PLACE = f"""SELECT {{columns}} {FROM_DOCUMENTS} WHERE c.id IN ({READABLE}) AND d.state = 'live' AND d.id IN
    (SELECT p.document_id FROM places p WHERE {IS_AT.format(column="p.source")})"""
# Find removed documents that had a path or a file name.
REMOVED_FROM = f"""SELECT {{columns}} {FROM_DOCUMENTS} WHERE c.id IN ({READABLE}) AND d.state = 'removed'
    AND {IS_AT.format(column="d.source")} ORDER BY d.added_at, d.id"""
# List the metadata names of the live documents that a reader may search.
METADATA_KEYS = f"""SELECT DISTINCT m.key FROM document_meta m JOIN documents d ON d.id = m.document_id
    WHERE d.corpus_id IN ({READABLE}) AND d.state = 'live' ORDER BY m.key"""
# List a page of documents in scope, oldest first: the condition and the cursor are filled in.
PAGE = f"""SELECT {{columns}} {FROM_DOCUMENTS} WHERE {{condition}}{{later}}
    ORDER BY d.added_at, d.id LIMIT :limit"""
# The cursor: after the last document seen. A document that the reader may not see gives the same empty result
# as an unknown one.
LATER = f""" AND (d.added_at, d.id) >
    (SELECT seen.added_at, seen.id FROM documents seen WHERE seen.id = :after AND seen.corpus_id IN ({READABLE}))"""
# Read the two passages after each given one, with the ID of the given one.
FOLLOWING_PASSAGES = """SELECT {columns}, q.id AS before FROM passages q JOIN documents d ON d.id = q.document_id
    JOIN passages p ON p.document_id = q.document_id AND p.ordinal IN (q.ordinal + 1, q.ordinal + 2)
    WHERE d.state = 'live' AND q.id IN (SELECT value FROM json_each(:ids)) ORDER BY q.id, p.ordinal"""
# Read all passages of a document, in order.
PASSAGES_OF = "SELECT {columns} FROM passages p WHERE p.document_id = :id ORDER BY p.ordinal"
# List every source of a corpus with its document.
PLACES = """SELECT p.source, p.document_id FROM places p JOIN corpora c ON c.id = p.corpus_id
    WHERE c.owner = :owner AND c.name = :corpus"""
# List the corpora that a reader may search, their own first, or the one with a given name.
CORPORA = """SELECT r.address AS name, c.owner, c.documents, c.passages
    FROM corpora c JOIN (SELECT DISTINCT corpus_id, address FROM readable_corpora
        WHERE reader = :reader AND (CAST(:name AS text) IS NULL OR address = :name)) AS r ON c.id = r.corpus_id
    ORDER BY c.owner <> :reader, c.name, c.owner"""
# Set a metadata value of a document, replacing an old one.
DESCRIBE = """INSERT INTO document_meta(document_id, key, value, folded, number)
    VALUES (:id, :key, :value, :folded, :number) ON CONFLICT (document_id, key) DO UPDATE
    SET value = excluded.value, folded = excluded.folded, number = excluded.number"""
# Add a corpus, unless one with its name exists.
NEW_CORPUS = """INSERT INTO corpora(owner, name, created_at) VALUES (:owner, :name, :now)
    ON CONFLICT DO NOTHING"""
# Lock a corpus for changes, and read its key.
CORPUS_ID = "SELECT id FROM corpora WHERE owner = :owner AND name = :name /*pg FOR NO KEY UPDATE */"
# Lock the corpus of a document for changes, and read its key.
CORPUS_OF = """SELECT c.id FROM corpora c JOIN documents d ON d.corpus_id = c.id WHERE d.id = :id
    /*pg FOR NO KEY UPDATE OF c */"""
# Set the state of a document.
SET_STATE = "UPDATE documents SET state = :state WHERE id = :id"
# Set the source name of a document.
NAME = "UPDATE documents SET source = :source WHERE id = :id"
# Delete a source.
LEAVE = """DELETE FROM places WHERE corpus_id = :corpus_id /*pg AND md5(source) = md5(:source) */ AND source = :source
    RETURNING document_id"""
# Find the document of a source.
PLACE = """SELECT document_id FROM places
    WHERE corpus_id = :corpus_id /*pg AND md5(source) = md5(:source) */ AND source = :source"""
# Assign a source to a document.
PUT_PLACE = """INSERT INTO places(corpus_id, source, document_id) VALUES (:corpus_id, :source, :id)
    ON CONFLICT /*pg (corpus_id, md5(source)) */ DO UPDATE SET document_id = excluded.document_id, stamp = NULL"""
# Delete the sources of a removed document.
NO_PLACES = "DELETE FROM places WHERE document_id = :id"
# Check whether a document is live but has no source.
IS_HOMELESS = """SELECT 1 AS yes FROM documents WHERE id = :id AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = :id)"""
# Rename a live document after one of its remaining sources, if its current name is no longer among them.
RENAME = """UPDATE documents SET source = (SELECT min(p.source) FROM places p WHERE p.document_id = :id)
    WHERE id = :id AND state = 'live'
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = :id AND p.source = documents.source)"""
# Rename its older versions too, unless another document has their source: a purge finds them by name.
RENAME_VERSIONS = """UPDATE documents SET source = (SELECT d.source FROM documents d WHERE d.id = :id)
    WHERE corpus_id = (SELECT d.corpus_id FROM documents d WHERE d.id = :id) AND source = :source
    AND state IN ('superseded', 'removed') AND NOT EXISTS (SELECT 1 FROM places p
        WHERE p.corpus_id = documents.corpus_id /*pg AND md5(p.source) = md5(:source) */ AND p.source = :source)"""
# Add a document without its text.
ADD = """INSERT INTO documents(id, corpus_id, owner, source, title, media_type, sha256, size, page_count, added_at,
        warnings, state, passage_count, term_count, bigram_count, heading_count)
    VALUES (:id, :corpus_id, :owner, :source, :title, :media_type, :sha256, :size, :page_count, :added_at,
        :warnings, :state, :passages, :terms, :bigrams, :headings)"""
# Add the counts of a part to its document.
COUNT = """UPDATE documents SET passage_count = passage_count + :passages, term_count = term_count + :terms,
    bigram_count = bigram_count + :bigrams, heading_count = heading_count + :headings WHERE id = :id"""
# Start adding a document in parts.
ARRIVE = "INSERT INTO arrivals(document_id, token, at) VALUES (:id, :token, :now)"
# Read the token of the process that is adding a document.
TOKEN = "SELECT token FROM arrivals WHERE document_id = :id"
# Finish adding a document.
DELETE_ARRIVAL = "DELETE FROM arrivals WHERE document_id = :id"
# Delete every row of a document. Only passages are not deleted by cascade.
DISCARD = ("DELETE FROM passages WHERE document_id = :id", "DELETE FROM documents WHERE id = :id")
# Blank a purged document; it keeps its ID, the hash of its bytes and its times.
BLANK = "UPDATE documents SET warnings = '[]', source = '', title = '' WHERE id = :id"
# Find the older versions of a changed file, whose texts are still stored.
VERSIONS = """SELECT old.id FROM documents d JOIN documents old ON old.corpus_id = d.corpus_id AND old.id <> d.id
    WHERE d.id = :id AND old.source = d.source AND old.state IN ('superseded', 'removed')"""
# Delete the text and the metadata of a document; the table is filled in.
EMPTY = "DELETE FROM {table} WHERE document_id = :id"
NOTHING_YET: dict[str, Any] = {"passages": 0, "terms": 0, "bigrams": 0, "headings": 0}
HOLD_TEXT = ("short_names", "definitions", "passages", "arrivals", "document_meta", "places")


async def erase_nothing_else() -> bool:
    """Do nothing: there are no other copies."""
    return True


# Count the most frequent values of each name, the most common names first; the scope is filled in.
METADATA_COUNTS = f"""SELECT * FROM (SELECT m.key AS name, m.value AS value, count(*) AS documents,
        row_number() OVER (PARTITION BY m.key ORDER BY count(*) DESC, m.value) AS place,
        count(*) OVER (PARTITION BY m.key) AS distinct_values,
        CAST(sum(count(*)) OVER (PARTITION BY m.key) AS bigint) AS all_documents
        {FROM_DOCUMENTS} JOIN document_meta m ON d.id = m.document_id
        WHERE {{condition}} GROUP BY m.key, m.value) AS counted
    WHERE place <= :most_values ORDER BY all_documents DESC, name, place LIMIT :most_rows"""


class StoredShelf(ABC):
    """`ports.Shelf` over a database. `erased` runs after a purge to clean up other copies."""

    text_tables: Sequence[str]
    """The tables of texts, besides `HOLD_TEXT`."""

    def __init__(
        self, store: QueryStore, clock: Clock, erased: Callable[[], Awaitable[bool]] = erase_nothing_else
    ) -> None:
        self._store = store
        self._clock = clock
        self._erased = erased

    @abstractmethod
    def _insert_text(self, queries: Queries, intake: Intake, corpus_id: int, *, is_part: bool) -> None:
        """Store a text and its passages; `is_part`: others follow before the document is live."""

    @abstractmethod
    def _discard_text(self, queries: Queries, document_id: DocumentId) -> None:
        """Delete what is derived from an incomplete text, before its passages."""

    @abstractmethod
    def _erase_text(self, queries: Queries, corpus_id: int, document_id: DocumentId) -> None:
        """Delete what is derived from a text, before its passages."""

    # SQLite needs none of the next four: its triggers and indexes do this.
    def _complete_text(self, queries: Queries, document_id: DocumentId) -> None:  # noqa: B027
        """Make what is derived from a text's parts visible."""

    def _subtract_counts(self, queries: Queries, document_id: DocumentId) -> None:  # noqa: B027
        """Take a live document out of the counts of its corpus, unless triggers do."""

    def _restore_counts(self, queries: Queries, document_id: DocumentId) -> None:  # noqa: B027
        """Count a live document again, unless triggers do."""

    async def _follow_up(self, corpus_id: int) -> None:  # noqa: B027
        """Do what can wait until after the commit of a document."""

    @abstractmethod
    def _read_text(self, queries: Queries, document_id: DocumentId) -> str:
        """Return the whole text of a document that was not purged."""

    @abstractmethod
    def _read_lines(self, queries: Queries, document_id: DocumentId) -> list[nouns.Row]:
        """Return rows with the packed lines of a document as `layout`, in order."""

    async def ensure_corpus(self, name: str, owner: str) -> Corpus:
        def write(queries: Queries) -> Corpus:
            _lock_corpus(queries, name, owner, self._clock.now())
            return list_corpora(queries, owner, name)[0]

        return await self._store.write(write)

    async def put(self, intake: Intake, *, may_replace: bool = True) -> DocumentId | None:
        document = intake.document

        def write(queries: Queries) -> tuple[DocumentId | None, int]:
            corpus_id = _lock_corpus_for(queries, document)
            state = _read_state(queries, document.id)
            if state in (None, "purged"):
                if state is not None:
                    self._discard(queries, document.id)
                _insert_document(queries, document, corpus_id, "live", _bind_counts(intake))
                self._insert_text(queries, intake, corpus_id, is_part=False)
            elif state != "live":
                self._revive(queries, document.id, document.source)
            return self._put_in_place(queries, document, corpus_id, may_replace), corpus_id

        earlier, corpus_id = await self._store.write(write)
        await self._follow_up(corpus_id)
        return earlier

    async def begin(self, document: Document) -> str:
        token = secrets.token_hex(8)

        def write(queries: Queries) -> None:
            corpus_id = _lock_corpus_for(queries, document)
            if _read_state(queries, document.id) == "live":
                raise build_added_concurrently()
            self._discard(queries, document.id)
            # Until it is complete, the document counts as purged.
            _insert_document(queries, document, corpus_id, "purged", NOTHING_YET)
            queries.change(ARRIVE, {"id": document.id, "token": token, "now": document.added_at})

        await self._store.write(write)
        return token

    async def extend(self, token: str, part: Intake) -> None:
        def write(queries: Queries) -> None:
            corpus_id = _check_arrival(queries, part.document.id, token)
            self._insert_text(queries, part, corpus_id, is_part=True)
            queries.change(COUNT, _bind_counts(part) | {"id": part.document.id})

        await self._store.write(write)

    async def finish(self, token: str, document: Document, *, may_replace: bool = True) -> DocumentId | None:
        def write(queries: Queries) -> tuple[DocumentId | None, int]:
            corpus_id = _check_arrival(queries, document.id, token)
            queries.change(DELETE_ARRIVAL, {"id": document.id})
            self._complete_text(queries, document.id)
            queries.change(SET_STATE, {"id": document.id, "state": "live"})
            return self._put_in_place(queries, document, corpus_id, may_replace), corpus_id

        earlier, corpus_id = await self._store.write(write)
        await self._follow_up(corpus_id)
        return earlier

    async def abandon(self, token: str, document_id: DocumentId) -> None:
        def write(queries: Queries) -> None:
            with suppress(Conflict):
                _check_arrival(queries, document_id, token)
                self._discard(queries, document_id)

        await self._store.write(write)

    async def record_seen(
        self, document: Document, source: str, metadata: Mapping[str, str], *, may_replace: bool = True
    ) -> bool:
        def write(queries: Queries) -> bool:
            corpus_id = _lock_corpus_for(queries, document)
            state = _read_state(queries, document.id)
            if state in (None, "purged"):
                return False
            if state != "live":
                self._revive(queries, document.id, source)
            self._place(queries, corpus_id, source, document.id, may_replace=may_replace)
            describe_document(queries, document.id, metadata)
            return True

        return await self._store.write(write)

    async def describe(self, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
        return await self._store.write(lambda queries: describe_documents(queries, facts))

    async def detach_source(self, corpus: str, owner: str, source: str) -> DocumentId | None:
        def write(queries: Queries) -> DocumentId | None:
            corpus_id = _lock_corpus(queries, corpus, owner, self._clock.now())
            left = fetch_first(queries, LEAVE, {"corpus_id": corpus_id, "source": source})
            return None if left is None else self._retire(queries, left.document_id, source, "removed")

        return await self._store.write(write)

    async def remove(self, *document_ids: DocumentId, purge: bool) -> bool:
        for document_id in document_ids:
            await self._store.write(partial(self._remove, document_id=document_id, purge=purge))
        return await self._erased() if purge and document_ids else True

    async def restore(self, document_id: DocumentId) -> Document:
        """Undo the removal of a document. Raises as `ports.Shelf.restore`."""

        def write(queries: Queries) -> Document:
            fetch_first(queries, CORPUS_OF, {"id": document_id})
            document = find_document(queries, document_id)
            if document is None or document.state is DocumentState.LIVE:
                return check_restorable(document, document_id, None)
            corpus_id = _lock_corpus_for(queries, document)
            successor = _find_document_at(queries, corpus_id, document.source)
            restored = check_restorable(document, document_id, successor)
            self._revive(queries, document_id, document.source)
            values = {"corpus_id": corpus_id, "source": document.source, "id": document_id}
            queries.change(PUT_PLACE, values)
            return restored

        return await self._store.write(write)

    def _put_in_place(
        self, queries: Queries, document: Document, corpus_id: int, may_replace: bool
    ) -> DocumentId | None:
        """Store a live document's metadata and source; return the superseded version."""
        describe_document(queries, document.id, document.metadata)
        return self._place(queries, corpus_id, document.source, document.id, may_replace=may_replace)

    def _place(
        self, queries: Queries, corpus_id: int, source: str, document_id: DocumentId, *, may_replace: bool
    ) -> DocumentId | None:
        """Assign a source to this document; return the document that it superseded, if any.

        The previous document of the source is superseded unless it has another source.

        Raises: NameConflict if another document has the source and `may_replace` is false.
        """
        earlier = _find_document_at(queries, corpus_id, source)
        if earlier not in (None, document_id) and not may_replace:
            raise name_taken(source, str(earlier))
        queries.change(PUT_PLACE, {"corpus_id": corpus_id, "source": source, "id": document_id})
        if earlier is None or earlier == document_id:
            return None
        return self._retire(queries, earlier, source, "superseded")

    def _retire(
        self, queries: Queries, document_id: DocumentId, source: str, state: str
    ) -> DocumentId | None:
        """Update a document that lost a source; return its ID if that was its only source."""
        if queries.fetch(IS_HOMELESS, {"id": document_id}):
            self._withdraw(queries, document_id, state)
            return document_id
        if queries.change(RENAME, {"id": document_id}):
            queries.change(RENAME_VERSIONS, {"id": document_id, "source": source})
        return None

    def _revive(self, queries: Queries, document_id: DocumentId, source: str) -> None:
        """Make a superseded or removed document live again, at this source."""
        queries.change(NAME, {"id": document_id, "source": source})
        queries.change(SET_STATE, {"id": document_id, "state": "live"})
        self._restore_counts(queries, document_id)

    def _withdraw(self, queries: Queries, document_id: DocumentId, state: str) -> None:
        """Take a document out of search, and set its state."""
        if _read_state(queries, document_id) == "live":
            self._subtract_counts(queries, document_id)
        queries.change(SET_STATE, {"id": document_id, "state": state})

    def _remove(self, queries: Queries, document_id: DocumentId, *, purge: bool) -> None:
        corpus = fetch_first(queries, CORPUS_OF, {"id": document_id})
        if corpus is None or _read_state(queries, document_id) == "purged":
            raise nothing_to_remove(document_id)
        self._withdraw(queries, document_id, "purged" if purge else "removed")
        if not purge:
            queries.change(NO_PLACES, {"id": document_id})
            return
        for version in queries.fetch(VERSIONS, {"id": document_id}):
            queries.change(SET_STATE, {"id": version.id, "state": "purged"})
            self._erase(queries, corpus.id, version.id)
        self._erase(queries, corpus.id, document_id)

    def _erase(self, queries: Queries, corpus_id: int, document_id: DocumentId) -> None:
        """Erase a document; it keeps its ID, the hash of its bytes and its times.

        Answers that quoted it stay, without the quotations.
        """
        erase_traces(queries, document_id)
        self._erase_text(queries, corpus_id, document_id)
        for table in (*HOLD_TEXT, *self.text_tables):
            queries.change(EMPTY.format(table=table), {"id": document_id})
        queries.change(BLANK, {"id": document_id})

    def _discard(self, queries: Queries, document_id: DocumentId) -> None:
        """Delete every row of a document, with its parts, sources and metadata."""
        self._discard_text(queries, document_id)
        for statement in DISCARD:
            queries.change(statement, {"id": document_id})

    async def list_corpora(self, owner: str) -> Sequence[Corpus]:
        return await self._store.read(lambda queries: list_corpora(queries, owner))

    async def find_known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        documents = await self._read_documents(KNOWN, {"sha256": sha256, "corpus": corpus, "owner": owner})
        return documents[0] if documents else None

    async def find_document(self, document_id: DocumentId) -> Document:
        document = await self._store.read(lambda queries: find_document(queries, document_id))
        if document is None:
            raise no_document(document_id)
        return document

    async def fetch_documents(self, ids: Sequence[DocumentId]) -> Mapping[DocumentId, Document]:
        return await self._store.read(lambda queries: fetch_documents(queries, ids))

    async def find_documents(self, prefix: str, owner: str, limit: int = 2) -> Sequence[Document]:
        low, high = bound_ids(prefix, "document")
        values = {"low": low, "high": high, "reader": owner, "limit": limit}
        return await self._read_documents(BY_PREFIX, values)

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        return await self._read_documents(AT_PLACE, {"name": name, "reader": owner})

    async def find_removed(self, name: str, owner: str) -> Sequence[Document]:
        return await self._read_documents(REMOVED_FROM, {"name": name, "reader": owner})

    async def list_metadata_keys(self, owner: str) -> Sequence[str]:
        rows = await self._store.read(lambda queries: queries.fetch(METADATA_KEYS, {"reader": owner}))
        return [row.key for row in rows]

    async def count_metadata(self, scope: Scope, fields: int, values: int) -> Sequence[MetadataField]:
        return await self._store.read(lambda queries: _count_metadata(queries, scope, fields, values))

    async def list_documents(
        self, scope: Scope, after: str = "", limit: int = 100, *, removed: bool = False
    ) -> Sequence[Document]:
        condition = write_condition(scope, removed=removed)
        page = PAGE.replace("{condition}", condition.sql).replace("{later}", LATER if after else "")
        return await self._read_documents(page, condition.values | {"after": after, "limit": limit})

    async def read_text(self, document_id: DocumentId) -> str:
        def read(queries: Queries) -> str:
            row = fetch_first(queries, STATE, {"id": document_id})
            if row is None:
                raise no_document(document_id)
            if row.state == "purged":
                raise text_purged(document_id)
            return self._read_text(queries, document_id)

        return await self._store.read(read)

    async def read_lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        parts = await self._store.read(lambda queries: self._read_lines(queries, document_id))
        return [line for part in parts for line in nouns.unpack_lines(part.layout)]

    async def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        return await self._store.read(lambda queries: fetch_passages(queries, ids))

    async def find_following(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Sequence[Passage]]:
        values = {"ids": [*map(nouns.passage_number, ids)]}
        after: dict[PassageId, list[Passage]] = {}
        for row in await self._read_passages(FOLLOWING_PASSAGES, values):
            after.setdefault(nouns.passage_id(row.before), []).append(nouns.passage(row))
        return after

    async def list_passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        return [*map(nouns.passage, await self._read_passages(PASSAGES_OF, {"id": document_id}))]

    async def list_places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        values = {"owner": owner, "corpus": corpus}
        rows = await self._store.read(lambda queries: queries.fetch(PLACES, values))
        return {row.source: DocumentId(row.document_id) for row in rows}

    async def count(self, scope: Scope) -> int:
        return await self._store.read(lambda queries: count_in(queries, scope))

    async def _read_documents(self, statement: str, values: Mapping[str, object]) -> list[Document]:
        rows = await self._store.read(
            lambda queries: queries.fetch(statement.replace("{columns}", queries.document_columns), values)
        )
        return [*map(nouns.document, rows)]

    async def _read_passages(self, statement: str, values: Mapping[str, object]) -> list[nouns.Row]:
        return await self._store.read(
            lambda queries: queries.fetch(statement.format(columns=queries.passage_columns), values)
        )


def list_corpora(queries: Queries, owner: str, name: str | None = None) -> list[Corpus]:
    """List the corpora that a reader may search, or the one with a given name."""
    rows = queries.fetch(CORPORA, {"reader": owner, "name": name})
    return [Corpus(row.name, row.owner, row.documents, row.passages) for row in rows]


def find_document(queries: Queries, document_id: DocumentId) -> Document | None:
    """Return a document in any state."""
    row = fetch_first(queries, DOCUMENT.format(columns=queries.document_columns), {"id": document_id})
    return None if row is None else nouns.document(row)


def fetch_documents(queries: Queries, ids: Sequence[DocumentId]) -> dict[DocumentId, Document]:
    """Implement `Shelf.fetch_documents` in a transaction."""
    rows = queries.fetch(DOCUMENTS.format(columns=queries.document_columns), {"ids": [*ids]})
    return {document.id: document for document in map(nouns.document, rows)}


def describe_documents(queries: Queries, facts: Mapping[DocumentId, Mapping[str, str]]) -> int:
    """Set metadata of documents; return the number of changed documents.

    Documents are updated in order of ID, so that concurrent updates wait for each other without a deadlock.
    """
    documents = fetch_documents(queries, [*facts])
    fresh = [
        name
        for name, document in sorted(documents.items())
        if not facts[name].items() <= document.metadata.items()
    ]
    for document_id in fresh:
        describe_document(queries, document_id, facts[document_id])
    return len(fresh)


def describe_document(queries: Queries, document_id: DocumentId, metadata: Mapping[str, str]) -> None:
    """Set metadata values of a document, replacing old ones."""
    forms = [(key, value, make_comparable(value)) for key, value in metadata.items()]
    values = [
        {"id": document_id, "key": key, "value": value, "folded": form.folded, "number": form.number}
        for key, value, form in forms
    ]
    if values:
        queries.change_each(DESCRIBE, values)


def _lock_corpus(queries: Queries, name: str, owner: str, now: Instant) -> int:
    """Lock a corpus for changes and return its key; create it if it is missing."""
    values = {"owner": owner, "name": name, "now": now}
    stored = fetch_first(queries, CORPUS_ID, values)
    if stored is None:
        queries.change(NEW_CORPUS, values)
        (stored,) = queries.fetch(CORPUS_ID, values)
    return int(stored.id)


def _lock_corpus_for(queries: Queries, document: Document) -> int:
    return _lock_corpus(queries, document.corpus, document.owner, document.added_at)


def _read_state(queries: Queries, document_id: DocumentId) -> str | None:
    """Return the state of a document; None if it is unknown."""
    row = fetch_first(queries, STATE, {"id": document_id})
    return None if row is None else str(row.state)


def _find_document_at(queries: Queries, corpus_id: int, source: str) -> DocumentId | None:
    """Return the document of a source."""
    row = fetch_first(queries, PLACE, {"corpus_id": corpus_id, "source": source})
    return None if row is None else DocumentId(row.document_id)


def _check_arrival(queries: Queries, document_id: DocumentId, token: str) -> int:
    """Lock the corpus and return its key. Raises Conflict if the document was restarted."""
    corpus = fetch_first(queries, CORPUS_OF, {"id": document_id})
    row = fetch_first(queries, TOKEN, {"id": document_id})
    if corpus is None or row is None or row.token != token:
        raise arrival_ended()
    return int(corpus.id)


def _bind_counts(intake: Intake) -> dict[str, Any]:
    """Return the counts of passages, terms, bigrams and heading terms."""
    terms, bigrams, headings = nouns.passage_sizes(intake.passages)
    return {"passages": len(intake.passages), "terms": terms, "bigrams": bigrams, "headings": headings}


def _insert_document(
    queries: Queries, document: Document, corpus_id: int, state: str, counts: dict[str, Any]
) -> None:
    """Insert a document without its text; its ID must be unused."""
    values = {
        "id": document.id,
        "corpus_id": corpus_id,
        "owner": document.owner,
        "source": document.source,
        "title": document.title,
        "media_type": document.media_type,
        "sha256": document.sha256,
        "size": document.size,
        "page_count": document.page_count,
        "added_at": document.added_at,
        "warnings": nouns.pack_warnings(document.warnings),
        "state": state,
    }
    queries.change(ADD, values | counts)


def _count_metadata(queries: Queries, scope: Scope, fields: int, values: int) -> list[MetadataField]:
    """Return at most `fields` fields, each with at most `values` values."""
    condition = write_condition(scope)
    # A field has at most `values` rows, so the first rows contain the first fields.
    limits = {"most_values": values, "most_rows": fields * values}
    counted = queries.fetch(METADATA_COUNTS.format(condition=condition.sql), condition.values | limits)
    rows_by_name = [(name, list(group)) for name, group in groupby(counted, key=lambda row: row.name)]
    return [_build_field(name, group) for name, group in rows_by_name[:fields]]


def _build_field(name: str, group: Sequence[nouns.Row]) -> MetadataField:
    values = tuple(MetadataValue(row.value, row.documents) for row in group)
    return MetadataField(name, group[0].all_documents, group[0].distinct_values, values)
