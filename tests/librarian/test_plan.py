"""What is asked in each round, and that nothing is asked twice."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.inquiry import Plan
from shisho.language.terms import fold
from shisho.librarian.plan import plan
from shisho.librarian.strategy import strategy
from tests.tables import each_row


def test_round_one_asks_with_the_words_of_all_open_goals() -> None:
    made = strategy("決定係数と相関係数の違いは何か")
    first = plan(made, made.goals, ())
    assert first.keyword_query == ("決定係数", "相関係数")
    assert first.search_intent == first.vector_query == made.question
    assert first.filter_conditions == {}


@each_row(
    ("question", "query"),
    [
        ("決定係数について教えてください", "決定係数"),
        ("決定係数の求め方を詳しく説明して", "決定係数の求め方"),
        ("決定係数とは何ですか？", "決定係数"),
        ("平面幾何", "平面幾何"),
        ("気団は何気団？", "気団は何気団"),
        ("explain ridge regression", "ridge regression"),
    ],
)
def test_the_asking_is_no_part_of_what_is_sought(question: str, query: str) -> None:
    made = strategy(question)
    assert plan(made, made.goals, ()).keyword_query == (query,)


def test_a_later_round_asks_for_one_open_goal_by_itself() -> None:
    made = strategy("決定係数と相関係数の違いは何か")
    first = plan(made, made.goals, ())
    second = plan(made, made.goals, (first,))
    third = plan(made, made.goals, (first, second))
    assert (second.keyword_query, third.keyword_query) == (("決定係数",), ("相関係数",))
    fourth = plan(made, made.goals, (first, second, third))
    assert (fourth.keyword_query, fourth.with_synonyms) == (("決定係数",), True), (
        "決定 is listed, 相関 is not"
    )
    assert plan(made, made.goals, (first, second, third, fourth)).keyword_query == ()


def test_one_goal_is_asked_again_only_in_other_words_as_it_is_read_by_then_or_for_its_definition() -> None:
    other = strategy("決定系数とは何か")
    first = plan(other, other.goals, ())
    second = plan(other, other.goals, (first,))
    assert second.keyword_query == ("決定系数 定義",) and not second.with_synonyms
    third = plan(other, other.goals, (first, second))
    assert third.keyword_query == ("決定系数",) and third.with_synonyms
    assert plan(other, other.goals, (first, second, third)).keyword_query == ()
    read = strategy("決定係数とは何か")
    assert plan(read, read.goals, (first,)).keyword_query == ("決定係数",)


def test_nothing_is_asked_if_no_goal_is_open() -> None:
    made = strategy("決定係数とは何か")
    first = plan(made, made.goals, ())
    assert plan(made, (), (first,)).keyword_query == ()


def test_what_means_the_same_is_looked_for_where_the_own_words_did_not_do() -> None:
    made = strategy("立候補をやめたらどうなりますか")
    first = plan(made, made.goals, ())
    second = plan(made, made.goals, (first,))
    assert (first.with_synonyms, second.with_synonyms) == (False, True)
    assert first.keyword_query == second.keyword_query
    assert plan(made, made.goals, (first, second)).keyword_query == ()


def test_the_goal_in_focus_leads_later_rounds() -> None:
    made = strategy("決定係数と相関分析の違いは何か")
    first = plan(made, made.goals, ())
    second = plan(made, made.goals[::-1], (first,))
    assert second.vector_query == "相関分析とは何か"
    assert second.reasoning.startswith("G2")


@each_row("question", ["決定係数が0に近いとき何を意味するか", "π", "回帰", "What is R squared?"])
def test_nothing_is_asked_twice(question: str) -> None:
    made = strategy(question)
    plans: list[Plan] = []
    for _ in range(12):
        plans.append(plan(made, made.goals, plans))
    asked = [
        (frozenset(fold(word) for word in one.keyword_query), one.with_synonyms)
        for one in plans
        if one.keyword_query
    ]
    assert asked and len(asked) == len(set(asked))
    assert all(not one.vector_query for one in plans if not one.keyword_query), "nothing left: an empty plan"


def test_filters_of_a_plan_hold_for_two_rounds_and_widen_in_the_third() -> None:
    made = strategy("決定係数と相関係数の違いは何か")
    first = replace(plan(made, made.goals, ()), filter_conditions={"course": "統計学"})
    second = plan(made, made.goals, (first,))
    third = plan(made, made.goals, (first, second))
    assert second.filter_conditions == {"course": "統計学"}
    assert third.filter_conditions == {}
