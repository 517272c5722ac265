"""The SQLite file as the source of an external index, and that index's progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import apsw

from shisho.domain.corpus import PassageId
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.dense import DIMENSIONS, NEWEST, cosines, read_embeddings
from shisho.stores.embedded.lexical import read_entries
from shisho.stores.embedded.packed_vectors import unpack_vector
from shisho.stores.embedded.serving import choose_embedder
from shisho.stores.embedded.vectors import EmbeddedShelfView
from shisho.stores.indexing import (
    IndexFeedView,
    PassageEntry,
    PassageRef,
    VectorEntry,
)
from shisho.stores.sql.index_feed import StoredFeedView, StoredIndexFeed

T = TypeVar("T")

# The columns of an entry of a vector index.
VECTOR_COLUMNS = """e.seq, e.passage_id, e.vector, p.document_id, p.page, d.corpus_id, d.state
    FROM embeddings e JOIN embedders m ON m.id = e.embedder_id JOIN passages p ON p.id = e.passage_id
    JOIN documents d ON d.id = p.document_id"""
# List vectors after a given one, in order of arrival.
NEW_VECTORS = f"SELECT {VECTOR_COLUMNS} WHERE m.name = ? AND e.seq > ? ORDER BY e.seq LIMIT ?"
# List vectors of one document, if it is live.
VECTORS_OF = f"""SELECT {VECTOR_COLUMNS} WHERE m.name = ? AND e.seq > ? AND p.document_id = ? AND d.state = 'live'
    ORDER BY e.seq LIMIT ?"""
# Take the lease for applying changes, if nobody else holds it.
ACQUIRE_LEASE = """UPDATE outer_indexes SET holder = ?1, held_until = ?2
    WHERE name = ?3 AND (holder IN (?1, '') OR held_until < ?4)"""


class EmbeddedIndexFeed(StoredIndexFeed):
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
        super().__init__(EmbeddedQueryStore(database))
        self._database = database
        self._about = about
        self._is_usable = is_usable

    async def read(self, work: Callable[[IndexFeedView], T]) -> T:
        return await self._database.read(lambda connection: work(self._view(connection)))

    def _view(self, connection: apsw.Connection) -> EmbeddedFeedView:
        about = self._about
        serving = None if about is None else choose_embedder(connection, about, self._is_usable)
        return EmbeddedFeedView(connection, serving)

    async def acquire_lease(self, index: str, holder: str, seconds: float) -> bool:
        def write(connection: apsw.Connection) -> bool:
            now = self._database.read_timeline()
            connection.execute(ACQUIRE_LEASE, (holder, now + seconds, index, now))
            return connection.changes() > 0

        return await self._database.write(write)


class EmbeddedFeedView(StoredFeedView, EmbeddedShelfView):
    """`IndexFeedView` on a connection in a transaction."""

    def __init__(self, connection: apsw.Connection, serving: tuple[EmbedderAbout, bool] | None) -> None:
        super().__init__(connection)
        self._serving = serving

    def read_newest(self, embedder: str) -> tuple[int, int]:
        newest = rows.fetch_all(self._connection.execute(NEWEST, (embedder,)))[0]
        return newest.change, newest.vector

    def list_entries(self, document_id: str, after: int, limit: int) -> list[PassageEntry]:
        return read_entries(self._connection, document_id, after, limit)

    def list_vectors_of(self, document_id: str, embedder: str, after: int, limit: int) -> list[VectorEntry]:
        stored = self._connection.execute(VECTORS_OF, (embedder, after, document_id, limit))
        return [*map(_build_vector_entry, rows.fetch_all(stored))]

    def list_new_vectors(self, embedder: str, since: int, limit: int) -> tuple[list[VectorEntry], int]:
        stored = rows.fetch_all(self._connection.execute(NEW_VECTORS, (embedder, since, limit)))
        live = [_build_vector_entry(row) for row in stored if row.state == "live"]
        return live, stored[-1].seq if stored else since

    def find_dimensions(self, embedder: str) -> int:
        row = rows.fetch_first(self._connection.execute(DIMENSIONS, (embedder,)))
        return 0 if row is None else int(row.dimensions)

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
