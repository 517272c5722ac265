"""Vector search: exact among few vectors, with pgvector's graph among many.

This module also selects the embedder whose vectors searches use.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

import psycopg

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.messages import Message
from shisho.records import dataclass
from shisho.stores.indexing import choose_serving
from shisho.stores.nouns import passage_id
from shisho.stores.postgres import rows
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.embeddings import halfvec_text, read_halfvec, table_of
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.sql.scope import FROM_DOCUMENTS, count_in, write_passage_condition
from shisho.telemetry import log, span

# Vectors in scope: fewer are compared one by one. 100,000 vectors of 256 numbers take 40 to 50 ms of CPU, the
# graph takes 9 (measured).
GRAPH_FROM = 100_000
SELECTIVE = 0.1  # of all vectors: below this share, a graph search mostly visits vectors out of scope
# A graph search that must exclude the nearest vectors finds few others. With 500 excluded it missed three of
# the ten nearest, and at its widest setting more than a third of the hundred nearest, for as much CPU as an
# exact comparison of 100,000. Seen passages far from the query do no harm.
MAX_LEFT_OUT = 100
MAX_PROBED = 40  # vectors to check if more were seen: a quarter of a graph search, usually decisive
# Oversampling factor, relative to a uniform distribution of the scope among all vectors.
MARGIN = 2
MIN_CANDIDATES = 200
MAX_CANDIDATES = 1_000  # the maximum that pgvector allows

# List the embedders whose vectors can be used, the most complete first, and whether each is complete.
EMBEDDERS = """SELECT id, name, choice, dimensions, seen >= (SELECT coalesce(max(seq), 0) FROM changes) AS is_whole
    FROM embedders ORDER BY seen DESC, id DESC"""
# Check whether there is any vector; the table is filled in.
HAS_VECTORS = "SELECT EXISTS (SELECT 1 FROM {table}) AS has"
# Check whether vectors have a valid graph, or one whose build was started.
FACTS = """SELECT to_regclass(%(graph)s) IS NOT NULL
        AND (SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass(%(graph)s)) AS has_graph,
    to_regclass(%(graph)s) IS NOT NULL AS has_begun"""
# Read the number of the newest vector.
NEWEST = "SELECT coalesce(max(seq), 0) AS vectors FROM {table}"
# Compare every vector, and check only the nearest for scope: if most are in scope, this is cheaper than a
# join with the documents. A graph orders by plain distance only.
NEAREST = f"""WITH nearest AS MATERIALIZED (
        SELECT v.passage_id, v.document_id, v.page, -(v.vector <#> CAST(:vector AS halfvec)) AS cosine FROM {{table}} v
        ORDER BY cosine DESC, v.passage_id LIMIT :most)
    SELECT p.passage_id, p.cosine {FROM_DOCUMENTS} JOIN nearest p ON p.document_id = d.id
    WHERE {{condition}}
    AND p.passage_id NOT IN (SELECT value FROM json_each(:left_out))
    ORDER BY p.cosine DESC, p.passage_id LIMIT :limit"""
# Compare every vector in scope.
EXACT = f"""SELECT p.passage_id, -(p.vector <#> CAST(:vector AS halfvec)) AS cosine
    {FROM_DOCUMENTS} JOIN {{table}} p ON p.document_id = d.id
    WHERE {{condition}}
    AND p.passage_id NOT IN (SELECT value FROM json_each(:left_out))
    ORDER BY cosine DESC, p.passage_id LIMIT :limit"""
# Follow the graph until enough vectors in scope are found, seen or not.
ALONG_GRAPH = f"""SELECT p.passage_id, -(p.vector <#> CAST(:vector AS halfvec)) AS cosine FROM {{table}} p
    CROSS JOIN LATERAL (SELECT 1 {FROM_DOCUMENTS} WHERE d.id = p.document_id AND {{condition}} LIMIT 1) AS found
    ORDER BY p.vector <#> CAST(:vector AS halfvec) LIMIT :limit"""
# Set the search width; without the planner settings, a planner without statistics may sort all vectors.
WIDTH = """SET LOCAL hnsw.ef_search = {candidates}; SET LOCAL hnsw.iterative_scan = relaxed_order;
    SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off"""
# Restore the planner settings before an exact comparison.
RESET_PLANNER = "SET LOCAL enable_sort = DEFAULT; SET LOCAL enable_seqscan = DEFAULT"
# Scan tables up to this size in one process: for 100,000 vectors of 256 numbers (63 MB) three processes take
# 54 to 72 ms of CPU in total, one takes 42 (measured), and on a busy machine parallel workers start late.
WITHOUT_PARALLEL = "SET LOCAL min_parallel_table_scan_size = '128MB'"
# Compute the cosines of some passages.
SIMILARITIES = """SELECT v.passage_id, -(v.vector <#> %s::halfvec) AS cosine FROM {table} v
    WHERE v.passage_id = ANY(%s)"""
# Read the vectors of some passages, as big-endian bytes after a four-byte header with the dimensions.
STORED = (
    """SELECT v.passage_id, halfvec_send(v.vector) AS vector FROM {table} v WHERE v.passage_id = ANY(%s)"""
)
# Build the graph without blocking writers. A failed earlier build leaves an invalid index.
NEW_GRAPH = """CREATE INDEX CONCURRENTLY IF NOT EXISTS {table}_graph ON {table}
    USING hnsw (vector halfvec_ip_ops) WITH (m = 16, ef_construction = 64)"""
# Check whether a build is running.
IS_BUILT = "SELECT EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE relid = to_regclass(%s)) AS yes"
# Drop the index that a failed build left.
DROP_GRAPH = "DROP INDEX CONCURRENTLY IF EXISTS {table}_graph"
# A build may take any time.
NO_LIMIT = "SET statement_timeout = 0"


@dataclass(frozen=True, slots=True)
class EmbedderRow:
    """An embedder that has a table of vectors."""

    name: str
    choice: str
    table: str
    is_whole: bool
    has_vectors: bool


@dataclass(frozen=True, slots=True)
class VectorTable:
    """The vectors of an embedder."""

    about: EmbedderAbout
    name: str
    graph_from: int

    def find_nearest(
        self,
        connection: Connection,
        vector: Embedding,
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> dict[PassageId, float]:
        """Implement `ports.SearchView.find_nearest`."""
        condition, values = write_passage_condition(scope)
        bound = values | {"vector": halfvec_text(vector)}
        share = self._share_for_graph(connection, scope)
        if share:
            along = _Graph(connection, ALONG_GRAPH.format(table=self.name, condition=condition), bound)
            with span("dense.graph"):
                nearest = along.find_unseen(limit, passage_ids)
            if nearest is not None:
                return nearest
            rows.change(connection, RESET_PLANNER)
        comparison = _Comparison(connection, self.name, condition, bound)
        with span("dense.exact"):
            return comparison.find_unseen(limit, rows.numbers_of(passage_ids), share)

    def measure_similarities(
        self, connection: Connection, vector: Embedding, ids: Sequence[PassageId]
    ) -> dict[PassageId, float]:
        """Implement `ports.SearchView.measure_similarities`."""
        values = (halfvec_text(vector), rows.numbers_of(ids))
        return _map_cosines(rows.fetch_all(connection, SIMILARITIES.format(table=self.name), values))

    def read_embeddings(self, connection: Connection, ids: Sequence[PassageId]) -> dict[PassageId, Embedding]:
        """Implement `ports.SearchView.read_embeddings`."""
        statement = STORED.format(table=self.name).encode()
        stored = connection.execute(statement, (rows.numbers_of(ids),), binary=True).fetchall()
        return {passage_id(row.passage_id): read_halfvec(row.vector) for row in stored}

    def wants_graph(self, connection: Connection) -> bool:
        """Return True if there are enough vectors for a graph, but no valid graph."""
        return not self._read_facts(connection).has_graph and self._count(connection) >= self.graph_from

    def make_graph(self, connection: Connection) -> None:
        """Build the graph, on an autocommit connection, unless another process is building it."""
        rows.change(connection, NO_LIMIT)
        if rows.fetch_all(connection, IS_BUILT, (self.name,))[0].yes:
            return
        if self._read_facts(connection).has_begun:
            rows.change(connection, DROP_GRAPH.format(table=self.name))
        rows.change(connection, NEW_GRAPH.format(table=self.name))

    def _share_for_graph(self, connection: Connection, scope: Scope) -> float:
        """Return the share of all vectors that is in scope; 0 if a graph search does not pay."""
        if not self._read_facts(connection).has_graph:
            return 0.0
        in_scope = count_in(PostgresQueries(connection), scope)
        share = min(1.0, in_scope / max(1, self._count(connection)))
        return share if in_scope >= self.graph_from and share >= SELECTIVE else 0.0

    def _read_facts(self, connection: Connection) -> rows.Row:
        """Read the columns of `FACTS`."""
        return rows.fetch_all(connection, FACTS, {"graph": f"{self.name}_graph"})[0]

    def _count(self, connection: Connection) -> int:
        return int(rows.fetch_all(connection, NEWEST.format(table=self.name))[0].vectors)


@dataclass(frozen=True, slots=True)
class _Graph:
    """A graph search: its statement, and the bound values."""

    connection: Connection
    statement: str
    bound: dict[str, Any]

    def find_unseen(self, limit: int, passage_ids: frozenset[PassageId]) -> dict[PassageId, float] | None:
        """Return the nearest unseen passages, or None if a graph search would miss some.

        It misses passages if too many of the nearest were already seen.
        """
        if len(passage_ids) > MAX_LEFT_OUT:
            probed = self._follow(MAX_PROBED, MAX_PROBED)
            if 2 * len(passage_ids.intersection(probed)) > len(probed):
                return None
        spare = min(len(passage_ids), MAX_LEFT_OUT)
        candidates = min(max(MIN_CANDIDATES, limit + spare), MAX_CANDIDATES)
        found = self._follow(limit + spare, candidates)
        unseen = {name: cosine for name, cosine in found.items() if name not in passage_ids}
        if len(found) - len(unseen) > MAX_LEFT_OUT:
            return None
        return dict(islice(unseen.items(), limit))

    def _follow(self, limit: int, candidates: int) -> dict[PassageId, float]:
        rows.change(self.connection, WIDTH.format(candidates=candidates))
        queries = PostgresQueries(self.connection)
        return _map_cosines(queries.fetch(self.statement, self.bound | {"limit": limit}))


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A search that compares vectors one by one.

    `bound`: the query's vector and the values of the condition on documents.
    """

    connection: Connection
    table: str
    condition: str
    bound: dict[str, Any]

    def find_unseen(self, limit: int, left_out: Sequence[int], share: float) -> dict[PassageId, float]:
        """Return the exact nearest passages in scope.

        `share`: the share of all vectors that is in scope; 0 if it is small.
        """
        rows.change(self.connection, WITHOUT_PARALLEL)
        nearest = self._find_among_all(limit, left_out, share) if share else {}
        if len(nearest) == limit:
            return nearest
        return self._fetch(EXACT, {"left_out": [*left_out], "limit": limit})

    def _find_among_all(self, limit: int, left_out: Sequence[int], share: float) -> dict[PassageId, float]:
        """Return the nearest; fewer than `limit` if too many of the nearest are out of scope."""
        most = math.ceil(MARGIN * (limit + len(left_out)) / share)
        return self._fetch(NEAREST, {"most": most, "left_out": [*left_out], "limit": limit})

    def _fetch(self, statement: str, values: dict[str, Any]) -> dict[PassageId, float]:
        whole = statement.format(table=self.table, condition=self.condition)
        return _map_cosines(PostgresQueries(self.connection).fetch(whole, self.bound | values))


class PostgresServing:
    """The vectors that searches use."""

    def __init__(
        self,
        database: PostgresDatabase,
        about: EmbedderAbout,
        is_usable: Callable[[EmbedderAbout], bool] = lambda about: False,
        graph_from: int = GRAPH_FROM,
    ) -> None:
        """`is_usable` tests whether queries can still be embedded by an earlier embedder.

        From `graph_from` vectors on, a graph is built.
        """
        self._database = database
        self._about = about
        self._is_usable = is_usable
        self._graph_from = graph_from

    def table(self, connection: Connection) -> VectorTable | None:
        """Return the vectors that searches use, if any."""
        candidates = _list_candidates(connection)
        about, has_vectors = choose_serving(candidates, self._about, self._is_usable)
        names = {candidate.name: candidate.table for candidate in candidates}
        return VectorTable(about, names[about.name], self._graph_from) if has_vectors else None

    async def catch_up(self) -> None:
        """Build the graph of the vectors in use, if it is missing and there are enough vectors."""
        table = await self._database.read(self._find_without_graph)
        if table is not None:
            with span("dense.make_graph", table=table.name):
                await asyncio.to_thread(self._make_graph, table)

    def _make_graph(self, table: VectorTable) -> None:
        try:
            with closing(self._database.open_connection()) as connection:
                table.make_graph(connection)
        except psycopg.Error as error:  # searches work without a graph
            log.warning(Message("postgres.graph_failed", why=error))

    def _find_without_graph(self, connection: Connection) -> VectorTable | None:
        """Return the vectors in use if they need a graph."""
        table = self.table(connection)
        return table if table is not None and table.wants_graph(connection) else None


def _list_candidates(connection: Connection) -> list[EmbedderRow]:
    candidates = []
    for row in rows.fetch_all(connection, EMBEDDERS):
        table = table_of(row.id, row.dimensions)
        has_vectors = rows.fetch_all(connection, HAS_VECTORS.format(table=table))[0].has
        candidates.append(EmbedderRow(row.name, row.choice, table, row.is_whole, has_vectors))
    return candidates


def _map_cosines(hits: Sequence[rows.Row]) -> dict[PassageId, float]:
    """Return cosines by passage, nearest first, ties by ID."""
    best = sorted((-row.cosine, passage_id(row.passage_id)) for row in hits)
    return {name: -below for below, name in best}
