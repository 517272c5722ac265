"""In long form: the sets of `eval/` on PostgreSQL. Their floors hold there, and of the ten best passages both stores have the
same."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest

from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.evaluation.run import evaluate_retrieval, fill
from shisho.evaluation.sets import load
from tests.faults.children import LONG
from tests.postgres import shared_server
from tests.shared import shared

FLOORS = json.loads((Path(__file__).parents[3] / "eval" / "floors.json").read_text("utf-8"))["subset"]
COMPARED = 200


@pytest.mark.skipif(not LONG, reason="SHISHO_LONG=1 takes the sets in twice")
@pytest.mark.parametrize("name", ["niilc-dev", "cranfield"])
async def test_floors_hold_and_both_stores_put_the_same_in_front(name: str, tmp_path: Path) -> None:
    eval_set = load(shared("eval", name))
    with shared_server().fresh() as url:
        async with (
            open_desk(home=tmp_path / "first") as embedded,
            open_desk(home=tmp_path / "second", store=url) as postgres,
        ):
            for desk in (embedded, postgres):
                await fill(desk, eval_set)
            figures = await evaluate_retrieval(postgres, eval_set, eval_set.questions)
            questions = eval_set.questions[:COMPARED]
            shares = [await share_in_both(embedded, postgres, question.text) for question in questions]
    assert fmean(shares) >= 0.95
    below = {measure: figures[measure] for measure, floor in FLOORS[name].items() if figures[measure] < floor}
    assert not below


async def share_in_both(first: Desk, second: Desk, text: str) -> float:
    names = [{hit.passage for hit in await desk.search([text], limit=10)} for desk in (first, second)]
    return len(names[0] & names[1]) / max(1, *map(len, names))
