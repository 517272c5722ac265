"""`shisho ask --goal` and `--plan`: goals as a shell writes them, and what is said of a plan that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shisho.errors import InvalidParams
from shisho.interfaces.cli.answers import PLAN_FIELDS, read_goal, read_plan


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("T1=残差の定義", {"id": "T1", "question": "残差の定義"}),
        (" task-7 = residuals", {"id": "task-7", "question": " residuals"}),
        ("残差の定義", {"question": "残差の定義"}),
        ("T1=y=ax+bの意味", {"id": "T1", "question": "y=ax+bの意味"}),
        ("when is y = 0", {"question": "when is y = 0"}),
    ],
)
def test_a_goal_is_a_question_with_or_without_an_id(text: str, goal: dict[str, str]) -> None:
    assert read_goal(text) == goal


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_plan_is_an_object_or_a_list_of_goals(tmp_path: Path, mark: str) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(mark + json.dumps({"goals": ["残差"], "condition": "G1", "kind": None}), "utf-8")
    assert read_plan(plan) == {"goals": ["残差"], "condition": "G1"}
    plan.write_text(mark + '["残差", {"id": "T1", "question": "分散"}]', "utf-8")
    assert read_plan(plan) == {"goals": ["残差", {"id": "T1", "question": "分散"}]}
    assert read_plan(None) == {}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"goals": [}', "can't be read"),
        ('{"goal": ["残差"], "rounds": 3}', "Unknown: goal, rounds"),
        ('"残差"', "Unknown: –"),
        ("3", "Unknown: –"),
    ],
)
def test_a_plan_that_is_none_is_refused_with_what_it_may_say(tmp_path: Path, written: str, said: str) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(written, "utf-8")
    with pytest.raises(InvalidParams, match=said) as refused:
        read_plan(plan)
    assert "can't be read" in said or all(name in str(refused.value) for name in PLAN_FIELDS)


def test_a_missing_plan_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match=r"missing\.json"):
        read_plan(tmp_path / "missing.json")
