"""Quality does not fall: a fixed subset of the evaluation sets against eval/floors.json, through ingest and
searcher."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shisho.evaluation.run import measure
from tests.shared import shared

pytestmark = pytest.mark.floors
FLOORS = json.loads((Path(__file__).parent.parent / "eval" / "floors.json").read_text("utf-8"))
BY_WORDS = FLOORS["subset"]
WITH_MEANING = FLOORS["subset, with meaning"]
QUESTIONS = {"jsquad-valid": 300, "niilc-dev": None, "cranfield": None}


@pytest.mark.parametrize("name", BY_WORDS)
async def test_no_figure_is_below_its_floor(name: str) -> None:
    figures = await measure(shared("eval", name), limit=QUESTIONS[name])
    assert not below(figures, BY_WORDS[name])


@pytest.mark.parametrize("name", WITH_MEANING)
async def test_no_figure_with_real_weights_is_below_its_floor(name: str) -> None:
    figures = await measure(shared("eval", name), limit=QUESTIONS[name], embedder="use")
    assert not below(figures, WITH_MEANING[name])


def below(figures: dict[str, float], floors: dict[str, float]) -> dict[str, tuple[float, float]]:
    return {name: (figures[name], floor) for name, floor in floors.items() if figures[name] < floor}
