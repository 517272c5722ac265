"""The same question over the same corpus: PostgreSQL ranks what the embedded store ranks. Our scoring ranks
in both; what may differ is what an index proposes to it."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tomllib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from shisho.bootstrap.library import open_library
from shisho.corpus.retrieve import Retriever
from shisho.domain.corpus import Intake, PassageId, Scope, SearchRequest, Source
from shisho.domain.embedding import Embedding, NewEmbedding
from shisho.language.terms import make_query
from shisho.ports import SearchView
from shisho.stores.postgres import lexical
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.serving import PostgresServing
from tests.contracts.conftest import (
    ABOUT,
    EmbeddedStore,
    PostgresStore,
    Store,
    embedded_store,
    postgres_store,
)
from tests.copying import copy_documents
from tests.postgres import has_vectors, shared_server

SAMPLES = Path(__file__).parents[3] / "samples"
QUESTIONS = [
    entry["question"] for entry in tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))["question"]
]
WIDTH = 256
TOP = 10
DIRECTIONS = np.random.default_rng(7).normal(size=(4_096, WIDTH))


@dataclass(frozen=True)
class SameCorpus:
    """The samples in both stores, with vectors."""

    embedded: EmbeddedStore
    postgres: PostgresStore
    intakes: Sequence[Intake]


def vector_of(text: str) -> Embedding:
    """Texts that share pairs of characters are near each other."""
    pairs = [text[at : at + 2] for at in range(len(text) - 1)]
    at = [int.from_bytes(hashlib.blake2b(pair.encode(), digest_size=2).digest()) % 4_096 for pair in pairs]
    total = DIRECTIONS[at].sum(axis=0)
    return Embedding((total / np.linalg.norm(total)).astype("<f2").tobytes())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, read once."""
    folder = tmp_path_factory.mktemp("same")

    async def fill() -> None:
        async with open_library(home=folder) as library:
            for path in sorted((SAMPLES / "lectures").iterdir()):
                await library.documents.add_source(Source(path.name, path.read_bytes()))

    asyncio.run(fill())
    return folder


@pytest.fixture
async def corpus(home: Path, tmp_path: Path) -> AsyncIterator[SameCorpus]:
    shutil.copy(home / "shisho.db", tmp_path / "shisho.db")
    with shared_server().fresh() as url:
        async with embedded_store(tmp_path) as embedded, postgres_store(url) as postgres:
            intakes = await copy_documents(embedded.shelf, postgres.shelf)
            for store in (embedded, postgres) if has_vectors() else (embedded,):
                await store.embeddings.put(
                    [new(passage.id, passage.text) for passage in passages_of(intakes)]
                )
            yield SameCorpus(embedded, postgres, intakes)


def passages_of(intakes: Sequence[Intake]) -> list:
    return [passage for intake in intakes for passage in intake.passages]


def new(name: str, text: str) -> NewEmbedding:
    return NewEmbedding(name, hashlib.sha256(text.encode()).digest(), vector_of(text))


async def ranked(store: Store, text: str) -> list[str]:
    ranking = await Retriever(store.index, make_query).rank(
        SearchRequest(keyword_query=(text,)), Scope(), TOP
    )
    return [candidate.passage.id for candidate in ranking]


def overlap(first: Sequence[str], second: Sequence[str]) -> float:
    return len(set(first) & set(second)) / max(1, len(first), len(second))


async def test_the_same_passages_stand_in_front_by_words(corpus: SameCorpus) -> None:
    pairs = [(await ranked(corpus.embedded, text), await ranked(corpus.postgres, text)) for text in QUESTIONS]
    assert all(first for first, _ in pairs)
    assert fmean(overlap(first, second) for first, second in pairs) >= 0.95


async def test_they_do_where_common_words_are_only_looked_for(
    corpus: SameCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as in a corpus of hundreds of thousands: most words of a question count as common
    monkeypatch.setattr(lexical, "MAX_ENTRIES", 0)
    monkeypatch.setattr(lexical, "ENOUGH_ENTRIES", 10 * TOP)
    pairs = [(await ranked(corpus.embedded, text), await ranked(corpus.postgres, text)) for text in QUESTIONS]
    assert fmean(overlap(first, second) for first, second in pairs) >= 0.95


def nearest_to(
    text: str, seen: frozenset[PassageId] = frozenset()
) -> Callable[[SearchView], dict[str, float]]:
    return lambda view: dict(view.find_nearest(vector_of(text), Scope(), TOP, seen))


with_vectors = pytest.mark.skipif("not has_vectors()", reason="a server without the extension vector")


@with_vectors
async def test_the_same_passages_are_nearest_with_the_same_cosines(corpus: SameCorpus) -> None:
    for text in QUESTIONS:
        first = await corpus.embedded.index.view(nearest_to(text))
        second = await corpus.postgres.index.view(nearest_to(text))
        # SQLite keeps 12 bits a component, so near ties may change places
        assert dict(second) == pytest.approx(dict(first), abs=1e-3)


@with_vectors
async def test_along_the_graph_hardly_one_is_missed_even_where_some_were_seen(corpus: SameCorpus) -> None:
    serving = PostgresServing(corpus.postgres.database, ABOUT, graph_from=1)
    index = PostgresIndex(corpus.postgres.database, serving)
    await index.catch_up()
    graphs = await corpus.postgres.database.read(
        lambda connection: connection.execute(
            "SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%hnsw%'"
        ).fetchall()
    )
    assert len(graphs) == 1
    passages = passages_of(corpus.intakes)
    seen = frozenset(passage.id for passage in passages[: len(passages) // 2])
    shares = []
    for text in QUESTIONS:
        for passage_ids in (frozenset[PassageId](), seen):
            first = await corpus.embedded.index.view(nearest_to(text, passage_ids))
            second = await index.view(nearest_to(text, passage_ids))
            assert len(second) == TOP and not set(second) & passage_ids
            shares.append(overlap(list(first), list(second)))
    assert fmean(shares) >= 0.98
