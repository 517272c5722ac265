"""`make bench`: the index of vectors over 100,000 clustered ones. Recall against exact search with floats,
CPU of a query, growth of memory; then a whole search by words and meaning, beside LanceDB and ChromaDB +
rank_bm25 in the same run.

What is compared: CPU of the process with all its threads, from a question's text and vector to the 50 best of
the same passages, by the same vectors and the same words (terms and pairs of characters, made of the question
each time), each passage with what a citation needs (`CITED`). The others are as they come: LanceDB by HNSW
over eight bits and its own full text, nothing stemmed or left out, its warnings not written; ChromaDB by
HNSW, rank_bm25 over lists of words, passages at hand in memory. They join the 50 best of each half by their
ranks. Ours weighs the 100 best of each half by what stands in them, and returns more of a passage. Recall of
the vectors is printed for each, for that of a graph stays below ours however far it looks.

python bench/dense.py [--passages 100000] [--dimensions 256 384] [--alone]

The others are measured where they are installed: `pip install lancedb chromadb rank-bm25`, into an
environment of their own that PYTHONPATH names after this one. They are in no lock.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw
import million
import numpy as np
import run
from numpy.typing import NDArray

from shisho.corpus import fusion
from shisho.corpus.retrieve import Retriever
from shisho.domain.corpus import PassageId, Scope, SearchRequest
from shisho.domain.embedding import EmbedderAbout, Embedding, NewEmbedding
from shisho.language.terms import make_pairs, make_query, make_terms
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.embeddings import EmbeddedEmbeddings
from shisho.stores.embedded.home import connect
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.rows import TEXT
from shisho.stores.embedded.serving import ServingIndex
from shisho.stores.indexing import IndexScope
from shisho.stores.nouns import passage_id

QUERIES = 30
NEAREST = 50
SEEN = 500
TURNS = 3  # of ours and another
CITED = ("id", "document_id", "start", "end", "page", "heading", "text", "source", "title")
# What others take in besides the words of a passage: `CITED`.
TAKEN_IN = f"""SELECT p.id, p.document_id, p.start, p."end", coalesce(p.page, 0), p.heading, {TEXT} AS text,
    d.source, d.title FROM passages p JOIN documents d ON d.id = p.document_id"""
ABOUT = EmbedderAbout("clustered 1")
Floats = NDArray[np.float32]


class FixedEmbedder:
    """An embedder, and all that are known: each query gets the next vector."""

    def __init__(self, queries: Floats) -> None:
        self.about = ABOUT
        self.current = self
        self._queries = [Embedding(row.astype("<f2").tobytes()) for row in queries]

    def find(self, about: EmbedderAbout) -> FixedEmbedder:
        return self

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        raise NotImplementedError

    async def embed_query(self, text: str) -> Embedding:
        self._queries.append(self._queries.pop(0))
        return self._queries[-1]


def clustered(count: int, dimensions: int, seed: int) -> Floats:
    """Unit vectors around 500 directions, as texts about 500 things lie; the seed tells passages from
    queries."""
    centres = np.random.default_rng(1).normal(size=(500, dimensions))
    random_ = np.random.default_rng(seed)
    rows = centres[random_.integers(0, 500, count)] + random_.normal(size=(count, dimensions))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, nargs="*", default=[256, 384])
    parser.add_argument("--alone", action="store_true", help="without the others")
    options = parser.parse_args()
    for dimensions in options.dimensions:
        with tempfile.TemporaryDirectory(prefix="shisho-bench-") as home:
            asyncio.run(measure(Path(home), options.passages, dimensions, not options.alone))


async def measure(home: Path, passages: int, dimensions: int, beside_others: bool) -> None:
    """One size of vectors."""
    count = await million.stock(home, passages, 3_600)
    vectors = clustered(count, dimensions, 2).astype("<f2")
    queries = clustered(QUERIES, dimensions, 3).astype("<f2").astype(np.float32)  # as an embedder gives them
    print(f"{count:,} passages × {dimensions}", flush=True)
    database = Database(home / "shisho.db")
    names = await database.read(
        lambda connection: [row[0] for row in connection.execute("SELECT id FROM passages")]
    )
    ids = [passage_id(number) for number in names]
    store = EmbeddedEmbeddings(database, ABOUT)
    for start in range(0, count, 5_000):
        batch = range(start, min(count, start + 5_000))
        await store.put(
            [NewEmbedding(ids[at], at.to_bytes(16, "big"), Embedding(vectors[at].tobytes())) for at in batch]
        )
    dense = ServingIndex(home / "vectors", database, ABOUT)
    memory = resident_mb()
    await asyncio.to_thread(dense.catch_up)
    say("memory taken, MB (wanted ≤ 350)", resident_mb() - memory)
    await dense_alone(database, dense, ids, vectors.astype(np.float32), queries)
    retriever = Retriever(LexicalIndex(home / "lexical", database, dense), make_query, FixedEmbedder(queries))
    say("a search by words and meaning, CPU ms", await hybrid(retriever))
    if beside_others:
        await others(home, retriever, vectors.astype(np.float32), queries)
    await database.close()


async def dense_alone(
    database: Database, dense: ServingIndex, ids: Sequence[PassageId], vectors: Floats, queries: Floats
) -> None:
    """Recall and cost with no filter, a filter of .5 %, and 500 seen."""
    documents = await database.read(
        lambda connection: dict(connection.execute("SELECT id, document_id FROM passages"))
    )
    document_of = np.array([documents[int(name, 16)] for name in ids])
    first = np.unique(document_of)[: max(1, len(set(document_of)) // 200)]
    exact = vectors @ queries.T
    for label, scope, allowed, seen_count in (
        ("no filter", IndexScope(None, None, (), None), np.ones(len(ids), bool), 0),
        (".5 % filter", IndexScope(None, tuple(first), (), None), np.isin(document_of, first), 0),
        ("500 seen", IndexScope(None, None, (), None), np.ones(len(ids), bool), SEEN),
    ):
        hits = 0
        cpu = 0.0
        for place, vector in enumerate(queries):
            order = [at for at in np.argsort(-exact[:, place], kind="stable") if allowed[at]][
                : NEAREST + seen_count
            ]
            seen = frozenset(ids[at] for at in order[:seen_count])
            wanted = {ids[at] for at in order[seen_count:]}
            embedding = Embedding(vector.astype("<f2").tobytes())

            def look(
                connection: apsw.Connection,
                embedding: Embedding = embedding,
                scope: IndexScope = scope,
                seen: frozenset[PassageId] = seen,
            ) -> set[PassageId]:
                _, index = dense.find(connection)
                return set(index.find_nearest(connection, embedding, scope, NEAREST, seen))

            started = time.process_time()
            nearest = await database.read(look)
            cpu += time.process_time() - started
            hits += len(wanted & nearest)
        say(f"{label}: recall@50 (wanted 1.0 ± .002)", hits / (QUERIES * NEAREST))
        say(f"{label}: CPU ms (wanted ≤ 6)", cpu / QUERIES * 1000)


async def hybrid(retriever: Retriever) -> float:
    """CPU ms of a search by words and meaning, the query's vector not counted, for others are given it."""
    requests = [SearchRequest(keyword_query=(text,)) for text in questions()]
    await retriever.rank(requests[0], Scope(), NEAREST)
    started = time.process_time()
    for request in requests:
        await retriever.rank(request, Scope(), NEAREST)
    return (time.process_time() - started) / QUERIES * 1000


