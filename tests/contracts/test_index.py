"""What every lexical index promises."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho.domain.corpus import FilterRange, NamedPassage, Scope
from shisho.errors import InvalidParams
from shisho.language.terms import analyse
from shisho.ports import SearchView
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.nouns import vector_of
from tests.contracts.conftest import INDEXES, EmbeddedStore, Store, indexed_store
from tests.making import intake


@pytest.fixture(params=INDEXES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with indexed_store(request.param, tmp_path) as made:
        yield made


async def proposed(
    store: Store, text: str, scope: Scope | None = None, seen: frozenset[str] = frozenset()
) -> list[str]:
    analysis = analyse([text])

    def work(view: SearchView) -> list[str]:
        terms = analysis.terms.split()
        names = view.propose(terms, analysis.bigrams.split(), scope or Scope(), 10, seen)  # type: ignore[arg-type]
        passages = view.fetch_passages(names)
        return [passages[name].passage.text for name in names]

    return await store.index.view(work)


async def test_the_best_match_comes_first(store: Store) -> None:
    await store.shelf.put(
        intake("決定係数は当てはまりの指標である。\n\n残差は予測との差である。\n\n図書館の利用案内。")
    )
    assert (await proposed(store, "決定係数の指標"))[0].startswith("決定係数")
    assert await proposed(store, "天気") == []


async def test_what_was_seen_is_not_proposed_and_the_hole_is_filled(store: Store) -> None:
    given = intake("\n\n".join(f"回帰分析の第{number}回。" for number in range(30)))
    await store.shelf.put(given)
    first = await proposed(store, "回帰分析")
    seen = frozenset(one.id for one in given.passages if one.text in first)
    second = await proposed(store, "回帰分析", seen=seen)  # type: ignore[arg-type]
    assert len(first) == len(second) == 10
    assert not set(first) & set(second)


async def test_scope_and_filters_bind(store: Store) -> None:
    await store.shelf.put(
        intake("統計の講義。\n\n統計の演習。", source="a", corpus="x", metadata={"課": "統計学"}, pages=2)
    )
    await store.shelf.put(intake("統計の試験。", source="b", corpus="y", owner="other"))
    await store.shelf.put(intake("統計の課題。", source="c", corpus="y"))
    assert set(await proposed(store, "統計")) == {"統計の講義。", "統計の演習。", "統計の課題。"}
    assert set(await proposed(store, "統計", Scope(corpora=("x",)))) == {"統計の講義。", "統計の演習。"}
    assert await proposed(store, "統計", Scope(filters={"課": "統計学", "page": "2"})) == ["統計の演習。"]
    assert await proposed(store, "統計", Scope(filters={"page": FilterRange("1", "1"), "課": "統計学"})) == [
        "統計の講義。"
    ]
    assert await proposed(store, "統計", Scope(filters={"課": "なし"})) == []


async def test_texts_are_all_that_is_in_scope_or_nothing(store: Store) -> None:
    await store.shelf.put(intake("統計の講義。\n\n統計の演習。", source="a", corpus="x", pages=2))
    await store.shelf.put(intake("統計の試験。", source="b", corpus="y", owner="other"))

    async def read(scope: Scope, most: int = 10) -> set[str]:
        texts = await store.index.view(lambda view: view.read_texts(scope, most))
        return {text.strip() for text in texts}

    assert await read(Scope()) == {"統計の講義。", "統計の演習。"}
    assert await read(Scope(), most=1) == set()
    assert await read(Scope(corpora=("y",))) == set()
    assert await read(Scope(filters={"page": "2"})) == {"統計の演習。"}


async def test_it_follows_versions_and_removal(store: Store) -> None:
    await store.shelf.put(intake("古い統計。"))
    assert await proposed(store, "統計") == ["古い統計。"]
    await store.shelf.put(new := intake("新しい統計。"))
    assert await proposed(store, "統計") == ["新しい統計。"]
    await store.shelf.remove(new.document.id, purge=True)
    assert await proposed(store, "統計") == []
    await store.shelf.put(new)
    assert await proposed(store, "統計") == ["新しい統計。"]


async def test_frequencies_and_means(store: Store) -> None:
    await store.shelf.put(given := intake("統計 統計\n\n統計 回帰", title="講義"))
    frequencies = await store.index.view(
        lambda view: view.read_frequencies("terms", ["統計", "回帰", "講義", "なし"], Scope())
    )
    assert frequencies == {"統計": 2, "回帰": 1, "講義": 2, "なし": 0}
    bigrams = sum(len(one.bigrams.split()) for one in given.passages) / 2
    statistics = await store.index.view(lambda view: view.read_statistics(Scope()))
    assert statistics == {"passages": 2, "terms": 2.0, "bigrams": bigrams, "heading": 1.0}


async def test_what_is_weighed_was_prepared(store: Store) -> None:
    lecture = intake("統計 回帰。統計。\n\n残差々々。", title="講義", source="a")
    await store.shelf.put(lecture)
    names = [passage.id for passage in lecture.passages]
    vectors = await store.index.view(lambda view: view.read_vectors([*names, "f" * 15]))  # type: ignore[list-item]
    of_document = sum(len(passage.terms.split()) for passage in lecture.passages)
    assert vectors == {passage.id: vector_of(passage, of_document) for passage in lecture.passages}


async def test_what_was_removed_is_neither_proposed_nor_fetched(store: Store) -> None:
    first = intake("統計の講義。", source="a")
    second = intake("統計の演習。", source="b")
    for document in (first, second):
        await store.shelf.put(document)
    assert len(await proposed(store, "統計")) == 2
    await store.shelf.remove(second.document.id, purge=False)
    assert await proposed(store, "統計") == ["統計の講義。"]
    names = [passage.id for passage in (*first.passages, *second.passages)]
    named = await store.index.view(lambda view: view.fetch_passages(names))
    assert set(named) == {passage.id for passage in first.passages}


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_was_purged_begun_anew_and_broken_off_is_gone(store: Store, is_known: bool) -> None:
    gone = intake("統計の講義。", source="a")
    kept = intake("統計の演習。", source="b")
    if is_known:
        await store.shelf.put(kept)
        await store.shelf.put(gone)
        assert len(await proposed(store, "統計")) == 2
    else:
        await store.shelf.put(gone)
    await store.shelf.remove(gone.document.id, purge=True)
    token = await store.shelf.begin(gone.document)
    await store.shelf.abandon(token, gone.document.id)
    assert await proposed(store, "統計") == (["統計の演習。"] if is_known else [])


async def test_one_look_counts_and_fetches_too(store: Store) -> None:
    await store.shelf.put(given := intake("統計の講義。\n\n統計の演習。", corpus="x"))
    await store.shelf.put(intake("統計の試験。", source="b", corpus="y"))
    names = [passage.id for passage in given.passages]
    scope = Scope(corpora=("x",))
    held = await store.index.view(lambda view: (view.count(scope), view.fetch_passages([*names, "f" * 15])))  # type: ignore[list-item]
    passages = await store.shelf.fetch_passages(names)
    named = {name: NamedPassage(passage, "a.txt", "a.txt") for name, passage in passages.items()}
    assert held == (2, named)


async def test_a_view_shows_what_was_just_stored(store: Store) -> None:
    for number in range(3):
        await store.shelf.put(intake(f"統計の第{number}回。", source=str(number)))
        assert len(await proposed(store, "統計")) == number + 1


async def test_what_a_look_raises_reaches_who_asked(store: Store) -> None:
    def work(view: SearchView) -> None:
        raise InvalidParams("統計")

    with pytest.raises(InvalidParams, match="統計"):
        await store.index.view(work)


async def test_a_deleted_index_catches_up(tmp_path: Path, embedded: EmbeddedStore) -> None:
    await embedded.shelf.put(intake("統計の講義。"))
    await LexicalIndex(tmp_path / "again", embedded.database).catch_up()
    shutil.rmtree(tmp_path / "again")
    fresh = LexicalIndex(tmp_path / "again", embedded.database)
    assert len(await fresh.view(lambda view: view.propose(["統計"], [], Scope(), 5, frozenset()))) == 1


async def test_two_openers_of_one_folder_both_catch_up(tmp_path: Path, embedded: EmbeddedStore) -> None:
    other = Database(tmp_path / "shisho.db")
    indexes = [LexicalIndex(tmp_path / "shared", embedded.database), LexicalIndex(tmp_path / "shared", other)]
    for number in range(6):
        await embedded.shelf.put(intake(f"統計の{number}。", source=str(number)))
        await indexes[number % 2].catch_up()
        await indexes[1 - number % 2].catch_up()
        for index in indexes:
            names = await index.view(lambda view: view.propose(["統計"], [], Scope(), 50, frozenset()))
            assert len(names) == number + 1
    await other.close()
