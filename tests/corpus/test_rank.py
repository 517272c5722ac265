"""Scoring: each kind of evidence by itself, then all of it over the evaluation sets."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from shisho.corpus.rank import Statistics, Weights, match
from shisho.corpus.weighing import rank
from shisho.domain.corpus import Passage, RankedCandidate
from shisho.language.terms import TermQuery, make_query
from shisho.messages import LANGUAGES, read_catalogue
from shisho.stores.nouns import vector_of
from tests.corpus.passages import passage

NOISE = [
    passage(f"{word}について述べる。特に何もない。", name=f"n{word}")
    for word in ("経済", "音楽", "気象", "歴史", "法律", "医学")
]


def statistics(passages: Sequence[Passage]) -> Statistics:
    words = [[*one.terms.split(), *one.heading_terms.split()] for one in passages]
    pairs = [one.bigrams.split() for one in passages]
    return Statistics(
        passages=len(passages),
        length=sum(len(one.terms.split()) for one in passages) / len(passages),
        heading=sum(len(one.heading_terms.split()) for one in passages) / len(passages),
        pairs=sum(map(len, pairs)) / len(passages),
        terms=Counter(term for each in words for term in set(each)),
        bigrams=Counter(pair for each in pairs for pair in set(each)),
    )


def ranked(
    asked: TermQuery, passages: Sequence[Passage], figures: Statistics, weights: Weights | None = None
) -> list[RankedCandidate]:
    return rank(asked, [vector_of(one) for one in passages], figures, weights)


def order(asked: str, *passages: Passage, weights: Weights | None = None) -> list[str]:
    shelf = [*NOISE, *passages]
    return [one.passage_id for one in ranked(make_query([asked]), passages, statistics(shelf), weights)]


@pytest.mark.parametrize(
    ("evidence", "asked", "better", "worse"),
    [
        (
            "rare term",
            "決定係数の定義",
            passage("決定係数。", name="b"),
            passage("定義、定義、定義。", name="a"),
        ),
        (
            "heading",
            "音速 値",
            passage("値は340である。", "音速", name="b"),
            passage("値は340である。", "光", name="a"),
        ),
        (
            "one sentence",
            "鯨 哺乳類",
            passage("鯨は哺乳類だ。海は青い。", name="b"),
            passage("鯨は海だ。哺乳類は青い。", name="a"),
        ),
        (
            "word for word",
            "猫の犬嫌い",
            passage("猫は犬が大嫌いだ。", name="b"),
            passage("犬は猫が大好きだ。", name="a"),
        ),
        (
            "wording",
            "梅雨がないのはどこか",
            passage("北海道に梅雨がないのは有名。", name="b"),
            passage("北海道に梅雨のある町、ない町。", name="a"),
        ),
        ("kanji alone", "音の速さ", passage("音速について。", name="b"), passage("円周について。", name="a")),
        (
            "phrase",
            '"決定係数" 回帰',
            passage("決定係数。回帰。", name="b"),
            passage("回帰、係数、回帰、決定。", name="a"),
        ),
        (
            "number",
            "第45回の総選挙",
            passage("第45回総選挙。第2回選挙。", name="b"),
            passage("第2回総選挙。選挙区は45。第2回。", name="a"),
        ),
        (
            "short",
            "気圧",
            passage("気圧とは。", name="b"),
            passage("気圧とは。" + "山の高さや海の深さを測ることもある。" * 5, name="a"),
        ),
    ],
)
def test_better_evidence_comes_first(evidence: str, asked: str, better: Passage, worse: Passage) -> None:
    assert order(asked, worse, better) == [better.id, worse.id], evidence


def test_equal_scores_are_ordered_by_id_whatever_order_they_were_proposed_in() -> None:
    twins = [passage("気圧の話。", name=name) for name in ("c", "a", "b")]
    assert order("気圧", *twins) == order("気圧", *reversed(twins)) == ["a", "b", "c"]


def test_a_score_is_the_sum_of_its_parts() -> None:
    one = passage("決定係数は第2回の回帰モデルの当てはまりの良さを表す。", "統計")
    best = ranked(make_query(['第2回の"決定係数" は何を表すか']), [one], statistics([*NOISE, one]))[0]
    names = ("terms", "pairs", "sentence", "wording", "phrase", "number")
    parts = [best.parts[name] for name in names]
    assert best.score == pytest.approx(sum(parts))
    assert all(part > 0 for part in parts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_of_a_score_has_a_name_in_the_reading_room(language: str) -> None:
    one = passage("決定係数。")
    parts = ranked(make_query(["決定係数"]), [one], statistics([*NOISE, one]))[0].parts
    assert {f"room.part_{part}" for part in (*parts, "meaning")} <= read_catalogue(language).keys()


def test_bm25_is_what_the_textbook_says() -> None:
    one = passage("気圧、気圧。")
    only = Weights(saturation=1.2, length=0.0, heading=0, pairs=0, sentence=0, wording=0)
    score = ranked(make_query(["気圧"]), [one], Statistics(10, 2, 0, 2, {"気圧": 1}), only)[0].score
    assert score == pytest.approx(1.992430 * 2 * 2.2 / (2 + 1.2), rel=1e-5)  # ln(1 + (10 - 1 + .5) / 1.5)


def test_a_term_twice_in_a_row_counts_twice() -> None:
    assert order("気圧", passage("気圧と風。", name="a"), passage("気圧気圧。", name="b"))[0] == "b"


def test_match_is_the_share_of_idf_with_the_heading_counted() -> None:
    whole = passage("値。", "音速")
    half = passage("値。")
    none = passage("海。")
    figures = Statistics(10, 1, 1, 1, {"音速": 2, "値": 2})
    asked = make_query(["音速の値"])
    assert [match(asked, one, vector_of(one), figures) for one in (whole, half, none)] == pytest.approx(
        [1.0, 0.5, 0.0]
    )
    assert match(make_query(["？"]), whole, None, figures) == 0.0


def test_nothing_proposed_and_an_empty_corpus() -> None:
    assert ranked(make_query(["気圧"]), [], Statistics(0, 0, 0, 0)) == []
    assert ranked(make_query(["気圧"]), [passage("気圧")], Statistics(0, 0, 0, 0))[0].score > 0


def test_a_passage_without_terms_scores_nothing() -> None:
    assert ranked(make_query(["気圧"]), [passage("。")], Statistics(5, 3, 0, 3))[0].score == 0


def test_a_synonym_counts_as_the_term_itself() -> None:
    passages = [
        passage("領収書を無くした場合は届け出る。", name="a"),
        passage("窓口は朝に開く。", name="b"),
        *NOISE,
    ]
    widened = replace(
        make_query(["レシートの紛失"]),
        synonyms={"レシート": (("領収", "書"), ("領収書",)), "紛失": (("無くす",),)},
    )
    figures = statistics(passages)
    first, *others = ranked(widened, passages, figures)
    assert first.passage_id == "a" and first.parts["match"] == pytest.approx(1.0)
    assert all(not other.score for other in others)
    assert all(not hit.score for hit in ranked(make_query(["レシートの紛失"]), passages, figures))


def test_a_synonym_of_several_terms_counts_where_a_line_has_them_all() -> None:
    passages = [passage("在宅で勤務する。", name="a"), passage("在宅で介護する。", name="b"), *NOISE]
    widened = replace(make_query(["テレワーク"]), synonyms={"テレワーク": (("在宅", "勤務"),)})
    scored = {hit.passage_id: hit.score for hit in ranked(widened, passages, statistics(passages))}
    assert scored["a"] > 0 == scored["b"]
