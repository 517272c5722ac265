"""The pages of the box: the same for the same seed, true to their questions, ranked as they are said to
be."""

from __future__ import annotations

import re
from statistics import mean

import pypdfium2
import pytest

from shisho.corpus.readers.html import read
from shisho.errors import InvalidParams
from shisho.web.http.url import canonicalise
from shisho_box.layout import render
from shisho_box.pdf import write
from shisho_box.ranking import Decay, RankingModel, TopicIndex, chance
from shisho_box.real import add_real_pages
from shisho_box.world import BoxPage, World, make


@pytest.fixture(scope="module")
def world() -> World:
    return add_real_pages(make(), None)


@pytest.fixture(scope="module")
def index(world: World) -> TopicIndex:
    return TopicIndex(world)


def text_of(page: BoxPage) -> str:
    if not page.media_type.startswith("application/pdf"):
        return re.sub(r"<[^>]*>", "", render(page).decode())
    document = pypdfium2.PdfDocument(page.body)
    try:
        return "".join(each.get_textpage().get_text_range() for each in document)
    finally:
        document.close()


def test_the_same_seed_the_same_web() -> None:
    one = make(7)
    same = make(7)
    other = make(8)
    assert one.pages == same.pages and one.questions == same.questions
    assert not {page.url for page in one.pages} <= {page.url for page in other.pages}
    assert TopicIndex(one).rank("mojeek", "霧ヶ丘灯台", RankingModel(7)) == TopicIndex(same).rank(
        "mojeek", "霧ヶ丘灯台", RankingModel(7)
    )
    assert [question.gold for question in one.questions] != [question.gold for question in other.questions]


def test_there_is_enough_of_it(world: World) -> None:
    assert len(world.pages) >= 300 and len(world.questions) >= 40 and len(world.hosts) >= 30
    assert len({page.title for page in world.pages}) == len(world.pages)
    assert len({canonicalise(page.url) for page in world.pages}) == len(world.pages)
    assert {page.topic.language for page in world.pages} == {"ja", "en"}


def test_no_host_is_real(world: World) -> None:
    reserved = re.compile(r"(?:.+\.)?(?:example|test|example\.jp|example\.(?:ac|co|or)\.jp)")
    assert not [host for host in world.hosts if not reserved.fullmatch(host)]


def test_every_question_has_its_answer_where_it_is_said(world: World) -> None:
    for question in world.questions:
        for url in question.urls:
            page = world.page(url)
            assert page is not None and question.gold in text_of(page), (question, url)


def test_pages_of_no_use_answer_nothing(world: World) -> None:
    golds = {(question.topic, question.gold) for question in world.questions}
    for page in world.pages:
        if not page.useful:
            assert not [gold for topic, gold in golds if topic == page.topic.name and gold in text_of(page)]


def test_a_reader_finds_the_text_of_every_frame(world: World) -> None:
    frames: dict[int, BoxPage] = {
        page.number % 3: page for page in world.pages if page.useful and page.body is None
    }
    written = [page for page in world.pages if page.body is not None and page.media_type == "text/html"]
    assert len(frames) == 3 and len(written) == 10
    for page in [*frames.values(), *written]:
        text = "".join(block.text for block in read(render(page)).blocks)
        golds = [question.gold for question in world.questions if page.url in question.urls]
        assert golds and all(gold in text for gold in golds), page.url


def test_mirrors_say_the_same_elsewhere(world: World) -> None:
    mirrors = [page for page in world.pages if page.mirror_of]
    assert mirrors
    for mirror in mirrors:
        original = world.page(mirror.mirror_of or "")
        assert (
            original is not None
            and original.url != mirror.url
            and set(original.paragraphs) <= set(mirror.paragraphs)
        )


def test_tracking_parameters_make_no_other_page(world: World) -> None:
    for page in world.pages[:40]:
        mark = "&" if "?" in page.url else "?"
        assert world.page(f"{page.url}{mark}utm_source=brave&utm_medium=search") is page
    assert world.page("https://nowhere.example/") is None


@pytest.mark.parametrize("decay", Decay)
def test_chances_fall(decay: Decay) -> None:
    chances = [chance(decay, rank, 50) for rank in range(50)]
    assert chances == sorted(chances, reverse=True) and 0.5 < chances[0] <= 1 and chances[-1] < 0.2


@pytest.mark.parametrize("decay", Decay)
def test_relevance_falls_with_depth(decay: Decay, index: TopicIndex, world: World) -> None:
    manner = RankingModel(0, decay)
    first = []
    third = []
    for topic in world.topics[-16:]:
        relevant = {page.url for page in index.list_relevant(topic.name)}
        for engine in ("mojeek", "brave", "duckduckgo"):
            told = [one.page.url in relevant for one in index.rank(engine, topic.name, manner)]
            first.append(mean(told[:10]))
            third.append(mean(told[20:30]))
    assert mean(first) > mean(third) + 0.2


def test_engines_overlap_and_differ(index: TopicIndex) -> None:
    one, two = (
        {hit.page.url for hit in index.rank(name, "霧ヶ丘灯台", RankingModel())}
        for name in ("mojeek", "duckduckgo")
    )
    assert one & two and one - two and two - one


def test_pages_overlap_as_often_as_told(index: TopicIndex, world: World) -> None:
    def share(repeats: float) -> float:
        rows = [
            index.rank("mojeek", topic.name, RankingModel(repeats=repeats, tracking=0))
            for topic in world.topics[-16:]
        ]
        return mean(len({one.url for one in each}) / len(each) for each in rows)

    assert share(0) == 1 and 0.9 < share(0.05) < 1 and share(0.5) < 0.75


def test_an_aspect_in_the_query_narrows_what_is_relevant(index: TopicIndex, world: World) -> None:
    every = index.list_relevant("霧ヶ丘灯台")
    height = index.list_relevant("霧ヶ丘灯台の高さは何メートルか")
    assert {page.url for page in height} < {page.url for page in every} and all(
        "高さ" in page.aspects for page in height
    )
    for question in world.questions:
        assert set(question.urls) <= {page.url for page in index.list_relevant(question.text)}, question.text


@pytest.mark.parametrize(
    ("query", "topics"), [("決定係数 定義", {"決定係数"}), ("猫", {"猫の耳", "三毛猫"}), ("天気予報", set())]
)
def test_queries_that_name_no_topic(query: str, topics: set[str], index: TopicIndex) -> None:
    assert {topic.name for topic in index.topics(query)} == topics


@pytest.mark.parametrize(("topics", "pages"), [(43, 20), (-1, 20), (3, 2)])
def test_more_than_the_tables_hold_is_refused(topics: int, pages: int) -> None:
    with pytest.raises(InvalidParams):
        make(topics=topics, pages=pages)


def test_the_pdf_has_its_text_on_its_pages() -> None:
    document = pypdfium2.PdfDocument(write([["表題", "一行目。"], ["次の頁", "R2は0.36である。"]]))
    texts = [each.get_textpage().get_text_range().split() for each in document]
    document.close()
    assert texts == [["表題", "一行目。"], ["次の頁", "R2は0.36である。"]]
