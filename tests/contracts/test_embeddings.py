"""What every store of vectors promises, and every index over them."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from shisho.domain.corpus import FilterRange, Intake, PassageId, Scope
from shisho.domain.embedding import Embedding, EmbeddingProgress, NewEmbedding
from shisho.ports import SearchView
from shisho.stores.embedded.serving import folder_name
from tests.contracts.conftest import (
    ABOUT,
    DIMENSIONS,
    INDEXES,
    EmbeddedStore,
    Store,
    embedded_store,
    indexed_store,
)
from tests.making import intake
from tests.postgres import has_vectors

NORTH = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture(params=INDEXES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param.startswith("postgres") and not has_vectors():
        pytest.skip("a server without the extension vector keeps none: test_without_vectors.py")
    async with indexed_store(request.param, tmp_path) as made:
        yield made


def vector(*parts: float) -> Embedding:
    length = math.hypot(*parts)
    return Embedding(struct.pack("<4e", *(part / length for part in parts)))


def at_angle(degrees: float) -> Embedding:
    """A direction so far from north."""
    return vector(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0, 0)


def new(name: str, embedding: Embedding, text: str = "") -> NewEmbedding:
    return NewEmbedding(name, hashlib.sha256((text or name).encode()).digest(), embedding)


def files_of(home: Path) -> Path:
    """The folder of the index of vectors."""
    return home / "vectors" / folder_name(ABOUT)


async def fill(store: Store, given: Intake, first: float = 10.0, step: float = 5.0) -> None:
    """Put a document on the shelf, its passages turned away from north one by one."""
    await store.shelf.put(given)
    angles = [first + step * passage.ordinal for passage in given.passages]
    names = [passage.id for passage in given.passages]
    await store.embeddings.put(
        [new(name, at_angle(angle)) for name, angle in zip(names, angles, strict=True)]
    )


async def nearest(
    store: Store, limit: int = 10, scope: Scope | None = None, seen: frozenset[PassageId] = frozenset()
) -> Mapping[PassageId, float]:
    return await store.index.view(
        lambda view: view.find_nearest(vector(*NORTH), scope or Scope(), limit, seen)
    )


async def texts(store: Store, scope: Scope | None = None) -> list[str]:
    def work(view: SearchView) -> list[str]:
        names = list(view.find_nearest(vector(*NORTH), scope or Scope(), 10, frozenset()))
        passages = view.fetch_passages(names)
        return [passages[name].passage.text for name in names]

    return await store.index.view(work)


async def test_what_has_no_vector_is_pending_in_the_order_of_arrival(store: Store) -> None:
    first = intake("一。\n\n二。\n\n三。", source="a")
    second = intake("四。", source="b")
    await store.shelf.put(first)
    await store.shelf.put(second)
    assert [passage.text for passage in await store.embeddings.list_pending(2)] == ["一。", "二。"]
    await store.embeddings.put([new(passage.id, at_angle(5)) for passage in first.passages])
    assert [passage.text for passage in await store.embeddings.list_pending(9)] == ["四。"]
    assert await store.embeddings.measure_progress() == EmbeddingProgress(3, 4)
    await store.embeddings.put([new(second.passages[0].id, at_angle(5))])
    assert await store.embeddings.list_pending(9) == []


async def test_a_document_that_left_is_not_pending_and_one_that_came_back_is(store: Store) -> None:
    given = intake("一。\n\n二。")
    await store.shelf.put(given)
    await store.shelf.remove(given.document.id, purge=False)
    assert await store.embeddings.list_pending(9) == []
    assert await store.embeddings.measure_progress() == EmbeddingProgress(0, 0)
    await store.shelf.record_seen(given.document, "a.txt", {})
    assert len(await store.embeddings.list_pending(9)) == 2


@pytest.mark.slow
async def test_a_vector_is_stored_once_and_only_for_what_is_there(store: Store) -> None:
    given = intake("一。")
    await store.shelf.put(given)
    name = given.passages[0].id
    await store.embeddings.put([new(name, at_angle(10)), new("0123456789abcde", at_angle(20))])
    await store.embeddings.put([new(name, at_angle(30))])
    assert await store.embeddings.measure_progress() == EmbeddingProgress(1, 1)
    assert (await nearest(store))[name] == pytest.approx(math.cos(math.radians(10)), abs=1e-3)


async def test_equal_text_is_known_by_its_hash(store: Store) -> None:
    given = intake("一。\n\n二。")
    await store.shelf.put(given)
    here = new(given.passages[0].id, at_angle(10), "一。")
    await store.embeddings.put([here])
    absent = hashlib.sha256(b"absent").digest()
    assert await store.embeddings.find_known([here.content, absent]) == {here.content: here.vector}


async def test_the_nearest_come_first_with_their_cosines(store: Store) -> None:
    given = intake("\n\n".join(f"第{number}段。" for number in range(15)))
    await fill(store, given)
    found = await nearest(store, limit=5)
    assert list(found) == [passage.id for passage in given.passages[:5]]
    assert list(found.values()) == pytest.approx(
        [math.cos(math.radians(angle)) for angle in range(10, 35, 5)], abs=1e-3
    )


async def test_where_there_is_no_vector_nothing_is_near(store: Store) -> None:
    assert await nearest(store) == {}
    await store.shelf.put(intake("一。"))
    assert await nearest(store) == {}


async def test_what_was_seen_is_left_out_and_the_hole_is_filled(store: Store) -> None:
    given = intake("\n\n".join(f"第{number}段。" for number in range(300)))
    await fill(store, given, step=0.2)
    seen = frozenset(passage.id for passage in given.passages[:250])
    found = await nearest(store, limit=10, seen=seen)
    assert set(found) == {passage.id for passage in given.passages[250:260]}


async def test_scope_filters_and_pages_bind(store: Store) -> None:
    await fill(
        store,
        intake("統計の講義。\n\n統計の演習。", source="a", corpus="x", metadata={"課": "統計学"}, pages=2),
    )
    await fill(store, intake("統計の試験。", source="b", corpus="y", owner="other"))
    await fill(store, intake("統計の課題。", source="c", corpus="y"), first=30)
    assert await texts(store) == ["統計の講義。", "統計の演習。", "統計の課題。"]
    assert await texts(store, Scope(corpora=("y",))) == ["統計の課題。"]
    assert await texts(store, Scope(filters={"課": "統計学", "page": "2"})) == ["統計の演習。"]
    assert await texts(store, Scope(filters={"page": FilterRange(None, "1"), "課": "統計学"})) == [
        "統計の講義。"
    ]
    assert await texts(store, Scope(filters={"page": FilterRange("2", str(2**63))})) == ["統計の演習。"]
    assert await texts(store, Scope(filters={"課": "なし"})) == []
    without = intake("統計の課題。", source="c", corpus="y").document.id
    assert await texts(store, Scope(without=(without,))) == ["統計の講義。", "統計の演習。"]


async def test_it_follows_versions_removal_and_purges(store: Store) -> None:
    await fill(store, intake("古い統計。"))
    assert await texts(store) == ["古い統計。"]
    await fill(store, changed := intake("新しい統計。"))
    assert await texts(store) == ["新しい統計。"]
    await fill(store, other := intake("別の話。", source="b"), first=30)
    await store.shelf.remove(changed.document.id, purge=False)
    assert await texts(store) == ["別の話。"]
    await store.shelf.record_seen(changed.document, "a.txt", {})
    assert await texts(store) == ["新しい統計。", "別の話。"]
    await store.shelf.remove(other.document.id, purge=True)
    assert await texts(store) == ["新しい統計。"]


async def test_similarities_are_those_of_the_passages_that_have_a_vector(store: Store) -> None:
    given = intake("一。\n\n二。")
    await store.shelf.put(given)
    first, second = (passage.id for passage in given.passages)
    await store.embeddings.put([new(first, at_angle(60))])
    found = await store.index.view(lambda view: view.measure_similarities(vector(*NORTH), [first, second]))
    assert found == {first: pytest.approx(0.5, abs=1e-3)}
    stored = await store.index.view(lambda view: view.read_embeddings([first, second]))
    assert stored == {first: at_angle(60)}


async def test_a_purge_leaves_no_code_of_what_it_erased(embedded: EmbeddedStore, tmp_path: Path) -> None:
    await fill(embedded, gone := intake("消す文。", source="a"))
    await fill(embedded, intake("残す文。", source="b"), first=30)
    assert len(await nearest(embedded)) == 2
    await embedded.shelf.remove(gone.document.id, purge=True)
    assert len(await nearest(embedded)) == 1
    assert (files_of(tmp_path) / "codes").stat().st_size == DIMENSIONS
    assert (files_of(tmp_path) / "vectors").stat().st_size == DIMENSIONS * 2
    assert gone.document.id not in (files_of(tmp_path) / "documents").read_text("ascii")


@pytest.mark.parametrize("name", ["codes", "vectors", "rows", "documents", "watermark"])
async def test_a_torn_file_is_made_anew(embedded: EmbeddedStore, tmp_path: Path, name: str) -> None:
    given = intake("\n\n".join(f"第{number}段。" for number in range(15)))
    await fill(embedded, given)
    before = await nearest(embedded)
    torn = files_of(tmp_path) / name
    torn.write_bytes(torn.read_bytes()[:-5])
    async with embedded_store(tmp_path) as other:
        assert await nearest(other) == before
    assert (files_of(tmp_path) / "codes").stat().st_size == 15 * DIMENSIONS


async def test_what_a_killed_process_left_behind_the_watermark_is_written_over(
    embedded: EmbeddedStore, tmp_path: Path
) -> None:
    await fill(embedded, first := intake("一。", source="a"))
    await nearest(embedded)
    for name in ("rows", "codes", "vectors", "documents"):
        with (files_of(tmp_path) / name).open("ab") as file:
            file.write(b"half")
    await fill(embedded, second := intake("二。", source="b"), first=20)
    assert list(await nearest(embedded)) == [first.passages[0].id, second.passages[0].id]
    mark = json.loads((files_of(tmp_path) / "watermark").read_text("ascii"))
    documents = (files_of(tmp_path) / "documents").read_bytes()
    assert (mark["rows"], mark["document_bytes"], documents.count(b"\n")) == (2, len(documents), 2)
    assert (files_of(tmp_path) / "rows").stat().st_size == 2 * 16


async def test_a_second_process_sees_what_the_first_took_in(embedded: EmbeddedStore, tmp_path: Path) -> None:
    await fill(embedded, intake("一。", source="a"))
    await nearest(embedded)
    async with embedded_store(tmp_path) as other:
        assert len(await nearest(other)) == 1
        await fill(embedded, intake("二。", source="b"), first=20)
        assert len(await nearest(other)) == 2
        assert len(await nearest(embedded)) == 2


async def test_a_folder_that_cannot_be_written_costs_only_the_files(
    embedded: EmbeddedStore, tmp_path: Path
) -> None:
    (tmp_path / "vectors").write_text("a file where the folder should be", "ascii")
    await fill(embedded, intake("一。", source="a"))
    assert len(await nearest(embedded)) == 1
    await fill(embedded, intake("二。", source="b"), first=20)
    assert len(await nearest(embedded)) == 2
