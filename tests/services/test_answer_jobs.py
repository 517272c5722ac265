"""An answer job's wait for the web, and what its inquiry is made of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_type_hints

import pytest

from shisho.domain.codec import Payload, UnreadablePayload, to_plain
from shisho.domain.event import Event
from shisho.domain.inquiry import AnswerLevel, Budget, LoopStop
from shisho.domain.job import Job, JobId, JobState, NewJob, TaskId
from shisho.domain.payloads import OUTCOMES, SHAPES, AnswerOutcome, read_outcome
from shisho.domain.task import JobKind
from shisho.domain.time import Instant, add_seconds
from shisho.services.answer_jobs import WebSearches
from shisho.services.inquiries import limit_budget
from tests.clocks import TwoHands

SRC = Path(__file__).parents[2] / "src" / "shisho"
# The rooms that a question goes through, and the pages of others that carry it: nothing of it is agreed on by
# hand.
WALK = (
    "domain/*.py",
    "services/*.py",
    "jobs/*.py",
    "ports/*.py",
    "interfaces/cli/documents.py",
    "interfaces/cli/models.py",
    "interfaces/cli/progress.py",
    "interfaces/cli/render_adding.py",
    "librarian/loop.py",
    "librarian/nodes.py",
    "librarian/record.py",
    "librarian/replay.py",
    "librarian/table.py",
    "stores/sql/jobs.py",
    "stores/sql/tasks.py",
    "stores/sql/transitions.py",
    "stores/*/jobs.py",
    "stores/*/ledger.py",
    "stores/*/tasks.py",
    "stores/*/transitions.py",
    "web/serp/stopping.py",
)
# Their keys are checked elsewhere: columns by the one statement that they are bound to, fields by `replace`,
# settings by the table of settings.
KEYS_CHECKED = re.compile(r"values|changes|fence|table\)")


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_jump_of_the_wall_clock_leaves_the_wait_for_the_web_as_it_was(jump: float) -> None:
    clock = TwoHands()
    nothing = cast(Any, None)
    searches = WebSearches(nothing, nothing, nothing, clock, nothing, nothing)
    ends = add_seconds(clock.timeline_now(), 60)
    clock.jump(jump)
    clock.pass_(10)
    assert searches._count_seconds_until(ends) == 50


@pytest.mark.parametrize(
    ("left", "budget"),
    [
        ({}, Budget(max_rounds=3, max_pages=200, max_seconds=120.0)),
        ({"max_pages": 7.0, "max_seconds": 2.5}, Budget(max_rounds=3, max_pages=7, max_seconds=2.5)),
        ({"max_pages": 900.0, "max_unheard_of": 1.0}, Budget(max_rounds=3, max_pages=200, max_seconds=120.0)),
    ],
)
def test_no_ceiling_is_higher_than_what_is_left_of_the_task(left: dict[str, float], budget: Budget) -> None:
    assert limit_budget(Budget(), left) == budget


def untyped(annotation: ast.expr | None) -> bool:
    """True for a mapping to anything, and for a function of any parameters."""
    for node in ast.walk(annotation) if annotation else ():
        if isinstance(node, ast.Subscript):
            shape = ast.unparse(node)
            if re.match(r"(dict|Mapping|MutableMapping)\[.*\b(Any|object)\]$|Callable\[\.\.\.", shape):
                return True
    return annotation is not None and ast.unparse(annotation) in ("dict", "Mapping")


def crossings(tree: ast.Module) -> Iterator[tuple[str, ast.expr | None]]:
    """What is handed over: parameters, what public functions give, fields, and the aliases of types."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            name = getattr(node, "name", "lambda")
            for arg in (*node.args.args, *node.args.kwonlyargs):
                yield f"{name}({arg.arg})", arg.annotation
            if node.args.kwarg is not None:
                kind = node.args.kwarg.annotation
                named = kind is not None and ast.unparse(kind) not in ("Any", "object")
                yield f"{name}(**{node.args.kwarg.arg})", None if named else ast.parse("dict").body[0].value  # type: ignore[attr-defined]
            if not name.startswith("_") and not isinstance(node, ast.Lambda):
                yield name, node.returns
        elif isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign):
                    yield f"{node.name}.{ast.unparse(field.target)}", field.annotation
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            yield ast.unparse(node.targets[0]), node.value


@pytest.mark.parametrize("pages", WALK)
def test_walk_of_a_question_meets_no_untyped_dictionary(pages: str) -> None:
    """From the shell to the services, the queue and back: nothing handed over is a dictionary, or a heap of
    keywords, whose keys two rooms agree on by hand."""
    paths = sorted(SRC.glob(pages))
    assert paths
    trees = {path.relative_to(SRC).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}
    found: list[str] = []
    for page, tree in trees.items():
        names = (name for name, kind in crossings(tree) if untyped(kind))
        found += [f"{page}: {name}" for name in names if not KEYS_CHECKED.search(name)]
    assert found == []


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
    assert read_outcome(replace(job, output=Payload.wrap(outcome))) == outcome
    with pytest.raises(UnreadablePayload, match="kept"):
        read_outcome(replace(job, output=Payload.wrap({**to_plain(outcome), "kept": 2})))
