"""The SQLite file as the source of an external index, and that index's progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import apsw

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.dense import DIMENSIONS, NEWEST, cosines, read_embeddings
from shisho.stores.embedded.lexical import CHANGED, read_entries
from shisho.stores.embedded.packed_vectors import unpack_vector
from shisho.stores.embedded.serving import choose_embedder
from shisho.stores.embedded.vectors import EmbeddedShelfView
from shisho.stores.indexing import (
    ChangedDocument,
    DocumentWords,
    IndexFeedView,
    IndexMark,
    IndexScope,
    PassageEntry,
    PassageRef,
    VectorEntry,
    differences_of,
    pack_words,
)
from shisho.stores.sql.scope import READABLE, read_index_scope

T = TypeVar("T")

# Read the progress of an index.
MARK = "SELECT generation, change, vector FROM outer_indexes WHERE name = ?"
# Read the progress of all indexes whose names begin with a prefix.
MARKS = "SELECT name, generation, change, vector FROM outer_indexes WHERE substr(name, 1, length(?1)) = ?1"
# Count the passages that a reader may search and that contain each word.
WORDS = f"""SELECT code, sum(passages) AS passages FROM outer_words
    WHERE name = :index AND corpus_id IN ({READABLE}) AND code IN (SELECT value FROM json_each(:codes)) GROUP BY code"""
# The columns of an entry of a vector index.
VECTOR_COLUMNS = """e.seq, e.passage_id, e.vector, p.document_id, p.page, d.corpus_id, d.state
    FROM embeddings e JOIN embedders m ON m.id = e.embedder_id JOIN passages p ON p.id = e.passage_id
    JOIN documents d ON d.id = p.document_id"""
# List vectors after a given one, in order of arrival.
NEW_VECTORS = f"SELECT {VECTOR_COLUMNS} WHERE m.name = ? AND e.seq > ? ORDER BY e.seq LIMIT ?"
# List vectors of one document, if it is live.
VECTORS_OF = f"""SELECT {VECTOR_COLUMNS} WHERE m.name = ? AND e.seq > ? AND p.document_id = ? AND d.state = 'live'
    ORDER BY e.seq LIMIT ?"""
# Delete an index, and with it all of its records.
FORGET = "DELETE FROM outer_indexes WHERE name = ?"
# Add an index.
BEGIN = "INSERT INTO outer_indexes(name, generation, change, vector) VALUES (?, ?, ?, ?)"
# Take the lease for applying changes, if nobody else holds it.
ACQUIRE_LEASE = """UPDATE outer_indexes SET holder = ?1, held_until = ?2
    WHERE name = ?3 AND (holder IN (?1, '') OR held_until < ?4)"""
# Release the lease.
GIVE_BACK = "UPDATE outer_indexes SET holder = '', held_until = 0 WHERE name = ? AND holder = ?"
# Advance the progress of an index, if it is at the expected position.
ADVANCE = """UPDATE outer_indexes SET change = ?, vector = ?
    WHERE name = ? AND generation = ? AND change = ? AND vector = ?"""
# Read the recorded words of some documents.
TAKEN_IN = f"SELECT corpus_id, words FROM outer_documents WHERE name = ? AND document_id IN {rows.ANY_OF}"
# Delete the records of some documents.
LEAVE = f"DELETE FROM outer_documents WHERE name = ? AND document_id IN {rows.ANY_OF}"
# Record the words of an indexed document.
ENTER = "INSERT INTO outer_documents(name, document_id, corpus_id, words) VALUES (?, ?, ?, ?)"
# Add to the number of passages of a corpus that contain a word, or subtract from it.
COUNT = """INSERT INTO outer_words(name, corpus_id, code, passages) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET passages = passages + excluded.passages"""
# Delete a word that no passage of a corpus contains any more.
DROP = "DELETE FROM outer_words WHERE name = ? AND corpus_id = ? AND code = ? AND passages <= 0"


class EmbeddedIndexFeed:
    """`IndexFeed` over one SQLite file.

    `about` is the configured embedder; `is_usable` tests whether queries can still be embedded by an earlier
    one.
    """

    def __init__(
        self,
        database: Database,
        about: EmbedderAbout | None = None,
        is_usable: Callable[[EmbedderAbout], bool] = lambda about: False,
    ) -> None:
        self._database = database
        self._about = about
        self._is_usable = is_usable

    async def read(self, work: Callable[[IndexFeedView], T]) -> T:
        return await self._database.read(lambda connection: work(self._view(connection)))

    def _view(self, connection: apsw.Connection) -> EmbeddedFeedView:
        about = self._about
        serving = None if about is None else choose_embedder(connection, about, self._is_usable)
        return EmbeddedFeedView(connection, serving)

    async def begin(self, index: str, mark: IndexMark) -> None:
        def write(connection: apsw.Connection) -> None:
            connection.execute(FORGET, (index,))
            connection.execute(BEGIN, (index, mark.generation, mark.change, mark.vector))

        await self._database.write(write)

    async def forget(self, index: str) -> None:
        await self._database.write(lambda connection: connection.execute(FORGET, (index,)))

    async def take_turn(self, index: str, holder: str, seconds: float) -> bool:
        def write(connection: apsw.Connection) -> bool:
            now = self._database.read_timeline()
            connection.execute(ACQUIRE_LEASE, (holder, now + seconds, index, now))
            return connection.changes() > 0

        return await self._database.write(write)

    async def give_back(self, index: str, holder: str) -> None:
        await self._database.write(lambda connection: connection.execute(GIVE_BACK, (index, holder)))

    async def advance(
        self, index: str, before: IndexMark, after: IndexMark, words: Mapping[str, DocumentWords | None]
    ) -> bool:
        def write(connection: apsw.Connection) -> bool:
            place = (index, before.generation, before.change, before.vector)
            connection.execute(ADVANCE, (after.change, after.vector, *place))
            if not connection.changes():
                return False
            if words:
                _enter(connection, index, words)
            return True

        return await self._database.write(write)


class EmbeddedFeedView(EmbeddedShelfView):
    """`IndexFeedView` on a connection in a transaction."""

    def __init__(self, connection: apsw.Connection, serving: tuple[EmbedderAbout, bool] | None) -> None:
        super().__init__(connection)
        self._serving = serving

    def mark(self, index: str) -> IndexMark | None:
        row = rows.fetch_first(self._connection.execute(MARK, (index,)))
        return None if row is None else IndexMark(row.generation, row.change, row.vector)

    def list_marks(self, beginning: str) -> Mapping[str, IndexMark]:
        stored = rows.fetch_all(self._connection.execute(MARKS, (beginning,)))
        return {row.name: IndexMark(row.generation, row.change, row.vector) for row in stored}

    def read_newest(self, embedder: str) -> tuple[int, int]:
        newest = rows.fetch_all(self._connection.execute(NEWEST, (embedder,)))[0]
        return newest.change, newest.vector

    def list_changed(self, since: int, limit: int) -> list[ChangedDocument]:
        stored = rows.fetch_all(self._connection.execute(CHANGED, (since, limit)))
        return [ChangedDocument(row.seq, row.document_id, row.state == "live") for row in stored]

    def list_entries(self, document_id: str, after: int, limit: int) -> list[PassageEntry]:
        return read_entries(self._connection, document_id, after, limit)

    def list_vectors_of(self, document_id: str, embedder: str, after: int, limit: int) -> list[VectorEntry]:
        stored = self._connection.execute(VECTORS_OF, (embedder, after, document_id, limit))
        return [*map(_build_vector_entry, rows.fetch_all(stored))]

    def list_arrived_vectors(self, embedder: str, since: int, limit: int) -> tuple[list[VectorEntry], int]:
        stored = rows.fetch_all(self._connection.execute(NEW_VECTORS, (embedder, since, limit)))
        live = [_build_vector_entry(row) for row in stored if row.state == "live"]
        return live, stored[-1].seq if stored else since

    def find_dimensions(self, embedder: str) -> int:
        row = rows.fetch_first(self._connection.execute(DIMENSIONS, (embedder,)))
        return 0 if row is None else int(row.dimensions)

    def count_passages_with(self, index: str, codes: Sequence[int], scope: Scope) -> Mapping[int, int]:
        values = {"index": index, "reader": scope.owner, "codes": [*codes]}
        stored = self._queries.fetch(WORDS, values)
        return dict.fromkeys(codes, 0) | {row.code: row.passages for row in stored}

    def index_scope(self, scope: Scope) -> IndexScope:
        return read_index_scope(self._queries, scope)

    def find_serving(self) -> tuple[EmbedderAbout, bool] | None:
        return self._serving

    def measure_similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        return {} if self._serving is None else cosines(self._connection, self._serving[0].name, vector, ids)

    def read_embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        if self._serving is None:
            return {}
        return read_embeddings(self._connection, self._serving[0].name, ids)


def _build_vector_entry(row: rows.Row) -> VectorEntry:
    """Build a vector entry from the columns of `VECTOR_COLUMNS`."""
    place = PassageRef(row.passage_id, row.document_id, row.corpus_id, row.page)
    return VectorEntry(place, row.seq, unpack_vector(row.vector))


def _enter(connection: apsw.Connection, index: str, words: Mapping[str, DocumentWords | None]) -> None:
    """Record the words of documents, replacing earlier records."""
    listed = rows.bind_list(words)
    before = [
        (row.corpus_id, row.words) for row in rows.fetch_all(connection.execute(TAKEN_IN, (index, listed)))
    ]
    connection.execute(LEAVE, (index, listed))
    for document_id, entered in words.items():
        if entered is not None:
            connection.execute(ENTER, (index, document_id, entered.corpus, pack_words(entered.passages)))
    changes = [(index, *change) for change in differences_of(before, words.values())]
    connection.executemany(COUNT, changes)
    connection.executemany(DROP, [change[:3] for change in changes if change[3] < 0])
