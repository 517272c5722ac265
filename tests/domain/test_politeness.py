"""The breaker's rule, row by row."""

from __future__ import annotations

from functools import reduce

import pytest

from shisho.domain.politeness import (
    BreakerState,
    EngineHealth,
    RequestOutcome,
    add_rates,
    may_probe,
    record_outcome,
    refresh_breaker,
)
from shisho.domain.time import add_seconds
from tests.tables import each_row

NOW = "2026-07-01T09:00:00.000000+00:00"
CLOSED = BreakerState.CLOSED
OPEN = BreakerState.OPEN
HALF = BreakerState.HALF_OPEN
F = RequestOutcome.FAILURE
S = RequestOutcome.SUCCESS
C = RequestOutcome.CHALLENGE


@each_row(
    ("outcomes", "breaker", "failures", "openings", "minutes"),
    [
        ([S], CLOSED, 0, 0, None),
        ([F], CLOSED, 1, 0, None),
        ([F, S, F], CLOSED, 1, 0, None),
        ([F, F], OPEN, 2, 1, 30),
        ([C], OPEN, 1, 1, 30),
        ([F, C], OPEN, 2, 1, 30),
        ([F, F, F, C], OPEN, 4, 1, 30),
        ([F, F, S], CLOSED, 0, 0, None),
        ([C, S, F], CLOSED, 1, 0, None),
    ],
)
def test_answers_one_after_another(
    outcomes: list[RequestOutcome], breaker: BreakerState, failures: int, openings: int, minutes: int | None
) -> None:
    held = reduce(
        lambda health, outcome: record_outcome(health, outcome, NOW, "x"), outcomes, EngineHealth("mojeek")
    )
    assert (held.breaker, held.failures, held.openings) == (breaker, failures, openings)
    assert held.open_until == (None if minutes is None else add_seconds(NOW, 60 * minutes))


@each_row(
    ("openings", "outcome", "minutes"), [(1, F, 60), (2, F, 120), (3, F, 120), (9, C, 120), (2, S, None)]
)
def test_a_try_while_half_open(openings: int, outcome: RequestOutcome, minutes: int | None) -> None:
    held = refresh_breaker(EngineHealth("mojeek", OPEN, 2, openings, NOW), NOW)
    assert held.breaker is HALF
    after = record_outcome(held, outcome, NOW)
    if minutes is None:
        assert (after.breaker, after.openings, after.open_until) == (CLOSED, 0, None)
    else:
        assert (after.breaker, after.openings, after.open_until) == (
            OPEN,
            openings + 1,
            add_seconds(NOW, 60 * minutes),
        )


@each_row(
    ("until", "breaker", "left"),
    [
        (-1, HALF, -1),
        (0, HALF, 0),
        (1, OPEN, 1),
        (1800, OPEN, 1800),
        (1801, OPEN, 1800),
        (86_400, OPEN, 1800),
    ],
)
def test_a_breaker_by_the_time(until: float, breaker: BreakerState, left: float) -> None:
    held = refresh_breaker(EngineHealth("mojeek", OPEN, 2, 1, add_seconds(NOW, until)), NOW)
    assert (held.breaker, held.open_until) == (breaker, add_seconds(NOW, left))


@each_row(
    ("prober", "until", "asker", "may"),
    [
        (None, None, "a", True),
        ("b", 30, "a", False),
        ("a", 30, "a", True),
        ("", 30, "", False),
        ("b", 0, "a", True),
        ("b", 119, "a", False),
        ("b", 121, "a", True),
    ],
)
def test_the_right_to_try(prober: str | None, until: float | None, asker: str, may: bool) -> None:
    assert may_probe(prober, None if until is None else add_seconds(NOW, until), asker, NOW) is may


def test_rates() -> None:
    health = EngineHealth("mojeek")
    assert add_rates(health, []) is health
    held = add_rates(health, [(S, 0.2), (S, 0.4), (F, 20.0), (C, 0.3)])
    assert (held.success_rate, held.challenge_rate, held.median_latency_s) == (0.5, 0.25, pytest.approx(0.35))
