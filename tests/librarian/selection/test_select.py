"""Selection without a model: ranking, marks, probability, and what caps it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Goal
from shisho.librarian.levels import ENOUGH
from shisho.librarian.selection.answer_kinds import AnswerKind, find_kind, gives_kind
from shisho.librarian.selection.certainty import (
    SelectionFeatures,
    estimate_probability,
    measure_selection,
)
from shisho.librarian.selection.definitions import find_defined_thing, is_definition
from shisho.librarian.selection.features import SentenceFeatures, list_candidates, match_passages
from shisho.librarian.selection.passages import end_sentence
from shisho.librarian.selection.question import analyse_question, list_content_terms
from shisho.librarian.selection.ranker import (
    MAX_MARKS,
    MAX_SHOWN,
    MAX_SHOWN_CHARS,
    choose_passages,
    rank,
)
from shisho.librarian.selection.select import list_unmatched_goals, list_wanted_terms, select_findings
from shisho.librarian.selection.weights import load_weights

GOAL = Goal("G1", "決定係数とは何か")
DEFINED = "決定係数とは、全変動のうち回帰式で説明できる割合である。"
PASSAGES = [
    NumberedPassage(1, f"この章で学ぶ。{DEFINED}0から1の値をとる。", "5.1 定義", 1.0, title="回帰"),
    NumberedPassage(2, "図書館は月曜に休む。", "", 0.1, title="案内"),
]
EVEN = dict.fromkeys(SentenceFeatures._fields, 0.0) | {"coverage": 1.0}


def shown(number: int, text: str, match: float = 1.0, title: str = "") -> NumberedPassage:
    return NumberedPassage(number, text, "", match, title=title or str(number))


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("リソースを削除するにはどうすればいいですか", ("リソース", "削除")),
        ("p値の定義は何か", ("p", "値")),
        ("Could you tell me how many days of leave there are?", ("day", "leav")),
        ("何ですか", ()),
    ],
)
def test_content_terms_are_those_that_passages_can_hold(question: str, terms: tuple[str, ...]) -> None:
    assert set(list_content_terms(question)) == set(terms)
    assert set(list_wanted_terms([Goal("G1", question)])) == set(terms)


def test_rare_terms_weigh_more_and_verbs_half() -> None:
    weights = analyse_question("決定係数を使う", {"決定": 4.0, "係数": 2.0, "使う": 4.0}).weights
    assert weights["決定"] == pytest.approx(2 * weights["係数"])
    assert weights["使う"] == pytest.approx(weights["係数"])
    assert sum(weights.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("決定係数とは何ですか", "決定係数"),
        ("「潮研」って何?", "潮研"),
        ("p値の定義は何か", "p値"),
        ("what is precision?", "precision"),
        ("what is the price of a ticket?", ""),
        ("開館はいつですか", ""),
    ],
)
def test_thing_whose_meaning_is_asked_for(question: str, thing: str) -> None:
    assert find_defined_thing(question) == thing


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (DEFINED, True),
        ("この割合を決定係数という。", True),
        ("決定係数(r-squared)r2は、説明できる割合である。", True),
        ("決定係数を計算する。", False),
        ("自由度調整済み決定係数が高い。", False),
    ],
)
def test_sentence_that_defines(sentence: str, expected: bool) -> None:
    assert is_definition("決定係数", sentence) is expected


@pytest.mark.parametrize(
    ("question", "kind", "gives", "lacks"),
    [
        ("なぜ延期されたか", AnswerKind.REASON, "雨のため延期された。", "延期された。"),
        ("いつ開館するか", AnswerKind.TIME, "9時に開館する。", "開館する。"),
        ("誰が行うか", AnswerKind.PERSON, "課長が行う。", "行う。"),
        ("料金はいくらか", AnswerKind.AMOUNT, "料金は500円である。", "料金は別に定める。"),
        ("どこで配るか", AnswerKind.PLACE, "受付の窓口で配る。", "あとで配る。"),
        ("how do i delete it?", AnswerKind.WAY, "click delete.", "it was deleted."),
    ],
)
def test_kind_of_answer(question: str, kind: AnswerKind, gives: str, lacks: str) -> None:
    assert find_kind(question) is kind
    assert gives_kind(kind, question, gives)
    assert not gives_kind(kind, question, lacks)


def test_figure_of_the_question_itself_gives_no_amount() -> None:
    assert not gives_kind(AnswerKind.AMOUNT, "2022年度の費用はいくらか", "2022年度の費用は別に定める。")


def test_definition_is_marked_and_answers() -> None:
    findings = select_findings(PASSAGES, [GOAL], (), {})
    assert next((found.index, found.snippet) for found in findings) == (1, DEFINED)
    assert findings[0].score >= ENOUGH
    assert all(found.index == 1 for found in findings)


def test_what_is_not_there_is_no_answer() -> None:
    findings = select_findings(PASSAGES, [Goal("G1", "火星の人口は何人か")], (), {})
    assert all(found.score < ENOUGH for found in findings)


def test_synonym_search_never_answers() -> None:
    findings = select_findings(PASSAGES, [GOAL], (), {}, from_synonym_search=True)
    assert findings
    assert all(found.score < ENOUGH for found in findings)


def test_closed_gate_forbids_an_answer_but_hides_nothing() -> None:
    text = "第五小学校の児童数は三百人である。"
    goal = Goal("G1", "第八小学校の児童数は何人か")
    findings = select_findings([shown(1, text)], [goal], (), {})
    assert findings[0].snippet == text
    assert findings[0].score < ENOUGH
    own = select_findings([shown(1, text)], [Goal("G1", "第五小学校の児童数は何人か")], (), {})
    assert own[0].score > findings[0].score


def test_only_more_probable_evidence_joins_and_nothing_twice() -> None:
    first = select_findings(PASSAGES, [GOAL], (), {})[0]
    held = EvidenceRef(1, "G1", first.snippet, "", 0.99, 1)
    assert select_findings(PASSAGES, [GOAL], [held], {}) == []
    weaker = replace(held, score=0.1)
    assert first.snippet not in [found.snippet for found in select_findings(PASSAGES, [GOAL], [weaker], {})]


def test_other_name_of_a_thing_counts_as_its_name() -> None:
    passages = [shown(1, "The DTE is led by Mr Hara.")]
    question = analyse_question("Who leads the Department of Tidal Engineering?", {})
    names = {"department of tidal engineering": frozenset({"dte"})}
    plain = next(list_candidates(question, match_passages(question, passages)))
    named = next(list_candidates(question, match_passages(question, passages, names)))
    assert plain.features.coverage < 0.5 < named.features.coverage


def test_marked_definition_of_the_library_counts() -> None:
    question = analyse_question("誤差とは何か", {})
    text = "誤差 観測できない確率変数。"
    plain, marked = (shown(1, text), replace(shown(1, text), definition=(0, len(text))))
    features = [
        next(list_candidates(question, match_passages(question, [one]))).features for one in (plain, marked)
    ]
    assert [one.definition for one in features] == [0.0, 1.0]


def test_passages_are_shown_within_their_limits() -> None:
    question = analyse_question("決定係数", {})
    long = [shown(number, f"決定係数{number}。" + "あ" * 400) for number in range(1, 7)]
    matched = match_passages(question, long)
    chosen = choose_passages(rank(list(list_candidates(question, matched)), EVEN), matched)
    assert len(chosen) == 2
    assert sum(len(matched[one.place].shown.text) for one in chosen) <= MAX_SHOWN_CHARS
    short = [shown(number, f"決定係数は{number}である。") for number in range(1, 7)]
    matched = match_passages(question, short)
    assert len(choose_passages(rank(list(list_candidates(question, matched)), EVEN), matched)) == MAX_SHOWN
    huge = match_passages(question, [shown(1, "決定係数。" + "あ" * 2_000)])
    assert len(choose_passages(rank(list(list_candidates(question, huge)), EVEN), huge)) == 1


def test_copies_and_far_less_likely_passages_are_not_shown() -> None:
    question = analyse_question("決定係数", {})
    passages = [
        shown(1, "決定係数である。"),
        shown(2, "決定係数である。", title="1"),
        shown(3, "図書館である。"),
    ]
    matched = match_passages(question, passages)
    candidates = list(list_candidates(question, matched))
    strong = EVEN | {"coverage": 10.0}
    assert [one.place for one in choose_passages(rank(candidates, strong), matched)] == [0]
    assert [one.place for one in choose_passages(rank(candidates, EVEN), matched)] == [0, 2]


def test_marks_stand_in_the_order_of_the_text_and_are_few() -> None:
    question = analyse_question("決定係数", {})
    text = "".join(f"決定係数は{number}である。" for number in range(9)) + "図書館は休む。"
    matched = match_passages(question, [shown(1, text)])
    (one,) = choose_passages(
        rank(list(list_candidates(question, matched)), EVEN | {"coverage": 5.0}), matched
    )
    places = [mark.place for mark in one.marks]
    assert places == sorted(places)
    assert len(places) == MAX_MARKS
    assert 9 not in places


def test_probability_is_the_logistic_of_the_weighed_features() -> None:
    question = analyse_question(GOAL.question, {})
    matched = match_passages(question, PASSAGES)
    features = measure_selection(
        question, rank(list(list_candidates(question, matched)), load_weights().ranker), matched
    )
    nothing = dict.fromkeys(SelectionFeatures._fields, 0.0)
    assert estimate_probability(features, nothing, 0.0) == 0.5
    assert estimate_probability(features, nothing, math.log(3)) == pytest.approx(0.75)
    one = nothing | {"terms": 2.0}
    expected = 1 / (1 + math.exp(-2 * features.terms))
    assert estimate_probability(features, one, 0.0) == pytest.approx(expected)
    assert (features.definition, features.missing, features.rank) == (1.0, pytest.approx(0.0), 0.0)
    assert features.terms == pytest.approx(math.log(3))


def test_margin_and_document_share_tell_a_clear_best_from_rivals() -> None:
    question = analyse_question("決定係数", {})
    weights = EVEN | {"coverage": 3.0}

    def measure(passages: list[NumberedPassage]) -> SelectionFeatures:
        matched = match_passages(question, passages)
        return measure_selection(question, rank(list(list_candidates(question, matched)), weights), matched)

    rivals = measure([shown(1, "決定係数である。"), shown(2, "決定係数だ。")])
    clear = measure([shown(1, "決定係数である。"), shown(2, "図書館である。")])
    assert rivals.margin == pytest.approx(0.0)
    assert rivals.document_probability == pytest.approx(0.5)
    assert clear.margin == pytest.approx(-1.5)
    assert clear.document_probability == pytest.approx(1 / (1 + math.exp(-3)))


def test_terms_that_no_passage_holds_may_be_misspelt() -> None:
    goals = [GOAL, Goal("G2", "ケッテイケイスウとは何か")]
    assert list_unmatched_goals(PASSAGES, goals) == [goals[1]]


def test_last_sentence_of_a_passage_is_shown_to_its_end() -> None:
    passage = replace(shown(1, "始めの文。途中で切れ"), after="た文の終わり。次の文。")
    assert end_sentence(passage) == "始めの文。途中で切れた文の終わり。"
    assert end_sentence(replace(passage, code=True)) == "始めの文。途中で切れ"
    assert end_sentence(passage, len("始めの文。途中で切れた文の終わり。次の")).endswith("次の")
