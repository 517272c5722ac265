"""The index in Qdrant beside what its contract asks: the book, lost collections, others that catch up, and
what the server is asked and says over HTTP."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import apsw
import pytest

from shisho.domain.corpus import Intake, PassageId, Scope
from shisho.errors import StorageUnusable, StoreUnavailable
from shisho.ports import SearchView
from shisho.stores.embedded.index_feed import EmbeddedIndexFeed
from shisho.stores.indexing import IndexScope, PassageRef, word_code
from shisho.stores.qdrant.catching_up import collection_name
from shisho.stores.qdrant.index import QdrantIndex
from shisho.stores.qdrant.server import CollectionGone, QdrantServer, SparsePoint
from tests.contracts.conftest import ABOUT, EmbeddedStore, embedded_store
from tests.making import intake

ANYWHERE = IndexScope(None, None, (), None)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    async with embedded_store(tmp_path) as made:
        yield made


@pytest.fixture
def server() -> QdrantServer:
    return QdrantServer("qdrant://:memory:")


def index_of(store: EmbeddedStore, server: QdrantServer) -> QdrantIndex:
    return QdrantIndex(server, EmbeddedIndexFeed(store.database, ABOUT))


async def proposed(
    index: QdrantIndex, *terms: str, seen: frozenset[PassageId] = frozenset()
) -> set[PassageId]:
    def work(view: SearchView) -> set[PassageId]:
        return set(view.propose(terms, [], Scope(), 50, seen))

    return await index.view(work)


async def book(store: EmbeddedStore) -> dict[int, int]:
    """In how many passages each word stands, as the book has it."""

    def work(connection: apsw.Connection) -> dict[int, int]:
        return dict(
            connection.execute("SELECT code, sum(passages) FROM outer_words GROUP BY code").fetchall()
        )

    return await store.database.read(work)


def counted(*documents: Intake) -> Counter[int]:
    """The same, counted from the documents themselves."""
    words: Counter[int] = Counter()
    for passage in (passage for document in documents for passage in document.passages):
        terms = {("terms", term) for term in f"{passage.terms} {passage.heading_terms}".split()}
        pairs = {("bigrams", pair) for pair in passage.bigrams.split()}
        words.update(map(word_code, terms | pairs))
    return words


async def test_the_book_counts_words_as_documents_come_change_and_go(
    store: EmbeddedStore, server: QdrantServer
) -> None:
    index = index_of(store, server)
    old = intake("古い統計。\n\n統計の回帰。", source="a", title="講義")
    other = intake("回帰の演習。", source="b")
    for document in (old, other):
        await store.shelf.put(document)
    await index.catch_up()
    assert await book(store) == counted(old, other)
    await store.shelf.put(new := intake("新しい統計。", source="a"))
    await index.catch_up()
    assert await book(store) == counted(new, other)
    await store.shelf.remove(other.document.id, purge=True)
    await store.shelf.remove(new.document.id, purge=False)
    await index.catch_up()
    assert await book(store) == {}
    await store.shelf.restore(new.document.id)
    await index.catch_up()
    assert await book(store) == counted(new)


async def test_catching_up_ends_though_others_add_without_a_pause(
    store: EmbeddedStore, server: QdrantServer
) -> None:
    added: list[int] = []

    class Busy(EmbeddedIndexFeed):
        async def advance(self, *arguments: Any) -> bool:
            added.append(len(added))
            if len(added) < 20:
                await store.shelf.put(intake(f"統計の第{len(added)}回。", source=f"{len(added)}.txt"))
            return await super().advance(*arguments)

    await store.shelf.put(intake("統計の講義。"))
    index = QdrantIndex(server, Busy(store.database, ABOUT))
    await index.catch_up()
    assert await index.count_behind() == len(added) < 5


async def test_a_process_that_died_before_the_book_was_written_is_gone_over_again(
    store: EmbeddedStore, server: QdrantServer
) -> None:
    await store.shelf.put(intake("統計の講義。", source="a"))
    await index_of(store, server).catch_up()
    second = intake("統計の演習。", source="b")
    await store.shelf.put(second)

    class Killed(EmbeddedIndexFeed):
        async def advance(self, *arguments: Any) -> bool:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await QdrantIndex(server, Killed(store.database, ABOUT)).catch_up()
    other = index_of(store, server)
    assert len(await proposed(other, "統計")) == 2
    assert (await book(store))[word_code(("terms", "統計"))] == 2


async def test_several_processes_catch_up_without_counting_twice(
    store: EmbeddedStore, server: QdrantServer
) -> None:
    indexes = [index_of(store, server) for _ in range(3)]
    documents = [intake(f"統計の{number}。", source=str(number)) for number in range(9)]
    for number, document in enumerate(documents):
        await store.shelf.put(document)
        assert len(await proposed(indexes[number % 3], "統計")) == number + 1
    assert await book(store) == counted(*documents)


async def test_a_turn_that_its_holder_never_gave_back_ends_by_itself(store: EmbeddedStore) -> None:
    feed = EmbeddedIndexFeed(store.database)
    index = index_of(store, QdrantServer("qdrant://:memory:"))
    await index.catch_up()
    (name,) = await feed.read(lambda view: list(view.list_marks("")))
    assert await feed.acquire_lease(name, "first", 60)
    assert await feed.acquire_lease(name, "first", -1)  # its time is over already
    assert await feed.acquire_lease(name, "second", 60)
    assert not await feed.acquire_lease(name, "first", 60)
    await feed.release_lease(name, "second")
    assert await feed.acquire_lease(name, "first", 60)


async def test_lost_collections_are_made_anew(store: EmbeddedStore, server: QdrantServer) -> None:
    index = index_of(store, server)
    document = intake("統計の講義。")
    await store.shelf.put(document)
    assert len(await proposed(index, "統計")) == 1
    marks = await EmbeddedIndexFeed(store.database).read(lambda view: view.list_marks(""))
    for mark in marks.values():
        server.delete_collection(collection_name(mark))
    assert len(await proposed(index, "統計")) == 1
    assert await book(store) == counted(document)


async def test_libraries_on_one_server_keep_apart(tmp_path: Path, server: QdrantServer) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with embedded_store(tmp_path / "a") as first, embedded_store(tmp_path / "b") as second:
        await first.shelf.put(intake("統計の講義。"))
        await second.shelf.put(intake("統計の演習。"))
        for store in (first, second):
            assert len(await proposed(index_of(store, server), "統計")) == 1


async def test_what_is_no_passage_is_left_out_without_an_error(
    store: EmbeddedStore, server: QdrantServer
) -> None:
    await store.shelf.put(intake("統計の講義。"))
    seen = frozenset({PassageId("no id"), PassageId("f" * 15)})
    assert len(await proposed(index_of(store, server), "統計", seen=seen)) == 1


class Played(BaseHTTPRequestHandler):
    """Answers as a Qdrant server would: with what the test says for the end of the path."""

    answers: dict[str, tuple[int, dict[str, Any]]]
    asked: list[tuple[str, dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        self.asked.append((self.path.partition("?")[0], body))
        last = self.path.partition("?")[0].rpartition("/")[2]
        status, said = self.answers.get(last, (200, {"result": True}))
        text = json.dumps({"status": "ok", "time": 0.0, **said}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_PUT = do_GET = do_DELETE = do_POST

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def played(**answers: tuple[int, dict[str, Any]]) -> Iterator[tuple[QdrantServer, list[tuple[str, Any]]]]:
    asked: list[tuple[str, Any]] = []
    kind = type("Kind", (Played,), {"answers": answers, "asked": asked})
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    try:
        yield QdrantServer(f"qdrant://127.0.0.1:{httpd.server_port}", "a-key"), asked
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


PLACE = PassageRef(7, "document", 1, 3)


def test_a_server_is_asked_over_http() -> None:
    points = {"result": {"points": [{"id": 7, "version": 1, "score": 0.5}]}}
    done = {"result": {"operation_id": 1, "status": "completed"}}
    answers = {"query": (200, points), "points": (200, done), "delete": (200, done), "index": (200, done)}
    with played(**answers) as (server, asked):
        server.create_words("words")
        server.create_vectors("vectors", 4)
        server.put_words("words", [SparsePoint(PLACE, {5: 1.0})])
        scope = IndexScope((1,), ("document",), ("other",), (2, None))
        assert server.search_words("words", {5: 1.0}, scope, 9, [8]) == [(7, 0.5)]
        assert server.search_vectors("vectors", [1, 0, 0, 0], ANYWHERE, 9, [], 1_000_000) == [(7, 0.5)]
        server.drop_documents("words", ["document"])
        server.delete_collection("words")
    bodies = [body for path, body in asked if path.endswith("/query")]
    condition = bodies[0]["filter"]
    assert {"has_id": [8]} in condition["must_not"]
    assert [part["key"] for part in condition["must"]] == ["corpus", "document", "page"]
    assert bodies[1]["params"] == {"hnsw_ef": 128, "exact": False}
    fields = [body["field_name"] for path, body in asked if path.endswith("/index")]
    assert fields == ["document", "corpus", "page"] * 2


def test_what_a_server_refuses_is_told_with_what_to_do() -> None:
    refusal = {"status": {"error": "Forbidden"}}
    with (
        played(query=(403, refusal)) as (server, _),
        pytest.raises(StorageUnusable, match="rejected the request: Forbidden"),
    ):
        server.search_words("words", {5: 1.0}, ANYWHERE, 9, [])
    missing = {"status": {"error": "Not found: Collection `words` doesn't exist!"}}
    with played(query=(404, missing)) as (server, _), pytest.raises(CollectionGone):
        server.search_words("words", {5: 1.0}, ANYWHERE, 9, [])


async def test_a_server_that_is_away_costs_nothing_but_the_search(store: EmbeddedStore) -> None:
    with played() as (server, _):
        pass
    index = index_of(store, server)
    await store.shelf.put(intake("統計の講義。"))
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await index.catch_up()
    assert await store.index.view(lambda view: view.count(Scope())) == 1
    here = index_of(store, QdrantServer("qdrant://:memory:"))
    assert len(await proposed(here, "統計")) == 1
