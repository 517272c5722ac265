"""What a search weighs is there for every passage: from one look, and after a purge for none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import apsw
import numpy as np
import pytest

from shisho.bootstrap.library import open_library
from shisho.corpus.retrieve import Retriever
from shisho.corpus.session import CorpusSearcher
from shisho.domain.corpus import Scope, SearchRequest, Source
from shisho.domain.embedding import Embedding
from shisho.language.terms import make_query
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore, Work
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.packed_vectors import pack_vectors, unpack_vectors
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.nouns import vector_of
from shisho.stores.sql.sessions import StoredSessions
from shisho.system.clock import SystemClock
from tests.making import intake

T = TypeVar("T")
GIVEN = intake("統計の講義。標本々々。\n\n回帰の演習。\n\n残差𠮷。", title="講義")
NAMES = [passage.id for passage in GIVEN.passages]
OF_DOCUMENT = sum(len(passage.terms.split()) for passage in GIVEN.passages)
VECTORS = {passage.id: vector_of(passage, OF_DOCUMENT) for passage in GIVEN.passages}


class CountingDatabase(Database):
    """It counts how often it is looked into."""

    looks = 0

    async def read(self, work: Work[T]) -> T:
        self.looks += 1
        return await super().read(work)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[CountingDatabase]:
    opened = CountingDatabase(tmp_path / "shisho.db")
    await EmbeddedShelf(opened, SystemClock()).put(GIVEN)
    yield opened
    await opened.close()


async def test_a_passage_has_its_vector_and_its_text(tmp_path: Path, database: CountingDatabase) -> None:
    held = await LexicalIndex(tmp_path / "lexical", database).view(lambda view: view.read_vectors(NAMES))
    assert held == VECTORS
    passages = await EmbeddedShelf(database, SystemClock()).fetch_passages(NAMES)
    assert {name: passage.text for name, passage in passages.items()} == {
        passage.id: passage.text for passage in GIVEN.passages
    }


async def test_a_purge_erases_them(database: CountingDatabase) -> None:
    await EmbeddedShelf(database, SystemClock()).remove(GIVEN.document.id, purge=True)
    for table in ("blocks", "layouts", "passage_bands"):
        query = f"SELECT count(*) FROM {table}"
        assert await database.read(lambda connection, query=query: connection.execute(query).get) == 0


async def test_a_visitors_search_looks_three_times_into_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for what they may read, once for what is left out, once for all the rest."""
    looks = 0
    read = Database.read

    async def count_read(database: Database, work: Callable[[apsw.Connection], T]) -> T:
        nonlocal looks
        looks += 1
        return await read(database, work)

    async with open_library(home=tmp_path) as library:
        await library.documents.add_source(Source("講義.txt", "統計の講義。".encode(), "text/plain"))
        await library.documents.search("統計")  # the index takes the document in
        monkeypatch.setattr(Database, "read", count_read)
        hits = await library.documents.search("統計")
    assert [(hit.source, hit.title) for hit in hits] == [("講義.txt", "講義")]
    assert looks == 3


async def test_a_search_looks_once_into_the_database(tmp_path: Path, database: CountingDatabase) -> None:
    shelf = EmbeddedShelf(database, SystemClock())
    index = LexicalIndex(tmp_path / "lexical", database)
    searcher = CorpusSearcher(
        shelf, Retriever(index, make_query), StoredSessions(EmbeddedQueryStore(database))
    )
    request = SearchRequest(keyword_query=("統計の講義",))
    await index.catch_up()
    before = database.looks
    hits = await searcher.rank_top(request, Scope())
    assert hits[0].passage.id == NAMES[0]
    assert database.looks == before + 1


@pytest.mark.parametrize("width", [1, 2, 3, 256, 383])
def test_a_stored_vector_is_the_one_that_was_given_up_to_a_small_step(width: int) -> None:
    given = np.random.default_rng(width).normal(size=(9, width))
    halves = (given / np.linalg.norm(given, axis=1, keepdims=True)).astype("<f2")
    packed = pack_vectors([Embedding(row.tobytes()) for row in halves])
    again = unpack_vectors(packed)
    assert again.shape == halves.shape
    assert np.abs(again.astype(float) - halves.astype(float)).max() <= 0.0005
    assert pack_vectors([Embedding(row.tobytes()) for row in again]) == packed
    assert len(packed[0]) == 4 + width + (width + 1) // 2
