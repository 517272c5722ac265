"""The condition language: what it reads, what it refuses and where; nothing holds before a search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.errors import InvalidParams
from shisho.librarian.condition import MAX_DEPTH, AtLeast, Expression, GoalMet, Not, holds, parse
from tests.tables import each_row

GOALS = ("G1", "G2", "G3", "G4")


@each_row(
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
        ("G1 && (G2 || G3)", "G1 G3", True),
        ("G1 ∧ G2 ∨ G3", "G3", True),
        ("G1∧G2", "G1", False),
        ("G1 ＆＆ G2", "G1 G2", True),
        ("at_least(２，G1，G2)", "G1 G2", True),
    ],
)
def test_reads(text: str, met: str, expected: bool) -> None:
    assert holds(parse(text, GOALS), met.split()) is expected


@each_row(
    "text",
    [
        "",
        "   ",
        "not",
        "G1 not G2",
        "! and G1",
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
def test_refuses_with_the_place_of_the_fault(text: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        parse(text, GOALS)
    position = refused.value.details["position"]
    assert 1 <= position <= len(text) + 1 and f"character {position}:" in str(refused.value)


@each_row(
    ("text", "position", "why"),
    [
        ("G1 and G9", 8, "there is no goal G9"),
        ("G1  xor G2", 5, "'xor' is not expected there"),
        ("（G1　and　G7）", 9, "there is no goal G7"),
        ("(G1 or G2", 10, "')' is missing before the end"),
        ("G1 or", 6, "a goal is missing at the end"),
        ("at_least(5, G1, G2)", 10, "takes a number"),
        ("G1-b", 1, "there is no goal G1-b"),
    ],
)
def test_names_the_character_of_the_fault(text: str, position: int, why: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        parse(text, GOALS)
    assert refused.value.details["position"] == position and why in str(refused.value)


@each_row("text", [" " * 1_998 + "G1", "(" * 19 + "G1" + ")" * 19, "not " * 19 + "G1"])
def test_reads_the_longest_and_the_deepest_condition(text: str) -> None:
    assert isinstance(parse(text, GOALS), GoalMet | Not)


@each_row(
    ("text", "position", "why"),
    [
        (" " * 1_999 + "G1", 2_001, "2000"),
        ("(" * 20 + "G1" + ")" * 20, 21, "20"),
        ("not " * 20 + "G1", 81, "20"),
    ],
)
def test_refuses_what_is_longer_or_deeper(text: str, position: int, why: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        parse(text, GOALS)
    assert refused.value.details["position"] == position and why in str(refused.value)


IDS = ("T1", "task-7", "task-70", "決定係数の定義", "a and b", "2", "１．定義", "x(1)")


@each_row(
    ("text", "met", "expected"),
    [
        ("T1 and task-7", "T1 task-7", True),
        ("T1 and task-70", "T1 task-7", False),
        ("t1 AND TASK-7", "T1 task-7", True),
        ("決定係数の定義 and not 2", "決定係数の定義", False),
        ("決定係数の定義∧task-7", "決定係数の定義 task-7", True),
        ("at_least(2, 2, T1, x(1))", "2 x(1)", True),
        ("(x(1))&&T1", "T1 x(1)", True),
        ("1.定義 or T1", "１．定義", True),
    ],
)
def test_ids_have_any_form(text: str, met: str, expected: bool) -> None:
    assert holds(parse(text, IDS), met.split()) is expected


def test_an_id_may_hold_the_words_of_the_language() -> None:
    assert parse("a and b or T1", IDS) == AtLeast(1, (GoalMet("a and b"), GoalMet("T1")))


@each_row("sign", ["not ", "NOT ", "!", "¬", "! "])
def test_not_holds_once_the_search_has_ended_without_evidence(sign: str) -> None:
    condition = parse(f"G1 and {sign}G2", GOALS)
    assert not holds(condition, ["G1"])
    assert holds(condition, ["G1"], ["G2"])
    assert not holds(condition, ["G1", "G2"], ["G3"])
    assert holds(parse(f"{sign}(G1 or G2)", GOALS), [], ["G1", "G2"])
    assert not holds(parse(f"{sign}(G1 or G2)", GOALS), [], ["G1"])
    assert holds(parse(f"{sign}(G1 and G2)", GOALS), ["G2"], ["G1"])
    assert holds(parse(f"{sign}{sign}G1", GOALS), ["G1"])


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
    assert not isinstance(expression, Not)
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
    | st.lists(
        st.sampled_from([*GOALS, "(", ")", ",", "and", "or", "at_least", "2", "not", "!", "&&", "∨"])
    ).map(" ".join)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        expression = parse(text, GOALS)
    except InvalidParams as refused:
        assert 1 <= refused.details["position"] <= len(text) + 1
    else:
        assert not holds(expression, ())
