"""The condition language: what it reads, what it refuses, and that more evidence never makes it false."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.librarian.condition import (
    MAX_DEPTH,
    AtLeast,
    ConditionUnreadable,
    Expression,
    GoalMet,
    holds,
    parse,
    read,
)

GOALS = ("G1", "G2", "G3", "G4")


@pytest.mark.parametrize(
    ("text", "met", "expected"),
    [
        ("G1", "G1", True),
        ("G1", "G2", False),
        ("G1 and G2", "G1", False),
        ("G1 and G2", "G1 G2", True),
        ("G1 or G2", "G2", True),
        ("G1 or G2", "G3", False),
        ("G1 and (G2 or G3)", "G1 G3", True),
        ("G1 and (G2 or G3)", "G2 G3", False),
        ("G1 or G2 and G3", "G1", True),
        ("G1 or G2 and G3", "G2", False),
        ("(G1 or G2) and G3", "G1", False),
        ("at_least(2, G1, G2, G3)", "G1 G3", True),
        ("at_least(2, G1, G2, G3)", "G3", False),
        ("at_least(1,G1,G2) AND g4", "G2 G4", True),
        ("AT_LEAST(2, G1, G2) Or G3", "G3", True),
        ("（G1　and　G2）", "G1 G2", True),
        ("((G1))", "G1", True),
    ],
)
def test_reads(text: str, met: str, expected: bool) -> None:
    assert holds(parse(text, GOALS), met.split()) is expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "not G1",
        "G1 and not G2",
        "G5",
        "G1 G2",
        "G1 and",
        "and G1",
        "(G1",
        "G1)",
        "()",
        "at_least(0, G1)",
        "at_least(3, G1, G2)",
        "at_least(2, G1, G1)",
        "at_least(G1, G2)",
        "at_least(²,G1,G2)x",
        "at_least(1)",
        "at_least 1, G1",
        "G1 & G2",
        "G1; DROP TABLE goals",
        "(" * (MAX_DEPTH + 1) + "G1" + ")" * (MAX_DEPTH + 1),
        " or ".join(["G1"] * 1_000),
    ],
)
def test_refuses_and_falls_back_to_all_goals(text: str) -> None:
    with pytest.raises(ConditionUnreadable):
        parse(text, GOALS)
    expression, remark = read(text, GOALS)
    assert holds(expression, GOALS) and not any(holds(expression, set(GOALS) - {goal}) for goal in GOALS)
    assert "all goals" in remark


def expressions() -> st.SearchStrategy[Expression]:
    goals: st.SearchStrategy[Expression] = st.sampled_from(GOALS).map(GoalMet)

    def several(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        lists = st.lists(parts, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            lists.map(lambda found: AtLeast(len(found), found)),
            lists.map(lambda found: AtLeast(1, found)),
            counted(),
        )

    def counted() -> st.SearchStrategy[Expression]:
        unique = st.lists(goals, min_size=3, max_size=4, unique=True).map(tuple)
        return unique.map(lambda found: AtLeast(2, found))

    return st.recursive(goals, several, max_leaves=12)


def written(expression: Expression) -> str:
    if isinstance(expression, GoalMet):
        return expression.goal_id
    parts = [written(part) for part in expression.parts]
    if expression.n not in (1, len(parts)):
        return f"at_least({expression.n}, {', '.join(parts)})"
    return "(" + (" and " if expression.n == len(parts) else " or ").join(parts) + ")"


@given(expressions(), st.sets(st.sampled_from(GOALS)))
def test_what_is_written_is_read_back(expression: Expression, met: set[str]) -> None:
    assert holds(parse(written(expression), GOALS), met) is holds(expression, met)


@given(expressions(), st.sets(st.sampled_from(GOALS)), st.sampled_from(GOALS))
def test_more_evidence_never_makes_it_false(expression: Expression, met: set[str], goal: str) -> None:
    assert not holds(expression, met) or holds(expression, met | {goal})


@given(expressions())
def test_never_true_before_any_search(expression: Expression) -> None:
    assert not holds(expression, ())
    assert holds(expression, GOALS)


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from([*GOALS, "(", ")", ",", "and", "or", "at_least", "2", "not"])).map(" ".join)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    expression, remark = read(text, GOALS)
    assert holds(expression, GOALS)
    assert not holds(expression, ())
    assert remark or parse(text, GOALS) == expression
