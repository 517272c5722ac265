"""What is written from evidence: quotations in goal order, what is missing, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import east_asian_width

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.domain.inquiry import (
    AnswerLevel,
    EvidenceRef,
    GoalStatus,
    LoopStop,
    NextStep,
    Strategy,
    Verdict,
)
from shisho.domain.loop_state import Draft
from shisho.language.display import join_lines
from shisho.librarian.answer import compose
from shisho.librarian.strategy import strategy

TWO = strategy("平均と分散はそれぞれ何ですか")
ONE = strategy("決定係数とは何か")
ENGLISH = strategy("What is a mean? What is a median?")


def ref(number: int, goal: str, snippet: str, score: float = 0.9, heading: str = "") -> EvidenceRef:
    return EvidenceRef(number, goal, snippet, heading, score, 1)


def written(made: Strategy, evidence: Sequence[EvidenceRef], stop: LoopStop) -> Draft:
    met = {one.goal_id for one in evidence if one.score >= 0.5}
    status = [
        GoalStatus(
            goal.id,
            int(goal.id in met),
            int(goal.id in met),
            goal.id in met,
            AnswerLevel.ANSWERED if goal.id in met else AnswerLevel.NOT_FOUND,
        )
        for goal in made.goals
    ]
    return compose(made, status, evidence, Verdict(NextStep.COMPLETE, "", "", stop))


def test_quotations_in_goal_order_with_headings() -> None:
    draft = written(
        TWO,
        [
            ref(1, "G2", "分散は散らばりの度合いである。", heading="第2章"),
            ref(2, "G1", "平均は和を個数で割る。"),
        ],
        LoopStop.CONDITION_MET,
    )
    assert draft.text == (
        "回答あり · 抜粋のみ(モデル未設定)\n\n"
        "■ 平均は何ですか — 回答あり\n「平均は和を個数で割る。」 [2]\n\n"
        "■ 分散は何ですか — 回答あり\n「分散は散らばりの度合いである。」 [1] — 第2章"
    )
    assert [(one.text, one.evidence, one.support) for one in draft.sentences] == [
        ("平均は和を個数で割る。", (2,), "supported"),
        ("分散は散らばりの度合いである。", (1,), "supported"),
    ]
    assert draft.missing == () and draft.level is AnswerLevel.ANSWERED


def test_one_goal_needs_no_title_and_the_best_comes_first() -> None:
    draft = written(
        ONE, [ref(1, "G1", "近い文。", 0.6), ref(2, "G1", "答えの文。", 0.9)], LoopStop.CONDITION_MET
    )
    assert draft.text == "回答あり · 抜粋のみ(モデル未設定)\n\n「答えの文。」 [2]\n「近い文。」 [1]"


def test_a_quotation_is_read_on_one_line_and_its_slice_is_kept() -> None:
    sliced = "\uf0b7\t決定係数が1に近いとき、観\n測値が⼆つ並ぶ。"
    draft = written(ONE, [ref(1, "G1", sliced, heading="5.2\t読み\n⽅")], LoopStop.CONDITION_MET)
    assert draft.text.endswith("「• 決定係数が1に近いとき、観測値が二つ並ぶ。」 [1] — 5.2 | 読み / 方")
    assert draft.sentences[0].text == sliced


def test_what_is_missing_is_named_with_the_reason() -> None:
    draft = written(TWO, [ref(1, "G1", "平均は和を個数で割る。")], LoopStop.SECONDS)
    assert "次の点の答えは見つかりませんでした: 分散は何ですか" in draft.text and "時間の上限" in draft.text
    assert draft.missing == ("分散は何ですか",) and draft.level is AnswerLevel.ANSWERED


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            "法隆寺は607年に建立された。",
            "法隆寺は670年に建立された。",
            "※ [1] と [2] は日付が食い違っています。",
        ),
        (
            "明石海峡大橋の長さは30メートルである。",
            "明石海峡大橋の長さは45メートルである。",
            "※ [1] と [2] は数が食い違っています。",
        ),
        (
            "銀閣寺は猫を連れて入れる。",
            "銀閣寺は猫を連れて入れない。",
            "※ [1] と [2] は肯定と否定が食い違っています。",
        ),
        ("法隆寺は607年に建立された。", "東大寺は752年に建立された。", ""),
        ("明石海峡大橋の長さは30メートルである。", "明石海峡大橋の長さは30mである。", ""),
    ],
)
def test_quotations_that_disagree_are_shown_as_such(first: str, second: str, said: str) -> None:
    draft = written(ONE, [ref(1, "G1", first, 0.9), ref(2, "G1", second, 0.8)], LoopStop.CONDITION_MET)
    assert f"「{first}」 [1]" in draft.text and f"「{second}」 [2]" in draft.text
    assert said in draft.text and (bool(said) == ("食い違って" in draft.text))


def test_near_misses_are_called_so() -> None:
    draft = written(ONE, [ref(1, "G1", "相関係数とは指標である。", 0.3)], LoopStop.EXHAUSTED)
    assert draft.level is AnswerLevel.NEAR and draft.missing == (ONE.question,)
    assert (
        draft.text.index("見つかりませんでした")
        < draft.text.index("近い記述:")
        < draft.text.index("「相関係数とは指標である。」 [1]")
    )


def test_the_first_line_says_the_level_in_words_and_fits_a_narrow_screen() -> None:
    for aim, words in (
        (ONE, ("回答あり", "近い記述のみ", "見つかりません")),
        (ENGLISH, ("Answered", "Near", "Not found")),
    ):
        for score, level, said in zip((0.9, 0.3, None), AnswerLevel, words, strict=True):
            refs = [] if score is None else [ref(1, "G1", "決定係数とは指標である。", score)]
            draft = written(aim, refs, LoopStop.EXHAUSTED)
            assert (draft.level, draft.text.split(" · ")[0]) == (level, said)
            first_line = draft.text.splitlines()[0]
            assert sum(1 + (east_asian_width(char) in "WF") for char in first_line) <= 40, first_line


def test_each_of_several_goals_says_its_own_level() -> None:
    draft = written(
        TWO,
        [ref(1, "G1", "平均は和を個数で割る。"), ref(2, "G2", "分散は表にある。", 0.3)],
        LoopStop.EXHAUSTED,
    )
    assert draft.level is AnswerLevel.ANSWERED
    assert "■ 平均は何ですか — 回答あり" in draft.text and "■ 分散は何ですか — 近い記述のみ" in draft.text


def test_an_alternative_that_was_not_needed_is_not_missing() -> None:
    either = Strategy(TWO.question, TWO.goals, "G1 or G2", TWO.complexity)
    draft = written(either, [ref(1, "G1", "平均は和を個数で割る。")], LoopStop.CONDITION_MET)
    assert draft.missing == () and "見つかりませんでした" not in draft.text


@pytest.mark.parametrize("stop", [stop for stop in LoopStop if stop is not LoopStop.CONDITION_MET])
def test_an_abstention_says_so_and_why_in_both_languages(stop: LoopStop) -> None:
    for made, said, why in (
        (ONE, "見つかりませんでした", "探索の終了: "),
        (ENGLISH, "Nothing in the documents", "The search ended: "),
    ):
        draft = written(made, [], stop)
        assert draft.level is AnswerLevel.NOT_FOUND and said in draft.text and why in draft.text
        assert draft.sentences == () and draft.missing == tuple(goal.question for goal in made.goals)
        assert "[" not in draft.text, "nothing to cite, nothing cited"


def test_english() -> None:
    draft = written(
        ENGLISH, [ref(1, "G1", "A mean is a sum over a count.", heading="Means")], LoopStop.ROUNDS
    )
    assert draft.text.startswith(
        "Answered · quotations only, no model\n\n■ What is a mean? — Answered\n“A mean is a sum over a count.” [1] — Means"
    )
    assert "No answer was found to: What is a median?" in draft.text
    assert not re.search(r"[ぁ-んァ-ヺ一-鿿]", draft.text)


@pytest.mark.parametrize(
    ("question", "expected"),
    [("決定係数", True), ("R²とは", True), ("カタカナ", True), ("What is R²?", False), ("π?", False)],
)
def test_the_language_of_the_answer_is_that_of_the_question(question: str, expected: bool) -> None:
    head = "見つかりません · 抜粋のみ(モデル未設定)" if expected else "Not found · quotations only, no model"
    assert written(strategy(question), [], LoopStop.ROUNDS).text.splitlines()[0] == head


snippets = st.text(min_size=1, max_size=40)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["G1", "G2"]), snippets, st.floats(0, 1)), max_size=6))
def test_every_quotation_stands_as_it_is_read_beside_its_number(found: list[tuple[str, str, float]]) -> None:
    evidence = [ref(number, goal, snippet, score) for number, (goal, snippet, score) in enumerate(found, 1)]
    draft = written(TWO, evidence, LoopStop.ROUNDS)
    assert all(f"「{join_lines(one.snippet)}」 [{one.number}]" in draft.text for one in evidence)
    assert sorted(sentence.evidence[0] for sentence in draft.sentences) == [one.number for one in evidence]
    best = max((one.score for one in evidence), default=-1.0)
    assert draft.level == ("answered" if best >= 0.5 else "near" if best >= 0 else "not_found")


def test_a_heading_is_named_as_one() -> None:
    heading = EvidenceRef(1, "G1", "2016年 第1.0版", "改定履歴", 0.9, 1, is_heading=True)
    assert "見出し「2016年 第1.0版」 [1] — 改定履歴" in written(ONE, [heading], LoopStop.CONDITION_MET).text
