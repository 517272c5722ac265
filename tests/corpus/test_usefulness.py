"""Whether a page was worth its visit: what reaches the floor, what is said twice, and how well that tells
relevant pages."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from pathlib import Path

import pytest

from shisho.corpus import duplicates
from shisho.corpus.rank import Statistics
from shisho.corpus.usefulness import ELSEWHERE, UsefulContent, Usefulness, judge_usefulness
from shisho.domain.corpus import DocumentId, Passage
from shisho.evaluation import load
from shisho.language import terms
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.nouns import vector_of
from shisho.system.clock import SystemClock
from tests.corpus.passages import passage
from tests.making import intake
from tests.shared import shared

BARE = Statistics(ELSEWHERE, 0.0, 0.0, 0.0)


def judged(query: str, *passages: Passage) -> UsefulContent | None:
    vectors = {one.id: vector_of(one) for one in passages}
    return judge_usefulness(terms.make_query([query]), passages, vectors, BARE)


@pytest.mark.parametrize(
    ("query", "text", "heading", "yes"),
    [
        ("決定係数の意味", "決定係数とは、回帰式の当てはまりの良さという意味をもつ指標である。", "", True),
        ("決定係数の意味", "平均は値の和を個数で割ったものである。", "", False),
        ("決定係数の意味", "係数とは変数に掛かる数である。", "", False),
        ("決定係数の意味", "当てはまりの良さを意味する。", "決定係数", True),
        ("スペイン風邪の死者数", "1918年のｽﾍﾟｲﾝ風邪では死者の数が5000万人に達した。", "", True),
        ("株", "株とは何か。", "", True),
        ("株", "債券とは何か。", "", False),
        ("coefficient of determination", "The coefficient of determination is close to one.", "", True),
        ("coefficient of determination", "The mean is the sum over the count.", "", False),
        ("", "何か。", "", False),
        ("?!", "何か。", "", False),
    ],
)
def test_what_speaks_to_a_query(query: str, text: str, heading: str, yes: bool) -> None:
    filler = passage("今日は天気が良い。")
    held = judged(query, filler, passage(text, heading))
    assert (held is not None) == yes
    if held is not None:
        assert held.clusters == {passage(text, heading).cluster} and 0.6 <= held.match <= 1


async def test_the_subject_counts_even_on_a_shelf_that_holds_nothing_else(tmp_path: Path) -> None:
    """Every passage says 図書館: by idf over this shelf alone 歴史 would be the whole query."""
    database = Database(tmp_path / "shisho.db")
    shelf = EmbeddedShelf(database, SystemClock())
    index = LexicalIndex(tmp_path / "lexical", database)
    await shelf.put(intake("\n\n".join(f"図書館の利用者は{number}人である。" for number in range(50))))
    await index.catch_up()
    usefulness = Usefulness(shelf, index, terms.make_query)
    whole = intake("図書館の歴史は古い。", source="b.txt")
    half = intake("歴史は長い。", source="c.txt")
    for each in (whole, half):
        await shelf.put(each)
    assert await usefulness.find("図書館の歴史", whole.document.id) is not None
    assert await usefulness.find("図書館の歴史", half.document.id) is None
    await database.close()


def test_a_copy_is_useful_for_the_same_reason() -> None:
    text = "決定係数とは、回帰式の当てはまりの良さを表す指標であり、零から一までの値をとる。"
    first = passage(text, document="a")
    copied, other = duplicates.join(
        [passage(text + "（転載）", document="b"), passage("決定係数は調整できる。")], [first]
    )
    assert copied.cluster == first.cluster != other.cluster
    held = judged("決定係数", copied)
    both = judged("決定係数", copied, other)
    assert held is not None and held.clusters == {first.cluster}
    assert both is not None and both.clusters - held.clusters == {other.cluster}


async def test_a_document_counts_before_the_index_has_it(tmp_path: Path) -> None:
    database = Database(tmp_path / "shisho.db")
    shelf = EmbeddedShelf(database, SystemClock())
    index = LexicalIndex(tmp_path / "lexical", database)
    usefulness = Usefulness(shelf, index, terms.make_query)
    good = intake("天気は晴れ。\n\n決定係数の意味は当てはまりの良さである。")
    poor = intake("天気は雨。", source="b.txt")
    for each in (good, poor):
        await shelf.put(each)
    before = await usefulness.find("決定係数の意味", good.document.id)
    assert before is not None and before.clusters == {good.passages[1].cluster} and before.match == 1
    assert await usefulness.find("決定係数の意味", poor.document.id) is None
    assert await usefulness.find("決定係数の意味", DocumentId("doc_unknown")) is None
    await index.catch_up()
    assert await usefulness.find("決定係数の意味", good.document.id) == before
    await database.close()


@pytest.mark.slow
def test_relevant_pages_are_told_from_others() -> None:
    """JSQuAD's articles as pages, a bare shelf: the figures beside FLOOR, with room for the sample."""
    held = load(shared("eval", "jsquad-valid"))
    rng = random.Random(7)
    pages: dict[str, list[Passage]] = defaultdict(list)
    article = {entry.id: entry.title for entry in held.entries}
    for entry in held.entries:
        pages[entry.title].append(passage(entry.text, entry.title, entry.title, entry.id))
    found = 0
    alarms = 0
    questions = rng.sample(held.questions, 200)
    for question in questions:
        own = {article[name] for name in held.judged[question.id]}
        found += any(judged(question.text, *pages[title]) is not None for title in own)
        other = rng.choice([title for title in pages if title not in own])
        alarms += judged(question.text, *pages[other]) is not None
    assert found >= 0.92 * len(questions) and alarms <= 0.03 * len(questions), (found, alarms)


@pytest.mark.apart
def test_fifty_passages_take_less_than_five_milliseconds() -> None:
    rng = random.Random(3)
    words = ["決定係数", "回帰", "分散", "平均", "図書館", "歴史", "観測", "予報", "台風", "温度"]
    page = [
        passage("".join(f"{rng.choice(words)}の" for _ in range(120)) + "話。", name=f"p{n}")
        for n in range(50)
    ]
    vectors = {one.id: vector_of(one) for one in page}
    query = terms.make_query(["台風の進路予報の精度は何によって決まるか"])
    spent = []
    for _ in range(10):
        began = time.process_time()
        judge_usefulness(query, page, vectors, BARE)
        spent.append(time.process_time() - began)
    assert min(spent) < 0.005, spent
