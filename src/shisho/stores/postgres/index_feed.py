"""The PostgreSQL database as the source of an external index, and that index's progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
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
from shisho.stores.postgres import rows
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.embeddings import EMBEDDER, read_halfvec, table_of
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresShelfView
from shisho.stores.postgres.serving import PostgresServing, VectorTable
from shisho.stores.sql.scope import READABLE, read_index_scope

T = TypeVar("T")

# Read the progress of an index.
MARK = "SELECT generation, change, vector FROM outer_indexes WHERE name = %s"
# Read the progress of all indexes whose names begin with a prefix.
MARKS = "SELECT name, generation, change, vector FROM outer_indexes WHERE starts_with(name, %s)"
# Read the number of the newest change of the shelf.
NEWEST = "SELECT coalesce(max(seq), 0) AS seq FROM changes"
# Read the number of the newest vector; the table is filled in.
NEWEST_VECTOR = "SELECT coalesce(max(seq), 0) AS seq FROM {table}"
# List the changes of the shelf after a given one, oldest first.
CHANGED = """SELECT c.seq, c.document_id, d.state FROM changes c LEFT JOIN documents d ON d.id = c.document_id
    WHERE c.seq > %s ORDER BY c.seq LIMIT %s"""
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
# Count the passages that a reader may search and that contain each word.
WORDS = f"""SELECT code, CAST(sum(passages) AS bigint) AS passages FROM outer_words
    WHERE name = :index AND corpus_id IN ({READABLE}) AND code IN (SELECT value FROM json_each(:codes)) GROUP BY code"""
# Delete an index, and with it all of its records.
FORGET = "DELETE FROM outer_indexes WHERE name = %s"
# Add an index.
BEGIN = "INSERT INTO outer_indexes(name, generation, change, vector) VALUES (%s, %s, %s, %s)"
# Take the lease for applying changes, if nobody else holds it.
ACQUIRE_LEASE = """UPDATE outer_indexes
    SET holder = %(holder)s, held_until = clock_timestamp() + make_interval(secs => %(seconds)s)
    WHERE name = %(index)s AND (holder IN (%(holder)s, '') OR held_until < clock_timestamp())"""
# Release the lease.
GIVE_BACK = "UPDATE outer_indexes SET holder = '', held_until = '-infinity' WHERE name = %s AND holder = %s"
# Advance the progress of an index, if it is at the expected position.
ADVANCE = """UPDATE outer_indexes SET change = %s, vector = %s
    WHERE name = %s AND generation = %s AND change = %s AND vector = %s"""
# Read the recorded words of some documents.
TAKEN_IN = "SELECT corpus_id, words FROM outer_documents WHERE name = %s AND document_id = ANY(%s)"
# Delete the records of some documents.
LEAVE = "DELETE FROM outer_documents WHERE name = %s AND document_id = ANY(%s)"
# Record the words of an indexed document.
ENTER = "INSERT INTO outer_documents(name, document_id, corpus_id, words) VALUES (%s, %s, %s, %s)"
# Add to the number of passages of a corpus that contain each word, or subtract from it.
COUNT = """INSERT INTO outer_words(name, corpus_id, code, passages)
    SELECT %s, given.corpus_id, given.code, given.passages
    FROM unnest(%s::integer[], %s::bigint[], %s::bigint[]) AS given(corpus_id, code, passages)
    ON CONFLICT (name, corpus_id, code) DO UPDATE SET passages = outer_words.passages + excluded.passages"""
# Delete the words that no passage of a corpus contains any more.
DROP = """DELETE FROM outer_words w USING unnest(%s::integer[], %s::bigint[]) AS given(corpus_id, code)
    WHERE w.name = %s AND w.corpus_id = given.corpus_id AND w.code = given.code AND w.passages <= 0"""


class PostgresIndexFeed:
    """`IndexFeed` over PostgreSQL. `serving` selects the vectors that searches use, if any."""

    def __init__(self, database: PostgresDatabase, serving: PostgresServing | None = None) -> None:
        self._database = database
        self._serving = serving

    async def read(self, work: Callable[[IndexFeedView], T]) -> T:
        def look(connection: Connection) -> T:
            table = None if self._serving is None else self._serving.table(connection)
            return work(PostgresFeedView(connection, table))

        return await self._database.read(look)

    async def begin(self, index: str, mark: IndexMark) -> None:
        def write(connection: Connection) -> None:
            rows.change(connection, FORGET, (index,))
            rows.change(connection, BEGIN, (index, mark.generation, mark.change, mark.vector))

        await self._database.write(write)

    async def forget(self, index: str) -> None:
        await self._database.write(lambda connection: rows.change(connection, FORGET, (index,)))

    async def take_turn(self, index: str, holder: str, seconds: float) -> bool:
        values = {"index": index, "holder": holder, "seconds": seconds}
        return await self._database.write(
            lambda connection: rows.change(connection, ACQUIRE_LEASE, values) > 0
        )

    async def give_back(self, index: str, holder: str) -> None:
        await self._database.write(lambda connection: rows.change(connection, GIVE_BACK, (index, holder)))

    async def advance(
        self, index: str, before: IndexMark, after: IndexMark, words: Mapping[str, DocumentWords | None]
    ) -> bool:
        def write(connection: Connection) -> bool:
            place = (index, before.generation, before.change, before.vector)
            if not rows.change(connection, ADVANCE, (after.change, after.vector, *place)):
                return False
            if words:
                _enter(connection, index, words)
            return True

        return await self._database.write(write)


class PostgresFeedView(PostgresShelfView):
    """`IndexFeedView` on a connection in a transaction."""

    def __init__(self, connection: Connection, table: VectorTable | None) -> None:
        super().__init__(connection)
        self._table = table

    def mark(self, index: str) -> IndexMark | None:
        row = rows.fetch_first(self._connection, MARK, (index,))
        return None if row is None else IndexMark(row.generation, row.change, row.vector)

    def list_marks(self, beginning: str) -> Mapping[str, IndexMark]:
        stored = rows.fetch_all(self._connection, MARKS, (beginning,))
        return {row.name: IndexMark(row.generation, row.change, row.vector) for row in stored}

    def read_newest(self, embedder: str) -> tuple[int, int]:
        change = int(rows.fetch_all(self._connection, NEWEST)[0].seq)
        table = self._find_table(embedder)
        if table is None:
            return change, 0
        return change, int(rows.fetch_all(self._connection, NEWEST_VECTOR.format(table=table))[0].seq)

    def list_changed(self, since: int, limit: int) -> list[ChangedDocument]:
        stored = rows.fetch_all(self._connection, CHANGED, (since, limit))
        return [ChangedDocument(row.seq, row.document_id, row.state == "live") for row in stored]

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

    def list_arrived_vectors(self, embedder: str, since: int, limit: int) -> tuple[list[VectorEntry], int]:
        stored = self._list_vectors(NEW_VECTORS, embedder, (since, limit))
        live = [_build_vector_entry(row) for row in stored if row.state == "live"]
        return live, stored[-1].seq if stored else since

    def find_dimensions(self, embedder: str) -> int:
        row = rows.fetch_first(self._connection, EMBEDDER, (embedder,))
        return 0 if row is None else int(row.dimensions)

    def count_passages_with(self, index: str, codes: Sequence[int], scope: Scope) -> Mapping[int, int]:
        values = {"index": index, "reader": scope.owner, "codes": [*codes]}
        stored = self._queries.fetch(WORDS, values)
        return dict.fromkeys(codes, 0) | {row.code: row.passages for row in stored}

    def index_scope(self, scope: Scope) -> IndexScope:
        return read_index_scope(self._queries, scope)

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


def _enter(connection: Connection, index: str, words: Mapping[str, DocumentWords | None]) -> None:
    """Record the words of documents, replacing earlier records."""
    names = list(words)
    before = [(row.corpus_id, row.words) for row in rows.fetch_all(connection, TAKEN_IN, (index, names))]
    rows.change(connection, LEAVE, (index, names))
    for document_id, entered in words.items():
        if entered is not None:
            packed = pack_words(entered.passages)
            rows.change(connection, ENTER, (index, document_id, entered.corpus, packed))
    changes = differences_of(before, words.values())
    corpora, codes, counts = ([*column] for column in zip(*changes, strict=True)) if changes else ([], [], [])
    rows.change(connection, COUNT, (index, corpora, codes, counts))
    fewer = [(corpus, code) for corpus, code, count in changes if count < 0]
    rows.change(connection, DROP, ([corpus for corpus, _ in fewer], [code for _, code in fewer], index))
