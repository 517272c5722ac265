"""What is asked in each round, and that nothing is asked twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Plan
from shisho.language.terms import fold, terms
from shisho.librarian.plan import feedback_terms, plan
from shisho.librarian.strategy import strategy

SHOWN = (
    NumberedPassage(1, "回帰モデルの残差平方和を全平方和で割る。", "寄与率", 0.9),
    NumberedPassage(2, "残差平方和が小さいほど回帰の当てはまりはよい。", "当てはまり", 0.8),
    NumberedPassage(3, "天気は晴れである。", "天気", 0.1),
    NumberedPassage(4, "雨が降ると残差が濡れる。", "雨", 0.05),
)
RARITY = {"決定": 1.0, "係数": 3.0, "近い": 0.5, "残差": 4.0, "回帰": 2.0, "平方": 5.0}


def test_round_one_asks_with_the_words_of_all_open_goals() -> None:
    made = strategy("決定係数と相関係数の違いは何か")
    first = plan(made, made.goals, (), (), {})
    assert first.keyword_query == ("決定係数", "相関係数")
    assert first.search_intent == first.vector_query == made.question
    assert first.filter_conditions == {}


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("決定係数について教えてください", "決定係数"),
        ("決定係数の求め方を詳しく説明して", "決定係数の求め方"),
        ("決定係数とは何ですか？", "決定係数"),
        ("平面幾何", "平面幾何"),
        ("気団は何気団？", "気団は何気団？"),
        ("explain ridge regression", "ridge regression"),
    ],
)
def test_the_asking_is_no_part_of_what_is_sought(question: str, query: str) -> None:
    made = strategy(question)
    assert plan(made, made.goals, (), (), {}).keyword_query == (query,)


def test_round_two_drops_the_commonest_term_and_learns_from_the_best_passages() -> None:
    made = strategy("決定係数が近いとき")
    first = plan(made, made.goals, (), (), {})
    second = plan(made, made.goals, (first,), SHOWN, RARITY)
    words = [term for part in second.keyword_query for term in terms(fold(part))]
    assert "近い" not in words, "the commonest"
    assert {"係数", "決定"} <= set(words)
    assert {"寄与", "残差"} <= set(words), "a heading, and a term that two of the best passages share"
    assert "雨" not in words and "濡れる" not in words, "the fourth passage is not among the best"


def test_the_goal_in_focus_leads_later_rounds() -> None:
    made = strategy("決定係数と相関分析の違いは何か")
    first = plan(made, made.goals, (), (), {})
    second = plan(made, made.goals[::-1], (first,), SHOWN, RARITY)
    assert second.vector_query == "相関分析とは何か"
    assert second.reasoning.startswith("G2")


@pytest.mark.parametrize(
    "question", ["決定係数が0に近いとき何を意味するか", "π", "回帰", "What is R squared?"]
)
@pytest.mark.parametrize("shown", [SHOWN, ()])
def test_nothing_is_asked_twice(question: str, shown: tuple[NumberedPassage, ...]) -> None:
    made = strategy(question)
    plans: list[Plan] = []
    for _ in range(12):
        plans.append(plan(made, made.goals, plans, shown, RARITY))
    asked = [frozenset(fold(word) for word in one.keyword_query) for one in plans if one.keyword_query]
    assert asked and len(asked) == len(set(asked))
    assert all(not one.vector_query for one in plans if not one.keyword_query), "nothing left: an empty plan"


def test_filters_of_a_plan_hold_for_two_rounds_and_widen_in_the_third() -> None:
    made = strategy("決定係数とは何か")
    first = replace(plan(made, made.goals, (), (), {}), filter_conditions={"course": "統計学"})
    second = plan(made, made.goals, (first,), SHOWN, RARITY)
    third = plan(made, made.goals, (first, second), SHOWN, RARITY)
    assert second.filter_conditions == {"course": "統計学"}
    assert third.filter_conditions == {}


def test_feedback_comes_from_what_the_best_passages_share() -> None:
    found = feedback_terms(SHOWN)
    assert {"残差", "回帰"} <= set(found) and "天気" not in found
    assert feedback_terms(()) == []
    assert "天気" in feedback_terms(SHOWN[2:3]), "one passage alone speaks for itself"
