"""A question finds what documents call by another name, and the passages that define what it asks about."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.corpus.retrieve import Retriever, add_other_names, weigh_definitions
from shisho.corpus.session import CorpusSearcher, CorpusSession
from shisho.domain.corpus import Complexity, DefinitionMark, NameLink, PassageId, Scope, SearchRequest
from shisho.language.terms import make_query
from shisho.stores.sql.names import read_names
from tests.contracts.conftest import Store, embedded_store
from tests.making import intake

# Of many passages, so that what is not proposed is not shown either.
OTHERS = "\n\n".join(f"Precision is asked for in line {number} of the order." for number in range(150))
LABS = (
    "The Department of Tidal Engineering (DTE) has 14 laboratories.\n\nThe DTE is led by Mr Hara.\n\n"
    "The Department of Roads is led by Ms Kato."
)
INSTITUTE = (
    "潮汐工学研究所（以下「潮研」という。）には14の研究室がある。\n\n潮研の所長は原である。\n\n"
    "道路研究所の所長は加藤である。"
)
MEASURES = (
    "適合率（precision）は「ごみの少なさ」と言い換えられる。\n\n"
    "平均適合率（average precision）とは、適合率の合計を文書の数で割った値である。"
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with embedded_store(tmp_path) as made:
        yield made


async def put(store: Store, text: str, source: str, owner: str = "local") -> None:
    given = intake(text, source=source, owner=owner)
    names = read_names(given.document.title, given.document.metadata, given.passages)
    await store.shelf.put(replace(given, names=names))


async def open_session(store: Store, owner: str = "local") -> CorpusSession:
    searcher = CorpusSearcher(store.shelf, Retriever(store.index, make_query), store.sessions)
    return await searcher.open(Scope(owner), Complexity.SINGLE, 100_000, "s")


async def list_first_two(store: Store, question: str) -> list[str]:
    searcher = CorpusSearcher(store.shelf, Retriever(store.index, make_query), store.sessions)
    hits = await searcher.rank(SearchRequest(keyword_query=(question,)), Scope(), 2)
    return [hit.passage.text.strip() for hit in hits]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who leads the Department of Tidal Engineering?", "The DTE is led by Mr Hara."),
        ("潮汐工学研究所の所長は誰ですか", "潮研の所長は原である。"),
    ],
)
async def test_long_name_finds_what_is_said_under_the_short_one(
    store: Store, question: str, text: str
) -> None:
    for name, whole in (("labs.md", LABS), ("org.md", INSTITUTE)):
        await store.shelf.put(intake(whole, source=name))
    assert text not in await list_first_two(store, question)
    for name, whole in (("labs.md", LABS + " "), ("org.md", INSTITUTE + " ")):
        await put(store, whole, name)
    assert text in await list_first_two(store, question)


async def test_short_name_finds_what_is_said_under_the_long_one(store: Store) -> None:
    await put(store, "The Department of Tidal Engineering (DTE) is old.", "a.md")
    await put(store, "The doors of the Department of Tidal Engineering open at nine.", "b.md")
    await put(store, OTHERS, "c.md")
    session = await open_session(store)
    shown = (await session.search(SearchRequest(keyword_query=("DTE doors",)), 1)).shown
    assert shown[0].text.startswith("The doors of")


async def test_names_of_a_question_are_told_with_their_others(store: Store) -> None:
    await put(store, LABS, "labs.md")
    await put(store, INSTITUTE, "org.md")
    await put(store, "The Dry Tea Estate (DTE) is far.", "tea.md", owner="hanako")
    session = await open_session(store)
    assert await session.find_short_names("Who leads the Department of Tidal Engineering?") == {
        "department of tidal engineering": frozenset({"dte"})
    }
    assert await session.find_short_names("潮研と DTE の所長") == {
        "潮研": frozenset({"潮汐工学研究所"}),
        "dte": frozenset({"department of tidal engineering"}),
    }
    assert await session.find_short_names("Who leads the laboratories?") == {}


async def test_definition_is_shown_first_and_marked(store: Store) -> None:
    await put(store, MEASURES, "measures.md")
    await put(store, OTHERS, "orders.md")
    session = await open_session(store)
    shown = (await session.search(SearchRequest(keyword_query=("What is precision?",)), 1)).shown
    first, second, *rest = shown
    assert first.text.startswith("適合率（precision）は") and first.is_stated
    assert first.definition is not None
    start, end = first.definition
    assert first.text[start:end] == first.text
    assert second.definition is None and not any(passage.definition for passage in rest)
    again = await session.search(SearchRequest(keyword_query=("What is precision?",)), 1)
    assert again.shown == shown


async def test_question_about_more_than_the_thing_marks_nothing(store: Store) -> None:
    await put(store, MEASURES, "measures.md")
    session = await open_session(store)
    request = SearchRequest(keyword_query=("How is precision worked out for ten documents?",))
    assert not any(passage.definition for passage in (await session.search(request, 1)).shown)


async def test_part_of_the_score_says_that_a_passage_defines(store: Store) -> None:
    await put(store, MEASURES, "measures.md")
    await put(store, OTHERS, "orders.md")
    searcher = CorpusSearcher(store.shelf, Retriever(store.index, make_query), store.sessions)
    hits = await searcher.rank(SearchRequest(keyword_query=("precision",)), Scope(), 5)
    assert [hit.parts["definition"] > 0 for hit in hits] == [True, False, False, False, False]


async def test_definition_that_was_shown_is_not_shown_again(store: Store) -> None:
    await put(store, MEASURES, "measures.md")
    await put(store, OTHERS, "orders.md")
    session = await open_session(store)
    await session.search(SearchRequest(keyword_query=("precision",)), 1)
    assert not any(
        one.definition for one in (await session.search(SearchRequest(keyword_query=("precision",)), 2)).shown
    )


def test_other_names_join_what_counts_as_the_same() -> None:
    before = replace(make_query(["DTE doors"]), synonyms={"dte": (("estuari",),)})
    link = NameLink("dte", "DTE", "depart tidal engin", "Department of Tidal Engineering")
    assert add_other_names(before, [link]).synonyms == {"dte": (("estuari",), ("depart", "tidal", "engin"))}


def test_stated_definition_weighs_more_than_the_first_words_under_a_heading() -> None:
    stated, under, both = (PassageId(name) for name in "abc")
    marks = [
        DefinitionMark("x", stated, 0, 9, True),
        DefinitionMark("x", under, 0, 9, False),
        DefinitionMark("x", both, 0, 9, False),
        DefinitionMark("x", both, 9, 20, True),
    ]
    weights = weigh_definitions(marks)
    assert weights[stated] == weights[both] == 1.0
    assert 0.0 < weights[under] < 1.0
