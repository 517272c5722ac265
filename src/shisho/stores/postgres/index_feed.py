"""The PostgreSQL database as the source of an external index, and that index's progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from shisho.domain.corpus import PassageId
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.stores.indexing import (
    IndexFeedView,
    PassageEntry,
    PassageRef,
    VectorEntry,
)
from shisho.stores.postgres import rows
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.embeddings import EMBEDDER, read_halfvec, table_of
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresShelfView
from shisho.stores.postgres.serving import PostgresServing, VectorTable
from shisho.stores.sql.index_feed import StoredFeedView, StoredIndexFeed

T = TypeVar("T")

# Read the number of the newest change of the shelf.
NEWEST = "SELECT coalesce(max(seq), 0) AS seq FROM changes"
# Read the number of the newest vector; the table is filled in.
NEWEST_VECTOR = "SELECT coalesce(max(seq), 0) AS seq FROM {table}"
# List passages of a live document after a given one, as index entries.
ENTRIES_OF = """SELECT d.corpus_id, p.document_id, p.id AS passage_id, p.page, p.bigrams, p.ordinal, v.terms, v.heading
    FROM documents d JOIN passages p ON p.document_id = d.id JOIN term_vectors v ON v.passage_id = p.id
    WHERE d.id = %s AND d.state = 'live' AND p.ordinal > %s ORDER BY p.ordinal LIMIT %s"""
# The columns of an entry of a vector index; the table is filled in.
VECTOR_COLUMNS = """SELECT v.seq, v.passage_id, halfvec_send(v.vector) AS vector, v.document_id, v.page, d.corpus_id, d.state
    FROM {table} v JOIN documents d ON d.id = v.document_id"""
# List vectors after a given one, in order of arrival.
NEW_VECTORS = f"{VECTOR_COLUMNS} WHERE v.seq > %s ORDER BY v.seq LIMIT %s"
# List vectors of one document, if it is live.
VECTORS_OF = f"""{VECTOR_COLUMNS} WHERE v.seq > %s AND v.document_id = %s AND d.state = 'live' ORDER BY v.seq LIMIT %s"""
# Take the lease for applying changes, if nobody else holds it.
ACQUIRE_LEASE = """UPDATE outer_indexes
    SET holder = %(holder)s, held_until = clock_timestamp() + make_interval(secs => %(seconds)s)
    WHERE name = %(index)s AND (holder IN (%(holder)s, '') OR held_until < clock_timestamp())"""


class PostgresIndexFeed(StoredIndexFeed):
    """`IndexFeed` over PostgreSQL. `serving` selects the vectors that searches use, if any."""

    def __init__(self, database: PostgresDatabase, serving: PostgresServing | None = None) -> None:
        super().__init__(PostgresQueryStore(database))
        self._database = database
        self._serving = serving

    async def read(self, work: Callable[[IndexFeedView], T]) -> T:
        def look(connection: Connection) -> T:
            table = None if self._serving is None else self._serving.table(connection)
            return work(PostgresFeedView(connection, table))

        return await self._database.read(look)

    async def acquire_lease(self, index: str, holder: str, seconds: float) -> bool:
        values = {"index": index, "holder": holder, "seconds": seconds}
        return await self._database.write(
            lambda connection: rows.change(connection, ACQUIRE_LEASE, values) > 0
        )


class PostgresFeedView(StoredFeedView, PostgresShelfView):
    """`IndexFeedView` on a connection in a transaction."""

    def __init__(self, connection: Connection, table: VectorTable | None) -> None:
        super().__init__(connection)
        self._table = table

    def read_newest(self, embedder: str) -> tuple[int, int]:
        change = int(rows.fetch_all(self._connection, NEWEST)[0].seq)
        table = self._find_table(embedder)
        if table is None:
            return change, 0
        return change, int(rows.fetch_all(self._connection, NEWEST_VECTOR.format(table=table))[0].seq)

    def list_entries(self, document_id: str, after: int, limit: int) -> list[PassageEntry]:
        stored = rows.fetch_all(self._connection, ENTRIES_OF, (document_id, after, limit))
        return [
            PassageEntry(_place(row), row.ordinal, bytes(row.terms), bytes(row.heading), row.bigrams)
            for row in stored
        ]

    def list_vectors_of(self, document_id: str, embedder: str, after: int, limit: int) -> list[VectorEntry]:
        return [
            *map(_build_vector_entry, self._list_vectors(VECTORS_OF, embedder, (after, document_id, limit)))
        ]

    def list_new_vectors(self, embedder: str, since: int, limit: int) -> tuple[list[VectorEntry], int]:
        stored = self._list_vectors(NEW_VECTORS, embedder, (since, limit))
        live = [_build_vector_entry(row) for row in stored if row.state == "live"]
        return live, stored[-1].seq if stored else since

    def find_dimensions(self, embedder: str) -> int:
        row = rows.fetch_first(self._connection, EMBEDDER, (embedder,))
        return 0 if row is None else int(row.dimensions)

    def find_serving(self) -> tuple[EmbedderAbout, bool] | None:
        return None if self._table is None else (self._table.about, True)

    def measure_similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        return {} if self._table is None else self._table.measure_similarities(self._connection, vector, ids)

    def read_embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        return {} if self._table is None else self._table.read_embeddings(self._connection, ids)

    def _list_vectors(self, statement: str, embedder: str, values: tuple[Any, ...]) -> list[rows.Row]:
        table = self._find_table(embedder)
        if table is None:
            return []
        query = statement.format(table=table)
        return self._connection.execute(query.encode(), values, binary=True).fetchall()

    def _find_table(self, embedder: str) -> str | None:
        row = rows.fetch_first(self._connection, EMBEDDER, (embedder,))
        return None if row is None else table_of(row.id, row.dimensions)


def _place(row: rows.Row) -> PassageRef:
    return PassageRef(row.passage_id, row.document_id, row.corpus_id, row.page)


def _build_vector_entry(row: rows.Row) -> VectorEntry:
    """Build a vector entry from the columns of `VECTOR_COLUMNS`."""
    return VectorEntry(_place(row), row.seq, read_halfvec(row.vector))
