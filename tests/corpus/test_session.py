"""A session over a real store: k by its table, no passage twice, rounds that come back the same."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.corpus.retrieve import Retriever
from shisho.corpus.session import CorpusSearcher, compute_top_k
from shisho.domain.corpus import Complexity, Scope, SearchRequest
from shisho.domain.inquiry import Finding
from shisho.errors import InvalidParams
from shisho.language.terms import make_query
from shisho.librarian.evidence import verify
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.sql.sessions import StoredSessions
from shisho.system.clock import SystemClock
from tests.making import intake

ROOM = 100_000
ASKED = SearchRequest(keyword_query=("統計の講義",))


class Library:
    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "shisho.db")
        self.shelf = EmbeddedShelf(self.database, SystemClock())
        self.index = LexicalIndex(folder / "lexical", self.database)

    def searcher(self, growth: str = "linear") -> CorpusSearcher:
        return CorpusSearcher(
            self.shelf,
            Retriever(self.index, make_query),
            StoredSessions(EmbeddedQueryStore(self.database)),
            growth,
        )


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    held = Library(tmp_path)
    yield held
    await held.database.close()


async def filled(library: Library, count: int) -> None:
    text = "\n\n".join(
        f"統計の講義の第{number}回、題目は{number * 7919 % 10007}番の標本。" for number in range(count)
    )
    await library.shelf.put(intake(text))


@pytest.mark.parametrize(
    ("count", "complexity", "growth", "wanted"),
    [
        (60, Complexity.SINGLE, "linear", [5, 10, 15, 15, 15, 0]),
        (60, Complexity.SEVERAL, "linear", [8, 15, 23, 14, 0]),
        (60, Complexity.COMPARISON, "linear", [10, 20, 30, 0]),
        (60, Complexity.SINGLE, "exponential", [5, 15, 40, 0]),
        (1200, Complexity.SINGLE, "linear", [20, 40, 60, 60]),
        (1200, Complexity.COMPARISON, "exponential", [40, 100, 100]),
    ],
)
async def test_each_round_gives_k_new_ones_while_any_are_left(
    library: Library, count: int, complexity: Complexity, growth: str, wanted: Sequence[int]
) -> None:
    await filled(library, count)
    session = await library.searcher(growth).open(Scope(), complexity, ROOM, "s")
    seen: set[str] = set()
    for number, most in enumerate(wanted, 1):
        found = await session.search(ASKED, number)
        texts = {one.text for one in found.shown}
        assert (len(texts), found.ranked) == (most, most)
        assert most in (compute_top_k(count, complexity, number, growth), count - len(seen))
        assert not texts & seen
        seen |= texts
        assert found.in_scope == count and found.exhausted == (len(seen) == count)


async def test_a_round_asked_again_gives_the_same_in_another_process_too(library: Library) -> None:
    await filled(library, 60)
    first = await (await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")).search(ASKED, 1)
    again = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    assert await again.search(ASKED, 1) == first
    second = await again.search(ASKED, 2)
    assert not {one.temp_index for one in first.shown} & {one.temp_index for one in second.shown}


async def test_only_what_fits_the_room_is_shown_and_seen(library: Library) -> None:
    await filled(library, 60)
    session = await library.searcher().open(Scope(), Complexity.SINGLE, 60, "s")
    first = await session.search(ASKED, 1)
    second = await session.search(ASKED, 2)
    assert 1 <= len(first.shown) < first.ranked == 5
    assert not {one.text for one in first.shown} & {one.text for one in second.shown}


async def test_what_matches_too_little_is_left_out_of_a_small_corpus(library: Library) -> None:
    await library.shelf.put(
        intake("決定係数は当てはまりの良さを表す。\n\n図書館の貸出は二週間である。\n\n当日の天気は雨である。")
    )
    session = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    found = await session.search(
        SearchRequest(keyword_query=("図書館の貸出の期間と延長の手続きと当日の利用者",)), 1
    )
    assert [one.text[:3] for one in found.shown] == ["図書館"]


async def test_resolve_gives_the_span_of_the_document(library: Library) -> None:
    given = intake("一つ目の段落。\n\n統計の講義は月曜である。", pages=2)
    await library.shelf.put(given)
    session = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    (shown,) = (await session.search(ASKED, 1)).shown
    start = shown.text.index("月曜")
    citation = await session.resolve(shown.temp_index, start, start + 2)
    assert (citation.snippet, citation.page) == ("月曜", 2) == (given.text[citation.start : citation.end], 2)
    with pytest.raises(InvalidParams):
        await session.resolve(99, 0, 1)


async def test_the_neighbours_of_a_passage_come_first_and_once(library: Library) -> None:
    parts = [f"第{number}段落は鉱石{number * 7919 % 10007}の話である。" for number in range(8)]
    parts[4] = "統計の講義の第四段落である。"
    await library.shelf.put(intake("\n\n".join(parts)))
    session = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    (first,) = (await session.search(ASKED, 1)).shown
    request = replace(ASKED, keyword_query=("鉱石",), read_around=(first.temp_index, 99))
    second = await session.search(request, 2)
    assert [one.text for one in second.shown[:2]] == [parts[3], parts[5]]
    assert len({one.text for one in second.shown}) == len(second.shown)
    third = await session.search(replace(request, keyword_query=("猫",)), 3)
    assert not {parts[3], parts[4], parts[5]} & {one.text for one in third.shown}


async def test_neighbours_that_the_user_left_out_stay_out(library: Library) -> None:
    await library.shelf.put(intake("前の段落。\n\n統計の講義の段落。\n\n後の段落。", pages=3))
    scope = Scope(filters={"page": "2"})
    session = await library.searcher().open(scope, Complexity.SINGLE, ROOM, "s")
    (first,) = (await session.search(ASKED, 1)).shown
    assert not (await session.search(replace(ASKED, read_around=(first.temp_index,)), 2)).shown


async def test_a_round_that_fills_the_room_shows_more_than_k(library: Library) -> None:
    await filled(library, 60)
    session = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    assert len((await session.search(ASKED, 1)).shown) == 5
    assert len((await session.search(replace(ASKED, fills_room=True), 2)).shown) == 55
    small = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "t")
    assert 1 <= len((await small.search(replace(ASKED, fills_room=True), 1, 200)).shown) < 20


async def test_what_stands_overleaf_is_cited_on_its_own_page(library: Library) -> None:
    given = intake("統計の講義では次の書類を出す。\n\n① 申込書\n\n② 証明書", pages=2)
    await library.shelf.put(given)
    session = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    shown = (await session.search(ASKED, 1)).shown[0]
    assert (shown.after, shown.overleaf) == ("", "\n\n① 申込書")
    verified = verify(Finding(shown.temp_index, "G1", "① 申込書", 1.0), [shown])
    assert verified is not None
    citation = await session.resolve(shown.temp_index, verified.start, verified.end)
    assert (
        (citation.snippet, citation.page) == ("① 申込書", 2) == (given.text[citation.start : citation.end], 2)
    )
    assert verify(Finding(shown.temp_index, "G1", "を出す。\n\n① 申込書", 1.0), [shown]) is None


async def test_nothing_asked_is_refused(library: Library) -> None:
    await filled(library, 3)
    session = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    with pytest.raises(InvalidParams):
        await session.search(SearchRequest(search_intent="何か"), 1)


async def test_documents_are_ranked_by_their_best_passages(library: Library) -> None:
    for number in range(4):
        text = f"統計の演習。\n\n{'統計の講義。' * (4 - number)}\n\n回帰の講義。"
        await library.shelf.put(intake(text, source=str(number)))
    searcher = library.searcher()
    ranking = await searcher.rank(ASKED, Scope(), 50)
    documents = await searcher.rank_documents(ASKED, Scope(), 50)
    assert list(documents) == list(dict.fromkeys(hit.passage.document_id for hit in ranking))
    assert len(documents) == 4 < len(ranking)


async def test_optional_filters_that_leave_nothing_are_left_out(library: Library) -> None:
    await filled(library, 60)
    nowhere = replace(ASKED, filter_conditions={"title": "ない題名"})
    session = await library.searcher().open(Scope(), Complexity.SINGLE, ROOM, "s")
    found = await session.search(nowhere, 1)
    assert (found.shown, found.exhausted) == ((), False)
    found = await session.search(replace(nowhere, are_filters_optional=True), 2)
    assert len(found.shown) == 10 and found.in_scope == 60
