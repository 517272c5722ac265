"""A task's pages and seconds bound all that its searches and questions ask of the web, by the log of who was
asked. Requests for robots.txt are not pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer
from shisho.domain.task import AskOptions, SearchOptions, Sources, StopStrategy
from shisho_box.log import LogEntry
from shisho_box.server import Box
from tests.flows.boxed import boxed, output
from tests.flows.smallweb import answered, ended
from tests.flows.test_web_answers import ONE, R2
from tests.machine import Stopwatch

ALL = SearchOptions(
    engines=("mojeek",), serp_max_pages=5, stop_strategy=StopStrategy.EXHAUSTIVE, max_results_per_query=100
)
SLACK_S = 2.0


def pages(box: Box) -> Sequence[LogEntry]:
    """Result pages and pages visited."""
    return [entry for entry in box.log.requests if entry.path != "/robots.txt"]


def lasted(box: Box, watch: Stopwatch) -> float:
    """From the first request to the last, without what other processes took."""
    return box.log.requests[-1].at - box.log.requests[0].at - (watch.seconds - watch.undisturbed)


def question(box: Box) -> str:
    """Half of it a document answers, half the web."""
    return f"{ONE.removesuffix('何か')}何か、また、{box.questions[20].text}"


@pytest.mark.parametrize(
    ("sources", "most"),
    [
        (Sources.WEB, 4),
        (Sources.BOTH, 1),
        (Sources.BOTH, 12),
        pytest.param(Sources.WEB, 1, marks=pytest.mark.slow),
        pytest.param(Sources.WEB, 12, marks=pytest.mark.slow),
        pytest.param(Sources.BOTH, 4, marks=pytest.mark.slow),
    ],
)
async def test_pages_of_questions_and_searches_together(tmp_path: Path, sources: Sources, most: int) -> None:
    async with boxed(tmp_path, robots=True, slots=3) as (box, library):
        await library.documents.add_source(Source("note.md", R2.encode()))
        task = await library.tasks.create(question(box), budget={"max_pages": most})
        await library.tasks.queue_searches([box.questions[30].topic], task_id=task, options=ALL)
        options = AskOptions(sources=sources)
        asked = await library.questions.queue(question(box), task_id=task, options=options)
        answer = await answered(library, asked)
        held, _ = await ended(library, task)
        assert 0 < len(pages(box)) <= most and held.spent["pages"] <= most
        assert "ウェブ検索は途中で終わりました" in answer.text
        if sources is Sources.BOTH and most < 12:
            # The note says it, and so does a page: beside busy processes the page may be there first.
            assert any(one.goal_id == "G1" for one in answer.evidence)


@pytest.mark.apart
async def test_seconds_of_a_search(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        box.behave(do="slow", delay_s=1)
        task = await library.tasks.create("問い", budget={"max_seconds": 4})
        await library.tasks.queue_searches([box.questions[20].topic], task_id=task, options=ALL)
        with Stopwatch() as watch:
            held, _ = await ended(library, task)
        done = await output(library, task)
        assert lasted(box, watch) <= 4 + SLACK_S and 3 < held.spent["seconds"] <= 4, (
            lasted(box, watch),
            held.spent,
        )
        assert done["paging_stop"] == "BUDGET"
        # Beside busy processes the seconds may be over before a page is read.
        assert (done["documents"] and len(pages(box)) > 1) or watch.undisturbed < 2
        assert [one["code"] for one in done["errors"]] == ["BUDGET_EXHAUSTED"]


@pytest.mark.apart
@pytest.mark.parametrize(
    ("sources", "whose"), [(Sources.WEB, "task"), (Sources.BOTH, "task"), (Sources.BOTH, "question")]
)
async def test_seconds_of_a_question(tmp_path: Path, sources: Sources, whose: str) -> None:
    """Though its searches have all the workers."""
    limits = {"max_seconds": 4}
    async with boxed(tmp_path, robots=True) as (box, library):
        box.behave(do="slow", delay_s=2)
        await library.documents.add_source(Source("note.md", R2.encode()))
        task = await library.tasks.create(question(box), budget=limits if whose == "task" else None)
        options = AskOptions(sources=sources, budget=limits if whose == "question" else {})
        with Stopwatch() as watch:
            asked = await library.questions.queue(question(box), task_id=task, options=options)
            answer = await answered(library, asked)
        assert watch.undisturbed <= 4 + SLACK_S
        with Stopwatch() as watch:
            held, _ = await ended(library, task)
        assert lasted(box, watch) <= 4 + SLACK_S, lasted(box, watch)
        assert whose == "question" or held.spent["seconds"] <= 4, held.spent
        partial(answer, sources)


def partial(answer: Answer, sources: Sources) -> None:
    """What there is, and what is missing."""
    assert answer.missing
    if sources is Sources.BOTH:
        assert "note.md" in [one.document for one in answer.evidence if one.goal_id == "G1"]
