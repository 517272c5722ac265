"""An answer job's wait for the web, and what its inquiry is made of."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_type_hints

import pytest

from shisho.domain.codec import Payload, plain
from shisho.domain.event import Event
from shisho.domain.inquiry import AnswerLevel, Budget, LoopStop
from shisho.domain.job import Job, JobId, JobState, NewJob, TaskId
from shisho.domain.payloads import OUTCOMES, SHAPES, AnswerOutcome, read_outcome
from shisho.domain.task import JobKind
from shisho.domain.time import Instant, later
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
    "handlers/answers.py",
    "handlers/serp_cache.py",
    "handlers/web_pages.py",
    "jobs/attempt.py",
    "jobs/context.py",
    "jobs/worker.py",
    "ports/queue.py",
    "stores/embedded/jobs.py",
    "stores/embedded/tasks.py",
    "stores/memory/jobs.py",
    "stores/memory/transitions.py",
    "web/serp/paging.py",
    "stores/embedded/ledger.py",
    "stores/memory/ledger.py",
)
UNTYPED = {
    "Sequence[Mapping[str, Any]]",
    "tuple[str, str, Any] | None",
    "Mapping[str, Any] | None",
    "dict[str, Any] | None",
    "dict",
    "Mapping",
    "dict[str, Any]",
    "Mapping[str, Any]",
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
    """From the desk to the handlers, the queue and back: no parameter is a dictionary whose keys two rooms agree
    on by hand, and behind the desk none is given back."""
    tree = ast.parse((SRC / page).read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    parameters = [(node.name, arg) for node in functions for arg in (*node.args.args, *node.args.kwonlyargs)]
    annotated = [(f"{name}({arg.arg})", arg.annotation) for name, arg in parameters]
    if page in REST:
        public = [node for node in functions if not node.name.startswith("_")]
        annotated += [(node.name, node.returns) for node in public]
    assert not [name for name, shape in annotated if shape and ast.unparse(shape) in UNTYPED]


@pytest.mark.parametrize("carried", [Job, Event, NewJob])
def test_what_the_queue_carries_has_a_shape(carried: type) -> None:
    """What a queued row holds is a payload that one shape reads, an enum, or an instant."""
    hints = {name: str(hint) for name, hint in get_type_hints(carried).items()}
    assert not {name: hint for name, hint in hints.items() if "Any" in hint or "Mapping" in hint}


def test_every_kind_of_job_ends_in_a_shape_that_is_read_strictly() -> None:
    assert set(OUTCOMES) == set(SHAPES) == set(JobKind)
    job = Job(JobId("a"), TaskId("t"), JobKind.ANSWER, JobState.COMPLETED, 50, Payload(), Instant(""))
    outcome = AnswerOutcome("a", 2, AnswerLevel.ANSWERED, False, LoopStop.CONDITION_MET, 1)
    assert read_outcome(job) is None
    assert read_outcome(replace(job, output=Payload.of(outcome))) == outcome
    with pytest.raises(TypeError, match="kept"):
        read_outcome(replace(job, output=Payload.of({**plain(outcome), "kept": 2})))
