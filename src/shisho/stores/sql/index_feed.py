"""The database as the source of an external index, and that index's progress."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from shisho.domain.corpus import Scope
from shisho.stores.indexing import (
    ChangedDocument,
    DocumentWords,
    IndexMark,
    IndexScope,
    differences_of,
    pack_words,
)
from shisho.stores.sql import Queries, QueryStore, fetch_first
from shisho.stores.sql.scope import READABLE, read_index_scope
from shisho.stores.sql.shelf_view import ShelfView

# Read the progress of an index.
MARK = "SELECT generation, change, vector FROM outer_indexes WHERE name = :index"
# Read the progress of all indexes whose names begin with a prefix.
MARKS = """SELECT name, generation, change, vector FROM outer_indexes
    WHERE substr(name, 1, length(CAST(:beginning AS text))) = :beginning"""
# List the changes of the shelf after a given one, oldest first.
CHANGED = """SELECT c.seq, c.document_id, d.state FROM changes c LEFT JOIN documents d ON d.id = c.document_id
    WHERE c.seq > :since ORDER BY c.seq LIMIT :most"""
# Count the passages that a reader may search and that contain each word.
WORDS = f"""SELECT code, CAST(sum(passages) AS bigint) AS passages FROM outer_words
    WHERE name = :index AND corpus_id IN ({READABLE}) AND code IN (SELECT value FROM json_each(:codes)) GROUP BY code"""
# Delete an index, and with it all of its records.
FORGET = "DELETE FROM outer_indexes WHERE name = :index"
# Add an index.
BEGIN = """INSERT INTO outer_indexes(name, generation, change, vector)
    VALUES (:index, :generation, :change, :vector)"""
# Release the lease.
RELEASE_LEASE = "UPDATE outer_indexes SET holder = '' WHERE name = :index AND holder = :holder"
# Advance the progress of an index, if it is at the expected position.
ADVANCE = """UPDATE outer_indexes SET change = :new_change, vector = :new_vector
    WHERE name = :index AND generation = :generation AND change = :change AND vector = :vector"""
# Read the recorded words of some documents.
INDEXED_DOCUMENTS = """SELECT corpus_id, words FROM outer_documents
    WHERE name = :index AND document_id IN (SELECT value FROM json_each(:documents))"""
# Delete the records of some documents.
LEAVE = """DELETE FROM outer_documents
    WHERE name = :index AND document_id IN (SELECT value FROM json_each(:documents))"""
# Record the words of an indexed document.
ENTER = """INSERT INTO outer_documents(name, document_id, corpus_id, words)
    VALUES (:index, :document_id, :corpus_id, :words)"""
# Add to the number of passages of a corpus that contain each word, or subtract from it.
COUNT = """INSERT INTO outer_words(name, corpus_id, code, passages)
    SELECT :index, CAST(value ->> 0 AS integer), CAST(value ->> 1 AS bigint), CAST(value ->> 2 AS bigint)
    FROM json_each(:counts) WHERE true
    ON CONFLICT (name, corpus_id, code) DO UPDATE SET passages = outer_words.passages + excluded.passages"""
# Delete the words that no passage of a corpus contains any more.
DROP = """DELETE FROM outer_words WHERE name = :index AND passages <= 0 AND (corpus_id, code) IN
    (SELECT CAST(value ->> 0 AS integer), CAST(value ->> 1 AS bigint) FROM json_each(:counts))"""


class StoredIndexFeed:
    """The part of an `IndexFeed` that is the same for both databases."""

    def __init__(self, store: QueryStore) -> None:
        self._store = store

    async def begin(self, index: str, mark: IndexMark) -> None:
        def write(queries: Queries) -> None:
            queries.change(FORGET, {"index": index})
            queries.change(BEGIN, _place(index, mark))

        await self._store.write(write)

    async def forget(self, index: str) -> None:
        await self._store.write(lambda queries: queries.change(FORGET, {"index": index}))

    async def release_lease(self, index: str, holder: str) -> None:
        values = {"index": index, "holder": holder}
        await self._store.write(lambda queries: queries.change(RELEASE_LEASE, values))

    async def advance(
        self, index: str, before: IndexMark, after: IndexMark, words: Mapping[str, DocumentWords | None]
    ) -> bool:
        values = {**_place(index, before), "new_change": after.change, "new_vector": after.vector}

        def write(queries: Queries) -> bool:
            if not queries.change(ADVANCE, values):
                return False
            if words:
                _enter(queries, index, words)
            return True

        return await self._store.write(write)


class StoredFeedView(ShelfView):
    """The part of an `IndexFeedView` that is the same for both databases."""

    def mark(self, index: str) -> IndexMark | None:
        row = fetch_first(self._queries, MARK, {"index": index})
        return None if row is None else IndexMark(row.generation, row.change, row.vector)

    def list_marks(self, beginning: str) -> Mapping[str, IndexMark]:
        stored = self._queries.fetch(MARKS, {"beginning": beginning})
        return {row.name: IndexMark(row.generation, row.change, row.vector) for row in stored}

    def list_changed(self, since: int, limit: int) -> list[ChangedDocument]:
        stored = self._queries.fetch(CHANGED, {"since": since, "most": limit})
        return [ChangedDocument(row.seq, row.document_id, row.state == "live") for row in stored]

    def count_passages_with(self, index: str, codes: Sequence[int], scope: Scope) -> Mapping[int, int]:
        values = {"index": index, "reader": scope.owner, "codes": [*codes]}
        stored = self._queries.fetch(WORDS, values)
        return dict.fromkeys(codes, 0) | {row.code: row.passages for row in stored}

    def index_scope(self, scope: Scope) -> IndexScope:
        return read_index_scope(self._queries, scope)


def _place(index: str, mark: IndexMark) -> dict[str, str | int]:
    return {"index": index, "generation": mark.generation, "change": mark.change, "vector": mark.vector}


def _enter(queries: Queries, index: str, words: Mapping[str, DocumentWords | None]) -> None:
    """Record the words of documents, replacing earlier records."""
    values = {"index": index, "documents": [*words]}
    before = [(row.corpus_id, row.words) for row in queries.fetch(INDEXED_DOCUMENTS, values)]
    queries.change(LEAVE, values)
    entered = [
        {
            "index": index,
            "document_id": document_id,
            "corpus_id": document.corpus,
            "words": pack_words(document.passages),
        }
        for document_id, document in words.items()
        if document is not None
    ]
    queries.change_each(ENTER, entered)
    changes = differences_of(before, words.values())
    fewer = [(corpus, code, count) for corpus, code, count in changes if count < 0]
    queries.change(COUNT, {"index": index, "counts": json.dumps(changes)})
    queries.change(DROP, {"index": index, "counts": json.dumps(fewer)})
