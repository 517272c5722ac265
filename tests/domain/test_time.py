"""Instants and waits, as tables."""

from __future__ import annotations

import ast
from datetime import date
from pathlib import Path

import pytest

from shisho.domain.time import (
    Instant,
    add_seconds,
    compute_backoff,
    count_seconds,
    drop_fraction,
    from_epoch,
    to_date,
    to_epoch,
)
from tests.tables import each_row

SRC = Path(__file__).parents[2] / "src" / "shisho"
NINE = Instant("2026-07-01T09:00:00.000000+00:00")


@each_row(
    ("at", "seconds", "then"),
    [
        ("2026-12-31T23:59:59.000000+00:00", 1.5, "2027-01-01T00:00:00.500000+00:00"),
        ("2026-07-01T09:00:00+00:00", 0, "2026-07-01T09:00:00.000000+00:00"),
        ("2026-07-01T09:00:00.000000+00:00", -3600, "2026-07-01T08:00:00.000000+00:00"),
    ],
)
def test_later_instant_is_written_in_the_form_that_compares_as_text(
    at: str, seconds: float, then: str
) -> None:
    assert add_seconds(Instant(at), seconds) == then


def test_instants_compare_as_text_in_the_order_of_their_seconds() -> None:
    seconds = [0.0, 0.25, 9.999999, 10.0, 86_399.5, 86_400.0, 1_782_896_400.0]
    instants = [from_epoch(second) for second in seconds]
    assert instants == sorted(instants) and [to_epoch(instant) for instant in instants] == seconds


def test_second_for_people_compares_with_whole_instants() -> None:
    half_past = add_seconds(NINE, 0.5)
    assert drop_fraction(half_past) == "2026-07-01T09:00:00+00:00"
    assert drop_fraction(half_past) < half_past < drop_fraction(add_seconds(NINE, 1))


def test_seconds_between_two_instants_are_negative_backwards() -> None:
    assert count_seconds(NINE, add_seconds(NINE, 90.5)) == 90.5
    assert count_seconds(add_seconds(NINE, 90.5), NINE) == -90.5


@each_row(
    ("at", "day"),
    [
        ("2026-07-01T23:59:59.999999+00:00", date(2026, 7, 1)),
        ("2026-07-02T00:30:00.000000+09:00", date(2026, 7, 1)),
    ],
)
def test_day_of_an_instant_is_that_of_utc(at: str, day: date) -> None:
    assert to_date(Instant(at)) == day


@each_row(("failures", "seconds"), [(0, 1), (1, 2), (2, 4), (5, 32), (6, 64), (7, 120), (10_000, 120)])
def test_waits_double_up_to_two_minutes(failures: int, seconds: float) -> None:
    assert compute_backoff(failures, 0.5) == pytest.approx(seconds)
    assert compute_backoff(failures, 0.0) == pytest.approx(seconds * 0.9)
    assert compute_backoff(failures, 1.0) == pytest.approx(seconds * 1.1)


@pytest.mark.slow
def test_arithmetic_of_instants_stands_in_one_place() -> None:
    """Each name is defined once in all of src, and no other page reads an instant's text by itself."""
    defined: dict[str, list[str]] = {"add_seconds": [], "compute_backoff": []}
    readers = []
    for page in sorted(SRC.rglob("*.py")):
        for node in ast.walk(ast.parse(page.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name in defined:
                defined[node.name].append(page.relative_to(SRC).as_posix())
            if isinstance(node, ast.Attribute) and node.attr == "fromisoformat":
                readers.append((page.relative_to(SRC).as_posix(), ast.unparse(node)))
    assert defined == {"add_seconds": ["domain/time.py"], "compute_backoff": ["domain/time.py"]}
    assert [
        (page, name)
        for page, name in readers
        if name == "datetime.fromisoformat" and page != "domain/time.py"
    ] == [
        # For people, in their own time zone.
        ("interfaces/cli/render_queue.py", "datetime.fromisoformat"),
        ("rendering/printable.py", "datetime.fromisoformat"),
    ]
