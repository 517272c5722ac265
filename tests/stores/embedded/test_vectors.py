"""What a search weighs is there for every passage: in libraries of before, after a purge, and in one look."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import TypeVar

import apsw
import pytest

from shisho.bootstrap.desk import open_desk
from shisho.corpus.retrieve import Retriever
from shisho.corpus.session import CorpusSearcher
from shisho.domain.corpus import Scope, SearchRequest, Source
from shisho.language.terms import query
from shisho.stores.embedded.connect import Database, Work
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.queries import EmbeddedQueryStore
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.sql.sessions import StoredSessions
from shisho.stores.vectors import vector_of
from shisho.system.clock import SystemClock
from tests.making import intake

T = TypeVar("T")
SCRIPT = "0014_term_vectors.sql"
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


def statement(path: Path, sql: str) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(sql)


async def test_a_library_of_before_gets_its_vectors_when_it_is_opened(
    tmp_path: Path, database: CountingDatabase
) -> None:
    await database.close()
    statement(database.path, f"DROP TABLE term_vectors; DELETE FROM migrations WHERE name = '{SCRIPT}'")
    again = Database(database.path)
    stored = await again.read(lambda connection: connection.execute("SELECT count(*) FROM term_vectors").get)
    held = await LexicalIndex(tmp_path / "lexical", again).view(lambda view: view.vectors(NAMES))
    await again.close()
    assert stored == len(NAMES)
    assert held == VECTORS


async def test_a_script_that_fails_leaves_the_library_as_it_was(database: CountingDatabase) -> None:
    await database.close()
    statement(database.path, f"DROP TABLE term_vectors; DELETE FROM migrations WHERE name = '{SCRIPT}'")
    script = resources.files("shisho.stores.embedded") / "schema" / SCRIPT
    with closing(apsw.Connection(str(database.path))) as connection:
        # The functions of this program are not known here, so that it fails after the table was made.
        with pytest.raises(apsw.SQLError), connection:
            connection.execute(script.read_text("utf-8"))
        assert connection.execute("SELECT count(*) FROM passages").get == len(NAMES)
        assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'term_vectors'").get is None


async def test_passages_that_an_older_program_stores_meanwhile_are_weighed_too(
    tmp_path: Path, database: CountingDatabase
) -> None:
    statement(database.path, "DELETE FROM term_vectors")
    index = LexicalIndex(tmp_path / "lexical", database)
    held = await index.view(lambda view: view.vectors(NAMES))
    assert held == {name: vector._replace(document_term_count=0) for name, vector in VECTORS.items()}


async def test_a_purge_erases_them(database: CountingDatabase) -> None:
    await EmbeddedShelf(database, SystemClock()).remove(GIVEN.document.id, purge=True)
    left = await database.read(lambda connection: connection.execute("SELECT count(*) FROM term_vectors").get)
    assert left == 0


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

    async with open_desk(home=tmp_path) as desk:
        await desk.add_source(Source("講義.txt", "統計の講義。".encode(), "text/plain"))
        await desk.search("統計")  # the index takes the document in
        monkeypatch.setattr(Database, "read", count_read)
        hits = await desk.search("統計")
    assert [(hit.source, hit.title) for hit in hits] == [("講義.txt", "講義")]
    assert looks == 3


async def test_a_search_looks_once_into_the_database(tmp_path: Path, database: CountingDatabase) -> None:
    shelf = EmbeddedShelf(database, SystemClock())
    index = LexicalIndex(tmp_path / "lexical", database)
    searcher = CorpusSearcher(shelf, Retriever(index, query), StoredSessions(EmbeddedQueryStore(database)))
    request = SearchRequest(keyword_query=("統計の講義",))
    await index.catch_up()
    before = database.looks
    hits = await searcher.rank_top(request, Scope())
    assert hits[0].passage.id == NAMES[0]
    assert database.looks == before + 1
