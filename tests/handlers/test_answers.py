"""An answer job's wait for the web, and what its inquiry is made of."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, cast

import pytest

from shisho.domain.inquiry import Budget
from shisho.domain.time import later
from shisho.handlers.answers import AnswerHandler, within
from tests.clocks import TwoHands

SRC = Path(__file__).parents[2] / "src" / "shisho"
WALK = (
    "desk/desk.py",
    "desk/tasks.py",
    "desk/queue.py",
    "desk/intake.py",
    "handlers/inquiries.py",
    "ports/librarian.py",
)
REST = (
    "librarian/loop.py",
    "handlers/ingest.py",
    "handlers/fetch.py",
    "handlers/search.py",
    "handlers/result_pages.py",
)
UNTYPED = {
    "dict",
    "Mapping",
    "dict[str, Any]",
    "Mapping[str, Any]",
    "Sequence[Mapping[str, Any]]",
    "list[Mapping[str, Any]]",
}


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_jump_of_the_wall_clock_leaves_the_wait_for_the_web_as_it_was(jump: float) -> None:
    clock = TwoHands()
    nothing = cast(Any, None)
    handler = AnswerHandler(*[nothing] * 7, budget=Budget(), clock=clock, way=lambda: True)
    ends = later(clock.steady(), 60)
    clock.jump(jump)
    clock.pass_(10)
    assert handler._left_until(ends) == 50


@pytest.mark.parametrize(
    ("left", "budget"),
    [
        ({}, Budget(max_rounds=3, max_pages=200, max_seconds=120.0)),
        ({"max_pages": 7.0, "max_seconds": 2.5}, Budget(max_rounds=3, max_pages=7, max_seconds=2.5)),
        ({"max_pages": 900.0, "max_unheard_of": 1.0}, Budget(max_rounds=3, max_pages=200, max_seconds=120.0)),
    ],
)
def test_no_ceiling_is_higher_than_what_is_left_of_the_task(left: dict[str, float], budget: Budget) -> None:
    assert within(Budget(), left) == budget


@pytest.mark.parametrize("page", (*WALK, *REST))
def test_walk_of_a_question_meets_no_untyped_dictionary(page: str) -> None:
    """From the desk to the handlers and the ledger: no parameter is a dictionary whose keys two rooms agree
    on by hand."""
    tree = ast.parse((SRC / page).read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    parameters = [(node.name, arg) for node in functions for arg in (*node.args.args, *node.args.kwonlyargs)]
    untyped = [
        (name, arg.arg)
        for name, arg in parameters
        if arg.annotation and ast.unparse(arg.annotation) in UNTYPED
    ]
    assert not untyped
