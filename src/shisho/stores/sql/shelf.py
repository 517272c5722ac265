"""The shelf: what both databases read of it.

Each database stores texts and passages in its own way (`embedded/storing.py`, `postgres/storing.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from shisho.domain.corpus import Corpus, Document, DocumentId, Passage, PassageId, PrintedLine, Scope
from shisho.domain.metadata import MetadataField
from shisho.language.comparable import make_comparable
from shisho.stores import nouns
from shisho.stores.refusals import bound_ids, no_document, text_purged
from shisho.stores.sql.metadata import count_metadata
from shisho.stores.sql.queries import Queries, QueryStore, fetch_first
from shisho.stores.sql.scope import FROM_DOCUMENTS, READABLE, count_in, write_condition
from shisho.stores.sql.shelf_view import fetch_passages

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
FOLLOWING = """SELECT {columns}, q.id AS before FROM passages q JOIN documents d ON d.id = q.document_id
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


class StoredShelf(ABC):
    """The reading half of `ports.Shelf` over a database."""

    def __init__(self, store: QueryStore) -> None:
        self._store = store

    @abstractmethod
    def _read_text(self, queries: Queries, document_id: DocumentId) -> str:
        """Return the whole text of a document that was not purged."""

    @abstractmethod
    def _read_lines(self, queries: Queries, document_id: DocumentId) -> list[nouns.Row]:
        """Return rows with the packed lines of a document as `layout`, in order."""

    async def list_corpora(self, owner: str) -> Sequence[Corpus]:
        return await self._store.read(lambda queries: list_corpora(queries, owner))

    async def find_known(self, corpus: str, owner: str, sha256: str) -> Document | None:
        documents = await self._documents(KNOWN, {"sha256": sha256, "corpus": corpus, "owner": owner})
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
        return await self._documents(BY_PREFIX, values)

    async def find_by_source(self, name: str, owner: str) -> Sequence[Document]:
        return await self._documents(AT_PLACE, {"name": name, "reader": owner})

    async def find_removed(self, name: str, owner: str) -> Sequence[Document]:
        return await self._documents(REMOVED_FROM, {"name": name, "reader": owner})

    async def list_metadata_keys(self, owner: str) -> Sequence[str]:
        rows = await self._store.read(lambda queries: queries.rows(METADATA_KEYS, {"reader": owner}))
        return [row.key for row in rows]

    async def count_metadata(self, scope: Scope, fields: int, values: int) -> Sequence[MetadataField]:
        return await self._store.read(lambda queries: count_metadata(queries, scope, fields, values))

    async def list_documents(
        self, scope: Scope, after: str = "", limit: int = 100, *, removed: bool = False
    ) -> Sequence[Document]:
        condition = write_condition(scope, removed=removed)
        page = PAGE.replace("{condition}", condition.sql).replace("{later}", LATER if after else "")
        return await self._documents(page, condition.values | {"after": after, "limit": limit})

    async def read_text(self, document_id: DocumentId) -> str:
        def work(queries: Queries) -> str:
            row = fetch_first(queries, STATE, {"id": document_id})
            if row is None:
                raise no_document(document_id)
            if row.state == "purged":
                raise text_purged(document_id)
            return self._read_text(queries, document_id)

        return await self._store.read(work)

    async def read_lines(self, document_id: DocumentId) -> Sequence[PrintedLine]:
        parts = await self._store.read(lambda queries: self._read_lines(queries, document_id))
        return [line for part in parts for line in nouns.unpack_lines(part.layout)]

    async def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Passage]:
        return await self._store.read(lambda queries: fetch_passages(queries, ids))

    async def find_following(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Sequence[Passage]]:
        values = {"ids": [*map(nouns.passage_number, ids)]}
        after: dict[PassageId, list[Passage]] = {}
        for row in await self._passages(FOLLOWING, values):
            after.setdefault(nouns.passage_id(row.before), []).append(nouns.passage(row))
        return after

    async def list_passages_of(self, document_id: DocumentId) -> Sequence[Passage]:
        return [*map(nouns.passage, await self._passages(PASSAGES_OF, {"id": document_id}))]

    async def list_places(self, corpus: str, owner: str) -> Mapping[str, DocumentId]:
        values = {"owner": owner, "corpus": corpus}
        rows = await self._store.read(lambda queries: queries.rows(PLACES, values))
        return {row.source: DocumentId(row.document_id) for row in rows}

    async def count(self, scope: Scope) -> int:
        return await self._store.read(lambda queries: count_in(queries, scope))

    async def _documents(self, statement: str, values: Mapping[str, object]) -> list[Document]:
        rows = await self._store.read(
            lambda queries: queries.rows(statement.replace("{columns}", queries.document_columns), values)
        )
        return [*map(nouns.document, rows)]

    async def _passages(self, statement: str, values: Mapping[str, object]) -> list[nouns.Row]:
        return await self._store.read(
            lambda queries: queries.rows(statement.format(columns=queries.passage_columns), values)
        )


def list_corpora(queries: Queries, owner: str, name: str | None = None) -> list[Corpus]:
    """List the corpora that a reader may search, or the one with a given name."""
    rows = queries.rows(CORPORA, {"reader": owner, "name": name})
    return [Corpus(row.name, row.owner, row.documents, row.passages) for row in rows]


def find_document(queries: Queries, document_id: DocumentId) -> Document | None:
    """Return a document in any state."""
    row = fetch_first(queries, DOCUMENT.format(columns=queries.document_columns), {"id": document_id})
    return None if row is None else nouns.document(row)


def fetch_documents(queries: Queries, ids: Sequence[DocumentId]) -> dict[DocumentId, Document]:
    """Implement `Shelf.fetch_documents` in a transaction."""
    rows = queries.rows(DOCUMENTS.format(columns=queries.document_columns), {"ids": [*ids]})
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
