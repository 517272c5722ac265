"""Quality does not fall: a fixed subset of the evaluation sets against eval/floors.json, through ingest and
searcher."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shisho.evaluation.run import measure
from tests.shared import shared

FLOORS = json.loads((Path(__file__).parent.parent / "eval" / "floors.json").read_text("utf-8"))["subset"]
QUESTIONS = {"jsquad-valid": 300, "niilc-dev": None, "cranfield": None}


@pytest.mark.parametrize("name", FLOORS)
async def test_no_figure_is_below_its_floor(name: str) -> None:
    figures = await measure(shared("eval", name), limit=QUESTIONS[name])
    below = {
        measure: (figures[measure], floor)
        for measure, floor in FLOORS[name].items()
        if figures[measure] < floor
    }
    assert not below
