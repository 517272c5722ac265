"""Questions of kinds that once failed, asked through `ask` of small libraries (eval/kinds)."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
# Of each kind: right answers among the questions that nobody looked at while the code was written.
KEPT = {
    "collection": 5,
    "short_names": 4,
    "designations": 8,
    "opposites": 5,
    "fiscal_years": 5,
    "hard_wrapped": 5,
}
MIN_SHOWN = {"wordings": 85, "definitions": 23, "samples": 19}
MIN_WITHHELD = 17  # of 20 questions about what the documents do not say


@pytest.fixture
def kinds(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bench, which is a folder of programs."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("kinds")


async def ask(kinds: Any, name: str) -> Sequence[Any]:
    """Ask a set of its own documents alone, which every clone has."""
    outcomes: Sequence[Any] = await kinds.ask_rows(
        kinds.load_rows(name), kinds.list_sources(name, Path("none"))
    )
    return outcomes


@pytest.mark.parametrize("name", KEPT)
async def test_every_kind_is_answered_right(kinds: Any, name: str) -> None:
    outcomes = await ask(kinds, name)
    faults = {
        outcome.row["question"]: outcome.faults
        for outcome in outcomes
        if outcome.faults and outcome.row["half"] != "kept"
    }
    kept = [outcome for outcome in outcomes if outcome.row["half"] == "kept"]
    assert faults == {}
    assert len(outcomes) >= 11 and len(kept) >= 5
    assert sum(not outcome.faults for outcome in kept) >= KEPT[name]


@pytest.mark.parametrize("name", MIN_SHOWN)
async def test_first_screen_holds_the_answer(kinds: Any, name: str) -> None:
    outcomes = await ask(kinds, name)
    there = [outcome for outcome in outcomes if outcome.row["needs"]]
    absent = [outcome for outcome in outcomes if not outcome.row["needs"]]
    assert sum(not outcome.faults for outcome in there) >= MIN_SHOWN[name]
    assert sum(not outcome.is_answered for outcome in absent) >= min(MIN_WITHHELD, len(absent))
    wrong = [outcome for outcome in there if outcome.is_answered and outcome.faults]
    assert len(wrong) <= len(there) // 20