def questions() -> list[str]:
    """As long as those of JSQuAD, which have seven terms."""
    rng = random.Random(9)
    return ["の".join(run.word(rng) for _ in range(7)) for _ in range(QUERIES)]


@dataclass(frozen=True, slots=True)
class Passages:
    """What the others take in: of each passage its words, its vector and its fields."""

    words: Sequence[str]
    vectors: Floats
    fields: Sequence[tuple[str | int | None, ...]]

    def names(self) -> list[str]:
        return [str(fields[0]) for fields in self.fields]

    def records(self) -> list[dict[str, str | int | None]]:
        return [dict(zip(CITED, fields, strict=True)) for fields in self.fields]


@dataclass(frozen=True, slots=True)
class Other:
    """`ask`: the best passages for a vector and a question; `nearest`: the names of those for a vector
    alone."""

    ask: Callable[[Floats, str], object]
    nearest: Callable[[Floats], Sequence[str]]


async def others(home: Path, retriever: Retriever, vectors: Floats, queries: Floats) -> None:
    """The same passages in what others would take."""
    with closing(connect(home / "shisho.db", readonly=True)) as connection:
        stored = {row[0]: row for row in connection.execute(TAKEN_IN)}
        rows = [stored[name] for (name,) in connection.execute("SELECT id FROM passages")]
    fields = [(passage_id(name), *rest) for name, *rest in rows]
    texts = [row[CITED.index("text")] for row in rows]
    words = [" ".join((*make_terms(text), make_pairs(text))) for text in texts]
    passages = Passages(words, vectors, fields)
    for label, modules, build in (
        ("LanceDB, HNSW + full text", ("lancedb",), lance),
        ("ChromaDB + rank_bm25", ("chromadb", "rank_bm25"), chroma),
    ):
        if any(importlib.util.find_spec(module) is None for module in modules):
            print(f"  {label}: not installed")
            continue
        await beside(label, build(home, passages), retriever, passages, queries)


