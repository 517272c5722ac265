"""Every reason to stop following result pages, met at engines that behave so, and what is kept by then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from shisho.domain.job import JobState, StopMode, TaskState
from shisho.domain.task import SearchOptions, StopStrategy
from tests.flows.boxed import QUICK, boxed, output
from tests.flows.smallweb import ended

MOJEEK = SearchOptions(engines=("mojeek",), serp_max_pages=5)
ALL = SearchOptions(
    engines=("mojeek",), serp_max_pages=5, stop_strategy=StopStrategy.EXHAUSTIVE, max_results_per_query=100
)


def options(base: SearchOptions, **changed: Any) -> SearchOptions:
    return replace(base, **changed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stop", "rule", "asked", "pages"),
    [
        ("LIMIT", None, options(ALL, serp_max_pages=2), 2),
        ("LIMIT", None, options(MOJEEK, serp_max_pages=1), 1),
        ("ENOUGH", None, options(MOJEEK, max_results_per_query=2), 1),
        ("SATURATED", {"do": "known", "page": 3}, options(MOJEEK, max_results_per_query=100), 3),
        ("BARREN", {"do": "useless", "page": 2}, options(MOJEEK, max_results_per_query=100), 2),
        ("END", {"do": "last", "page": 2}, ALL, 2),
        ("END", {"do": "no_results", "page": 3}, ALL, 3),
        ("REPEATED", {"do": "repeat", "page": 3}, ALL, 3),
        ("ERROR", {"do": "reset", "page": 2}, ALL, 1),
        ("ERROR", {"do": "unknown_layout", "page": 3}, ALL, 2),
        ("ERROR", {"do": "status", "status": 500, "page": 2}, ALL, 1),
        ("CHALLENGE", {"do": "blocked", "page": 2}, ALL, 1),
    ],
)
async def test_paging_stops(
    tmp_path: Path, stop: str, rule: dict[str, Any] | None, asked: SearchOptions, pages: int
) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        if rule:
            box.behave(engine="mojeek", **rule)
        queued = await library.tasks.queue_searches([query], options=asked)
        held, _ = await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (done["paging_stop"], len(done["pages"])) == (stop, pages), (done["errors"], held.errors)
        assert [each["rank"] for each in done["hits"]] == list(range(1, len(done["hits"]) + 1))
        assert len({each["url"] for each in done["hits"]}) == len(done["hits"])
        assert [each["number"] for each in done["pages"]] == list(range(1, pages + 1))
        assert box.log.wrong == [] and len(done["documents"]) > 0
        assert bool(done["errors"]) == (stop in ("ERROR", "CHALLENGE"))


@pytest.mark.slow
async def test_a_days_quota_ends_paging_with_what_is_there(tmp_path: Path) -> None:
    overrides = {**QUICK, "mojeek": {"interval_s": 0.05, "per_day": 2}}
    async with boxed(tmp_path, overrides) as (box, library):
        queued = await library.tasks.queue_searches([box.questions[20].topic], options=ALL)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (done["paging_stop"], len(done["pages"])) == ("QUOTA", 2) and done["documents"]
        assert len(box.log.select("mojeek")) == 2


async def test_a_budget_ends_paging_with_what_is_there(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        task = await library.tasks.create("問い", budget={"max_pages": 7})
        await library.tasks.queue_searches([box.questions[20].topic], task_id=task, options=ALL)
        await ended(library, task)
        done = await output(library, task)
        assert done["paging_stop"] == "BUDGET" and done["documents"] and len(box.log.requests) == 7


async def test_what_was_stopped_is_noted_as_stopped(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        box.behave(engine="mojeek", page=2, do="hang")
        queued = await library.tasks.queue_searches([box.questions[20].topic], options=ALL)
        held = await library.tasks.get_status(queued.task_id, wait=0)
        while not any(entry.page == 2 for entry in box.log.select("mojeek")):
            held = await library.tasks.get_status(queued.task_id, wait=1, since_revision=held.revision)
        await library.tasks.stop(queued.task_id, mode=StopMode.IMMEDIATE)
        held, results = await ended(library, queued.task_id)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert (held.status, job.state, job.output) == (TaskState.STOPPED, JobState.CANCELLED, None)
        assert any(one.document_id for one in results), "page 1 was thrown away"
    assert noted(tmp_path, job.id) == "STOPPED"


def noted(home: Path, job_id: str) -> str | None:
    """The paging stop in the table of searches."""
    database = apsw.Connection(str(home / "shisho.db"))
    found: str | None = database.execute("SELECT paging_stop FROM searches WHERE job_id = ?", (job_id,)).get
    return found
