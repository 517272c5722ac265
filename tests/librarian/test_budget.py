"""Ceilings hold before the spending, one by one and together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shisho.domain.inquiry import Budget, LoopStop
from shisho.domain.loop_state import Spending
from shisho.librarian.allowance import estimate_next_round, find_reached_ceiling
from tests.tables import each_row

BUDGET = Budget(max_rounds=3, max_seconds=10.0, max_pages=20, max_model_calls=8, max_tokens=1_000)


@each_row(
    ("spent", "cost", "expected"),
    [
        (Spending(), Spending(), None),
        (Spending(rounds=2), Spending(rounds=1), None),
        (Spending(rounds=3), Spending(rounds=1), LoopStop.ROUNDS),
        (Spending(seconds=9.0), Spending(seconds=1.0), None),
        (Spending(seconds=9.5), Spending(seconds=1.0), LoopStop.SECONDS),
        (Spending(pages=20), Spending(pages=1), LoopStop.PAGES),
        (Spending(model_calls=8), Spending(model_calls=1), LoopStop.MODEL_CALLS),
        (Spending(tokens=600), Spending(tokens=401), LoopStop.TOKENS),
        (Spending(rounds=3, seconds=99.0), Spending(rounds=1, seconds=1.0), LoopStop.ROUNDS),
        # Having overshot one ceiling does not forbid what does not touch it.
        (Spending(tokens=5_000), Spending(rounds=1), None),
    ],
)
def test_ceiling(spent: Spending, cost: Spending, expected: LoopStop | None) -> None:
    assert find_reached_ceiling(BUDGET, spent, cost) is expected


def test_zero_allows_none() -> None:
    none = Budget(max_model_calls=0, max_tokens=0)
    assert find_reached_ceiling(none, Spending(), Spending(model_calls=1)) is LoopStop.MODEL_CALLS
    assert find_reached_ceiling(none, Spending(), Spending(tokens=1)) is LoopStop.TOKENS
    assert find_reached_ceiling(none, Spending(), Spending(rounds=1)) is None


def test_the_next_round_is_expected_to_cost_the_mean_of_those_before() -> None:
    spent = Spending(rounds=2, seconds=6.0, pages=5, model_calls=3, tokens=900)
    assert estimate_next_round(spent) == Spending(rounds=1, seconds=3.0, model_calls=2, tokens=450)
    assert estimate_next_round(Spending()).rounds == 1


amounts = st.builds(
    Spending,
    rounds=st.integers(0, 5),
    seconds=st.floats(0, 20, allow_nan=False),
    pages=st.integers(0, 30),
    model_calls=st.integers(0, 10),
    tokens=st.integers(0, 2_000),
)


@given(st.lists(amounts, max_size=12))
def test_what_is_spent_after_asking_never_exceeds_the_budget(costs: list[Spending]) -> None:
    spent = Spending()
    for cost in costs:
        if find_reached_ceiling(BUDGET, spent, cost) is None:
            spent += cost
    assert spent.rounds <= 3 and spent.seconds <= 10.0 and spent.pages <= 20
    assert spent.model_calls <= 8 and spent.tokens <= 1_000
