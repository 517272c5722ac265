"""Selection without a model: ranking, marks, probability, and what caps it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Budget, EvidenceRef, Goal
from shisho.domain.loop_state import Spending
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.evidence import ANSWERING_SCORE
from shisho.librarian.policy import EvaluateInput, RulePolicy
from shisho.librarian.selection.features import (
    MAX_PASSAGES,
    SentenceFeatures,
    end_sentence,
    list_candidates,
    match_passages,
)
from shisho.librarian.selection.question import (
    analyse_question,
    find_defined_thing,
    is_definition,
    list_content_terms,
)
from shisho.librarian.selection.ranker import (
    MAX_MARKS,
    MAX_SHOWN,
    MAX_SHOWN_CHARS,
    SelectionFeatures,
    choose_passages,
    estimate_probability,
    load_weights,
    measure_selection,
    rank,
)
from shisho.librarian.selection.select import list_unmatched_goals, list_wanted_terms, select_findings
from shisho.librarian.strategy import strategy
from tests.tables import each_row

GOAL = Goal("G1", "決定係数とは何か")
DEFINED = "決定係数とは、全変動のうち回帰式で説明できる割合である。"
PASSAGES = [
    NumberedPassage(1, f"この章で学ぶ。{DEFINED}0から1の値をとる。", "5.1 定義", 1.0, title="回帰"),
    NumberedPassage(2, "図書館は月曜に休む。", "", 0.1, title="案内"),
]
EVEN = dict.fromkeys(SentenceFeatures._fields, 0.0) | {"coverage": 1.0}


def shown(number: int, text: str, match: float = 1.0, title: str = "") -> NumberedPassage:
    return NumberedPassage(number, text, "", match, title=title or str(number))


@each_row(
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


@each_row(
    ("rarity", "ratio"),
    [({}, 1), ({"決定": 4.0}, 1), ({"決定": 4.0, "回帰": 8.0}, 0.5), ({"決定": 0.0}, 0), ({"係数": 4.0}, 1)],
)
def test_unknown_terms_weigh_as_much_as_the_rarest(rarity: dict[str, float], ratio: float) -> None:
    weights = analyse_question("決定係数", rarity).weights
    assert weights["決定"] == pytest.approx(ratio * weights["係数"])


def test_terms_beside_a_thing_to_define_weigh_half() -> None:
    weights = analyse_question("what is a workspace in uv?", {"workspac": 1.0, "uv": 1.0}).weights
    assert weights["workspac"] == pytest.approx(2 * weights["uv"])


@each_row(
    ("question", "thing"),
    [
        ("決定係数とは何ですか", "決定係数"),
        ("「潮研」って何?", "潮研"),
        ("p値の定義は何か", "p値"),
        ("what is precision?", "precision"),
        ("what is the price of a ticket?", ""),
        ("what is a workspace in uv?", "workspace"),
        ("what is the deadline in may?", ""),
        ("開館はいつですか", ""),
    ],
)
def test_thing_whose_meaning_is_asked_for(question: str, thing: str) -> None:
    assert find_defined_thing(question) == thing


@each_row(
    ("sentence", "expected"),
    [
        (DEFINED, True),
        ("この割合を決定係数という。", True),
        ("決定係数(r-squared)r2は、説明できる割合である。", True),
        ("決定係数を計算する。", False),
        ("自由度調整済み決定係数が高い。", False),
        ("調整済決定係数とは、補正した割合である。", False),
        ("調整決定係数(adjusted)とは、決定係数を補正したものである。", False),
        ("決定係数は0.97であり、高い値である。", False),
        ("決定係数は約0.9である。", False),
        ("以下「決定係数」という。", True),
    ],
)
def test_sentence_that_defines(sentence: str, expected: bool) -> None:
    assert is_definition("決定係数", sentence) is expected


def test_definition_is_marked_and_answers() -> None:
    findings = select_findings(PASSAGES, [GOAL], (), {})
    assert next((found.index, found.snippet) for found in findings) == (1, DEFINED)
    assert findings[0].score >= ANSWERING_SCORE
    assert all(found.index == 1 for found in findings)


def test_what_is_not_there_is_no_answer() -> None:
    findings = select_findings(PASSAGES, [Goal("G1", "火星の人口は何人か")], (), {})
    assert all(found.score < ANSWERING_SCORE for found in findings)
    assert select_findings([shown(1, "猫は三匹いる。")], [Goal("G1", "火星の人口は何人か")], (), {}) == []


def test_synonym_search_never_answers() -> None:
    findings = select_findings(PASSAGES, [GOAL], (), {}, from_synonym_search=True)
    assert findings
    assert max(found.score for found in findings) == pytest.approx(0.99 * ANSWERING_SCORE)


def test_closed_gate_forbids_an_answer_but_hides_nothing() -> None:
    text = "第五小学校の児童数は三百人である。"
    goal = Goal("G1", "第八小学校の児童数は何人か")
    findings = select_findings([shown(1, text)], [goal], (), {})
    assert findings[0].snippet == text
    assert findings[0].score < ANSWERING_SCORE
    own = select_findings([shown(1, text)], [Goal("G1", "第五小学校の児童数は何人か")], (), {})
    assert own[0].score > findings[0].score


def test_only_more_probable_evidence_joins_and_nothing_twice() -> None:
    first = select_findings(PASSAGES, [GOAL], (), {})[0]
    held = EvidenceRef(1, "G1", first.snippet, "", 0.99, 1)
    assert select_findings(PASSAGES, [GOAL], [held], {}) == []
    other = replace(held, snippet="係数の話")
    assert select_findings(PASSAGES, [GOAL], [other], {}) == []
    assert select_findings(PASSAGES, [GOAL], [replace(other, goal_id="G2")], {})[0] == first
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


def test_code_is_shown_with_the_passage_that_leads_it_in() -> None:
    question = analyse_question("決定係数", {})
    lead = replace(shown(1, "決定係数を求める。"), code_after="r2(y, x)", after="\nr2(y, x)")
    code = replace(shown(2, "r2(y, x)"), code=True)
    other = replace(shown(3, "r3(決定係数)"), code=True)
    matched = match_passages(question, [lead, code, other])
    chosen = choose_passages(rank(list(list_candidates(question, matched)), EVEN), matched)
    assert [one.place for one in chosen] == [0, 2]
    long = replace(lead, code_after="x" * MAX_SHOWN_CHARS)
    matched = match_passages(question, [long, other])
    chosen = choose_passages(rank(list(list_candidates(question, matched)), EVEN), matched)
    assert [one.place for one in chosen] == [0]
    findings = select_findings([lead, code], [Goal("G1", "決定係数の求め方")], (), {})
    assert [found.snippet for found in findings] == ["決定係数を求める。", "r2(y, x)"]
    assert {found.score for found in findings} == {findings[0].score}


def test_passages_behind_a_closed_gate_come_last() -> None:
    question = analyse_question("決定係数", {})
    passages = [shown(number, f"決定係数の{number}つ目。") for number in range(1, 21)]
    matched = match_passages(question, passages)
    ranking = rank(list(list_candidates(question, matched)), EVEN)

    def choose(*closed: int) -> list[int]:
        is_closed = {*closed}.__contains__
        choices = choose_passages(ranking, matched, is_closed=lambda choice: is_closed(choice.place))
        return [choice.place for choice in choices]

    assert choose() == [0, 1, 2, 3]
    assert choose(0) == [1, 2, 3, 4]
    assert choose(1, *range(3, 15)) == [0, 2, 15, 1]
    assert choose(*range(20)) == [0, 1, 2, 3]


@each_row(("odds", "places"), [(0.012, [1, 0]), (0.008, [0])])
def test_closed_passage_yields_only_to_what_would_be_shown(odds: float, places: list[int]) -> None:
    question = analyse_question("決定係数", {})
    matched = match_passages(question, [shown(1, "決定係数。"), shown(2, "図書館。")])
    weights = EVEN | {"coverage": -math.log(odds)}
    ranking = rank(list(list_candidates(question, matched)), weights)
    chosen = choose_passages(ranking, matched, is_closed=lambda choice: choice.place == 0)
    assert [choice.place for choice in chosen] == places


def test_least_odds_of_a_passage_follow_the_best_one_that_is_open() -> None:
    question = analyse_question("犬と猫", {})
    matched = match_passages(question, [shown(1, "犬と猫。"), shown(2, "犬。"), shown(3, "鳥。")])
    ranking = rank(list(list_candidates(question, matched)), EVEN | {"coverage": -math.log(0.0005)})

    def choose(closed: int) -> list[int]:
        chosen = choose_passages(ranking, matched, is_closed=lambda choice: choice.place == closed)
        return [choice.place for choice in chosen]

    assert choose(0) == [1, 2, 0]
    assert choose(1) == [0, 1]
    assert choose(2) == [0, 1]


def test_closed_passage_scores_no_more_than_the_open_one_before_it() -> None:
    passages = [
        shown(1, "ホールBの定員は200人である。定員は200人である。"),
        shown(2, "ホールDの定員は90人である。"),
    ]
    findings = select_findings(passages, [Goal("G1", "ホールDの定員は何人か")], (), {})
    scores = [found.score for found in findings]
    assert findings[0].index == 2 and scores == sorted(scores, reverse=True)


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


def measure_titled(question: str, passages: list[NumberedPassage]) -> SelectionFeatures:
    asked = analyse_question(question, {})
    matched = match_passages(asked, passages)
    weights = EVEN | {"coverage": 3.0}
    return measure_selection(asked, rank(list(list_candidates(asked, matched)), weights), matched)


def test_second_source_raises_certainty_if_it_agrees() -> None:
    first = replace(shown(1, "決定係数は回帰の当てはまりである。"), title="統計")
    agreeing = replace(shown(2, "回帰の当てはまりは決定係数でわかる。"), title="入門")
    rival = replace(shown(2, "決定係数は図書館で休む。"), title="入門")
    own = replace(rival, title="統計")
    assert measure_titled("決定係数", [first, agreeing]).agreeing_probability == pytest.approx(1.0)
    assert measure_titled("決定係数", [first, rival]).agreeing_probability == pytest.approx(0.5)
    assert measure_titled("決定係数", [first, own]).agreeing_probability == pytest.approx(1.0)


def test_half_of_what_is_added_is_enough_to_agree() -> None:
    texts = ("決定係数と図書館と犬と回帰", "決定係数と図書館と犬", "決定係数と猫")
    first = replace(shown(1, "決定係数と犬と回帰"), title="甲")
    shares = [
        measure_titled("決定係数", [first, replace(shown(2, text), title="乙")]).agreeing_probability
        for text in texts
    ]
    assert shares == [pytest.approx(1.0), pytest.approx(1.0), pytest.approx(0.5)]


@each_row(("text", "agreeing"), [("犬と猫と図書館", 1.0), ("犬と図書館", 0.5), ("図書館", 0.5)])
def test_half_of_four_added_terms_is_two(text: str, agreeing: float) -> None:
    first = replace(shown(1, "決定係数と犬と猫と鳥と馬"), title="甲")
    other = replace(shown(2, f"決定係数と{text}"), title="乙")
    assert measure_titled("決定係数", [first, other]).agreeing_probability == pytest.approx(agreeing)


@each_row(("others", "margin"), [(0, 0.0), (1, -1.5), (4, -2.4), (5, -2.4), (9, -2.4)])
def test_margin_is_the_mean_of_the_best_five_passages(others: int, margin: float) -> None:
    passages = [shown(number, f"図書館の{number}つ目。") for number in range(2, 2 + others)]
    features = measure_titled("決定係数", [shown(1, "決定係数である。"), *passages])
    assert features.margin == pytest.approx(margin)


def test_margin_tells_a_clear_best_from_rivals() -> None:
    rivals = measure_titled("決定係数", [shown(1, "決定係数である。"), shown(2, "決定係数だ。")])
    clear = measure_titled("決定係数", [shown(1, "決定係数である。"), shown(2, "図書館である。")])
    assert rivals.margin == pytest.approx(0.0)
    assert clear.margin == pytest.approx(-1.5)


def test_missing_and_relevance_are_shares() -> None:
    features = measure_titled("犬と猫と鳥", [shown(1, "犬と回帰である。")])
    assert features.missing == pytest.approx(2 / 3)
    assert features.relevance == pytest.approx(0.5)


def test_quantity_in_question_is_missing_from_the_marked_sentences() -> None:
    asked = "受験料はいくらか"
    without = measure_titled(asked, [shown(1, "受験料は12人が払う。")])
    given = measure_titled(asked, [shown(1, "受験料は500円である。")])
    far = measure_titled(asked, [shown(1, "受験料である。図書館は500円である。")])
    other = measure_titled("受験の案内", [shown(1, "受験の案内である。")])
    assert [each.quantity_missing for each in (without, given, far, other)] == [1.0, 0.0, 1.0, 0.0]
    assert measure_titled("住所を教えて", [shown(1, "住所である。")]).is_open == 0.0


def test_terms_that_no_passage_holds_may_be_misspelt() -> None:
    goals = [GOAL, Goal("G2", "ケッテイケイスウとは何か")]
    assert list_unmatched_goals(PASSAGES, goals) == [goals[1]]


def test_last_sentence_of_a_passage_is_shown_to_its_end() -> None:
    passage = replace(shown(1, "始めの文。途中で切れ"), after="た文の終わり。次の文。")
    assert end_sentence(passage) == "始めの文。途中で切れた文の終わり。"
    assert end_sentence(replace(passage, code=True)) == "始めの文。途中で切れ"
    assert end_sentence(passage, len("始めの文。途中で切れた文の終わり。次の")).endswith("次の")


def measure_first(
    question: str, passages: list[NumberedPassage], rarity: dict[str, float] | None = None
) -> list[SentenceFeatures]:
    asked = analyse_question(question, rarity or {})
    return [one.features for one in list_candidates(asked, match_passages(asked, passages))]


def test_shares_of_a_sentence_its_context_and_its_passage() -> None:
    passage = NumberedPassage(1, "猫が好きだ。犬も好きだ。鳥は飛ぶ。", "魚の章", 0.5, title="馬の本")
    first, second, third = measure_first("猫と犬と鳥と魚と馬", [passage])
    assert [one.coverage for one in (first, second, third)] == pytest.approx([0.2, 0.2, 0.2])
    assert [one.context_coverage for one in (first, second, third)] == pytest.approx([0.2, 0.4, 0.4])
    assert [one.full_coverage for one in (first, second, third)] == pytest.approx([0.6, 0.8, 0.8])
    assert first.passage_coverage == third.passage_coverage == pytest.approx(1.0)
    assert [one.first for one in (first, second, third)] == [1.0, 0.0, 0.0]
    assert {one.match for one in (first, second, third)} == {0.5}


def test_passages_count_in_the_order_of_the_search() -> None:
    passages = [shown(number, f"{number}番の文。", title="甲") for number in (1, 2, 3)]
    ranks = [one.rank for one in measure_first("文", passages)]
    assert ranks == pytest.approx([0.0, -math.log(2), -math.log(3)])


def test_odds_of_a_passage_are_the_sum_of_those_of_its_sentences() -> None:
    question = analyse_question("決定係数", {})
    matched = match_passages(
        question, [shown(1, "決定係数である。"), shown(2, "決定係数だ。決定係数の話。図書館である。")]
    )
    ranking = rank(list(list_candidates(question, matched)), EVEN | {"coverage": 2.0})
    best = math.exp(2)
    assert ranking.passages == (
        (1, pytest.approx(math.log(2 * best + 1))),
        (0, pytest.approx(math.log(best))),
    )


def test_runs_of_three_characters_are_compared_without_white_space() -> None:
    (whole,) = measure_first("決定係数表", [shown(1, "決定\n係数表である。")])
    (third,) = measure_first("決定係数表", [shown(1, "係数表である。")])
    (none,) = measure_first("決定係数表", [shown(1, "表係数定決である。")])
    assert whole.trigrams == 1.0
    assert third.trigrams == pytest.approx(1 / 3)
    assert none.trigrams == 0.0


@each_row(
    ("question", "text", "feature", "expected"),
    [
        ("何議席を得たか", "35議席を得た。", "unit", 1.0),
        ("何議席を得たか", "35人が立った。", "unit", 0.0),
        ("何か国が加わったか", "5か国が加わった。", "unit", 1.0),
        ("写真を撮ってもよいですか", "撮影は禁止する。", "permission", 1.0),
        ("写真を撮ってもよいですか", "写真の歴史。", "permission", 0.0),
        ("写真は誰が撮れますか", "撮影は禁止する。", "permission", 0.0),
        ("can i take photos?", "you must not take photos.", "permission", 1.0),
        ("what can i take?", "you must not take photos.", "permission", 0.0),
        ("手順", "1. 開く。", "item", 1.0),
        ("手順", "• 開く。", "item", 1.0),
        ("手順", "(2) 開く。", "item", 1.0),
        ("手順", "- open it.", "item", 1.0),
        ("手順", "開く。", "item", 0.0),
        ("手順", "2024年に開く。", "item", 0.0),
        ("料金はいくらか", "料金は500円である。", "kind", 1.0),
        ("料金はいくらか", "料金は別に定める。", "kind", 0.0),
        ("料金について", "料金は別に定める。", "kind", 0.5),
    ],
)
def test_form_of_a_sentence(question: str, text: str, feature: str, expected: float) -> None:
    assert getattr(measure_first(question, [shown(1, text)])[0], feature) == expected


def test_code_is_one_sentence_and_text_after_a_passage_is_not_its_own() -> None:
    code = replace(shown(1, "a = 1。\nb = 2。\n"), code=True)
    assert len(measure_first("a", [code])) == 1
    assert len(measure_first("文", [replace(shown(1, "文。"), after="次の文。")])) == 1


def test_words_of_the_same_meaning_count() -> None:
    (same,) = measure_first("人口の増加", [shown(1, "人口が増えた。")])
    (other,) = measure_first("人口の増加", [shown(1, "人口が減った。")])
    assert same.coverage == 1.0
    assert other.coverage < 1.0


def test_figures_of_a_question_are_those_a_passage_must_hold() -> None:
    assert set(analyse_question("2022年に12人は何をしたか", {}).figures) == {"2022", "12"}

    def measure(text: str) -> float:
        question = analyse_question("2022年の人数は12人か", {})
        matched = match_passages(question, [shown(1, text)])
        ranking = rank(list(list_candidates(question, matched)), load_weights().ranker)
        return measure_selection(question, ranking, matched).figures

    assert (measure("2022年は12人だった。"), measure("2021年は12人だった。")) == (1.0, 0.0)


@each_row(
    ("question", "fact", "is_open"),
    [("いつ開くか", 1.0, 0.0), ("誰が行うか", 1.0, 0.0), ("なぜ休むか", 0.0, 0.0), ("開館の案内", 0.0, 1.0)],
)
def test_kind_of_question_for_the_probability(question: str, fact: float, is_open: float) -> None:
    asked = analyse_question(question, {})
    matched = match_passages(asked, [shown(1, "開館は9時である。")])
    features = measure_selection(
        asked, rank(list(list_candidates(asked, matched)), load_weights().ranker), matched
    )
    assert (features.asks_fact, features.is_open) == (fact, is_open)


def test_scores_are_even_on_both_sides_of_an_answer() -> None:
    findings = select_findings(PASSAGES, [GOAL], (), {})
    weights = load_weights()
    question = analyse_question(GOAL.question, {})
    matched = match_passages(question, PASSAGES)
    ranking = rank(list(list_candidates(question, matched)), weights.ranker)
    likely = estimate_probability(
        measure_selection(question, ranking, matched), weights.certainty, weights.intercept
    )
    expected = ANSWERING_SCORE + (1 - ANSWERING_SCORE) * (likely - weights.answered) / (1 - weights.answered)
    assert findings[0].score == pytest.approx(expected, abs=1e-3)


def test_each_goal_has_room_of_its_own_beside_what_is_shown_for_others() -> None:
    passages = [shown(number, f"平均と分散の話{number}。" + "あ" * 480) for number in range(1, 7)]
    goals = [Goal("G1", "平均の話"), Goal("G2", "分散の話")]
    findings = select_findings(passages, goals, (), {})
    first, second = ({found.index for found in findings if found.goal_id == goal.id} for goal in goals)
    assert len(first) == 2
    assert len(second) == 4
    assert first < second
    assert {found.index for found in select_findings(passages, goals[1:], (), {})} == first


@each_row(
    "sentence",
    [
        "決定係数：説明できる割合。",
        "決定係数は、説明できる割合である。",
        "説明できる割合を決定係数と呼ぶ。",
        "以下、決定係数という。",
        "「決定係数」とは割合をいう。",
        "決定係数(説明できる割合のことをいう。)",
    ],
)
def test_forms_of_definitions(sentence: str) -> None:
    assert is_definition("決定係数", sentence)


@each_row(
    ("sentence", "expected"),
    [
        ("a median is the middle value.", True),
        ("this value is called median.", True),
        ("median: the middle value", True),
        ("medians are the middle values.", True),
        ("the median was computed.", False),
        ("the weighted median is the middle value.", False),
        ("加重中央値(weighted median)とは、重みの中央の値である。", False),
        ("the weighted median is near. the median is the middle value.", True),
    ],
)
def test_forms_of_english_definitions(sentence: str, expected: bool) -> None:
    assert is_definition("median", sentence) is expected


@each_row(
    ("odds", "passages", "marks"),
    [(0.35, 2, 2), (0.25, 2, 1), (0.012, 2, 1), (0.008, 1, 1)],
)
def test_how_likely_a_further_passage_and_mark_must_be(odds: float, passages: int, marks: int) -> None:
    question = analyse_question("決定係数", {})
    texts = [shown(1, "決定係数である。図書館である。"), shown(2, "動物園である。")]
    matched = match_passages(question, texts)
    weights = EVEN | {"coverage": -math.log(odds)}
    chosen = choose_passages(rank(list(list_candidates(question, matched)), weights), matched)
    assert len(chosen) == passages
    assert len(chosen[0].marks) == marks


def test_limits_of_what_is_shown() -> None:
    assert (MAX_SHOWN, MAX_SHOWN_CHARS, MAX_MARKS) == (4, 1_100, 4)


@each_row(
    "text",
    [
        "予約できる。",
        "可能である。",
        "出さなければならない。",
        "行うべきだ。",
        "許可が必要だ。",
        "禁止する。",
        "してはいけない。",
        "してはならない。",
        "入れません。",
        "使えない。",
        "違反である。",
        "認める。",
        "許す。",
        "義務がある。",
    ],
)
def test_what_may_or_must_be(text: str) -> None:
    assert measure_first("入ってもよいですか", [shown(1, text)])[0].permission == 1.0


@each_row(
    "word", ["not", "no", "never", "must", "may", "can", "cannot", "should", "only", "allowed", "required"]
)
def test_what_may_or_must_be_in_english(word: str) -> None:
    assert measure_first("is it open?", [shown(1, f"it is {word} open")])[0].permission == 1.0


@each_row(
    "question",
    [
        "入れますか",
        "可能ですか",
        "よいでしょうか",
        "入るか",
        "広いか",
        "開くのか",
        "開いたか",
        "開かないか",
        "入れませんか",
        "入れるんですか",
    ],
)
def test_questions_of_yes_or_no(question: str) -> None:
    assert measure_first(question, [shown(1, "禁止する。")])[0].permission == 1.0


@each_row(
    "verb",
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "has",
        "have",
        "had",
        "will",
        "would",
        "should",
        "must",
        "may",
    ],
)
def test_english_questions_of_yes_or_no(verb: str) -> None:
    assert measure_first(f"{verb} it open?", [shown(1, "it must not")])[0].permission == 1.0


@each_row(
    "word",
    [
        "何が",
        "誰が",
        "いつ",
        "どこが",
        "どれが",
        "どの人が",
        "どう",
        "どんな人が",
        "いくら",
        "いくつ",
        "なぜ",
    ],
)
def test_questions_that_name_their_answer_are_not_of_yes_or_no(word: str) -> None:
    assert measure_first(f"{word}入れますか", [shown(1, "禁止する。")])[0].permission == 0.0


@each_row("word", ["what", "who", "when", "where", "why", "how", "which"])
def test_english_questions_that_name_their_answer(word: str) -> None:
    assert measure_first(f"can you say {word} it is?", [shown(1, "it must not")])[0].permission == 0.0


@each_row(
    "question",
    [
        "決定係数って何",
        "決定係数ってなに",
        "決定係数ってなんですか",
        "決定係数ってどういうもの",
        "決定係数ってどんなもの",
        "決定係数というのは",
        "決定係数というものは何",
        "決定係数という言葉は何",
        "決定係数という用語は何",
        "決定係数という語は何",
        "決定係数という概念は何",
        "決定係数の定義を述べよ",
        "決定係数の意味は",
        "決定係数は何ですか",
        "決定係数はなんでしょうか",
        "決定係数は何を意味するか",
        "決定係数は何を指すか",
    ],
)
def test_wordings_that_ask_for_a_definition(question: str) -> None:
    assert find_defined_thing(question) == "決定係数"


@each_row(
    "question",
    [
        "what is a median",
        "what are the medians",
        "what exactly is median?",
        "what's a median?",
        "what is meant by median?",
        "what is the meaning of median?",
        "who is median?",
        "please define median.",
        "what does median mean?",
        "what do medians stand for?",
        "how is a median defined?",
        "how are medians defined",
    ],
)
def test_english_wordings_that_ask_for_a_definition(question: str) -> None:
    assert find_defined_thing(question).removesuffix("s") == "median"


@each_row(
    "word",
    [
        "of",
        "for",
        "per",
        "in",
        "to",
        "is",
        "are",
        "does",
        "do",
        "did",
        "has",
        "have",
        "can",
        "must",
        "should",
    ],
)
def test_property_of_a_thing_is_no_definition(word: str) -> None:
    assert find_defined_thing(f"what is the price {word} it?") == ""


@each_row(
    "end",
    [
        "である",
        "です",
        "をいう",
        "をいいます",
        "を指す",
        "を指します",
        "という",
        "こと",
        "もの",
        "の一種",
        "の一つ",
    ],
)
def test_ends_of_definitions(end: str) -> None:
    assert is_definition("決定係数", f"決定係数は割合{end}。")


@each_row("word", ["いう", "いい", "いわれる", "言う", "呼ぶ", "称する", "名付ける", "定義する"])
def test_verbs_of_definitions(word: str) -> None:
    assert is_definition("決定係数", f"この割合を決定係数と{word}")


@each_row("word", ["called", "named", "known as", "termed"])
def test_english_verbs_of_definitions(word: str) -> None:
    assert is_definition("median", f"this value is {word} median")


async def test_passages_of_earlier_rounds_stand_before_new_ones_and_some_of_each_are_read() -> None:
    aim = strategy(GOAL.question)
    earlier = [shown(number, f"決定係数の話{number}。") for number in range(1, MAX_PASSAGES + 1)]
    new = [shown(100 + number, f"決定係数の話{number}番。") for number in range(1, 4)]
    allowance = ModelAllowance(Budget(), Spending())

    async def find(*texts: NumberedPassage) -> list[int]:
        inputs = EvaluateInput(aim, aim.goals, texts, {}, (), earlier=earlier)
        return [found.index for found in (await RulePolicy().evaluate(inputs, allowance)).value.findings]

    assert (await find(*new))[0] == 1
    assert (await find(*new, shown(104, DEFINED)))[0] == 104