async def beside(label: str, other: Other, retriever: Retriever, passages: Passages, queries: Floats) -> None:
    """In turns, so that what else the machine does meets both alike; its threads go on a while after an
    answer."""
    say(f"{label}: recall@50", recall(other, passages, queries))
    asked = questions()
    other.ask(queries[0], asked[0])
    ours = []
    theirs = []
    for _ in range(TURNS):
        await asyncio.sleep(1)
        ours.append(await hybrid(retriever))
        started = time.process_time()
        for vector, text in zip(queries, asked, strict=True):
            other.ask(vector, text)
        theirs.append((time.process_time() - started) / QUERIES * 1000)
    say(f"{label}, CPU ms", statistics.median(theirs))
    say("ours in turns with it, CPU ms", statistics.median(ours))
    say(f"{label}, times ours", statistics.median(theirs) / statistics.median(ours))


def recall(other: Other, passages: Passages, queries: Floats) -> float:
    """The share of the nearest by floats that it finds."""
    names = passages.names()
    hits = 0
    for vector in queries:
        exact = np.argpartition(-(passages.vectors @ vector), NEAREST)[:NEAREST]
        hits += len({names[place] for place in exact} & set(other.nearest(vector)))
    return hits / (QUERIES * NEAREST)


def words_of(text: str) -> list[str]:
    """The words of a question, as passages have theirs."""
    terms = make_query([text])
    return [*terms.terms, *terms.bigrams]


def lance(home: Path, passages: Passages) -> Other:
    os.environ["LANCEDB_LOG"] = "error"  # else it warns twice in each search, which costs it time
    import lancedb
    import pyarrow as pa

    vectors = pa.FixedSizeListArray.from_arrays(pa.array(passages.vectors.ravel()), passages.vectors.shape[1])
    fields = [pa.array(column) for column in zip(*passages.fields, strict=True)]
    columns = {"vector": vectors, "words": pa.array(passages.words)} | dict(zip(CITED, fields, strict=True))
    table = lancedb.connect(str(home / "lance")).create_table("passages", pa.table(columns))
    table.create_index(metric="cosine", vector_column_name="vector", index_type="IVF_HNSW_SQ")
    table.create_fts_index(
        "words",
        use_tantivy=False,
        base_tokenizer="whitespace",
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )

    def ask(vector: Floats, text: str) -> object:
        search = table.search(query_type="hybrid").vector(vector).text(" ".join(words_of(text)))
        return search.limit(NEAREST).select([*CITED]).to_list()

    def nearest(vector: Floats) -> list[str]:
        search = table.search(vector, vector_column_name="vector")
        return [row["id"] for row in search.limit(NEAREST).select(["id"]).to_list()]

    return Other(ask, nearest)


def chroma(home: Path, passages: Passages) -> Other:
    import chromadb
    from rank_bm25 import BM25Okapi

    collection = chromadb.PersistentClient(str(home / "chroma")).create_collection(
        "passages", metadata={"hnsw:space": "cosine"}
    )
    names = passages.names()
    records = passages.records()
    places = {name: place for place, name in enumerate(names)}
    for start in range(0, len(names), 5_000):
        batch = slice(start, start + 5_000)
        collection.add(ids=names[batch], embeddings=passages.vectors[batch].tolist())
    bm25 = BM25Okapi([words.split() for words in passages.words])

    def nearest(vector: Floats) -> list[str]:
        found = collection.query(query_embeddings=[vector.tolist()], n_results=NEAREST, include=[])
        return list(found["ids"][0])

    def ask(vector: Floats, text: str) -> object:
        by_words = np.argpartition(-bm25.get_scores(words_of(text)), NEAREST)[:NEAREST].tolist()
        best = fusion.fuse_rankings([[places[name] for name in nearest(vector)], by_words])[:NEAREST]
        return [records[place] for place, _ in best]

    return Other(ask, nearest)


def resident_mb() -> float:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def say(label: str, value: float) -> None:
    print(f"  {label:50} {value:>12,.4g}", flush=True)


if __name__ == "__main__":
    main()
