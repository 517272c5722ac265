"""Searches whose time, money or task ends while hits are visited: what was stored stays, and why it ended is
noted. A store that goes away meanwhile ends nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import JobState, StopMode
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.domain.web import Request, Response
from shisho.errors import StoreUnavailable
from shisho.services import search_jobs
from shisho.testing import MemoryWeb
from tests.flows.boxed import output
from tests.flows.smallweb import QUERY, address, ended, result_page, small_web, way
from tests.flows.test_paging_stops import noted
from tests.machine import Stopwatch

ALL = SearchOptions(stop_strategy=StopStrategy.EXHAUSTIVE)


def stuck(web: MemoryWeb, number: int) -> MemoryWeb:
    """The web with a page that never answers."""
    web.held[address(number)] = asyncio.Event()
    return web


@pytest.mark.slow
async def test_a_job_whose_time_is_over_ends_with_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_jobs, "CLOSING", 0.5)  # beside busy processes the end takes long to store
    with Stopwatch() as watch:
        async with (
            open_library(home=tmp_path / "whole", web_access=way(small_web([1, 2], [3]))) as library,
            library.working(1),
        ):
            await ended(library, (await library.tasks.queue_searches([QUERY], options=ALL)).task_id)
    seconds = 2 * (4 + 2 * watch.seconds)
    async with (
        open_library(
            home=tmp_path, web_access=way(stuck(small_web([1, 2], [3]), 2)), max_job_seconds=seconds
        ) as library,
        library.working(1),
    ):
        queued = await library.tasks.queue_searches([QUERY], options=ALL)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (done["paging_stop"], [one["code"] for one in done["errors"]]) == (
            "BUDGET",
            ["BUDGET_EXHAUSTED"],
        )
        assert [one["status"] for one in done["hits"]] == ["visited", "found"] and len(done["documents"]) == 1
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
    assert noted(tmp_path, job.id) == "BUDGET"


async def test_a_search_stopped_at_its_first_visits_is_noted_as_stopped(tmp_path: Path) -> None:
    web = stuck(small_web([1, 2], [3]), 2)
    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(1):
        queued = await library.tasks.queue_searches([QUERY], options=ALL)
        await web.reached[address(2)].wait()
        await library.tasks.stop(queued.task_id, mode=StopMode.IMMEDIATE)
        await ended(library, queued.task_id)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert job.state is JobState.CANCELLED
    assert noted(tmp_path, job.id) == "STOPPED"


async def test_every_page_that_a_budget_paid_for_is_kept(tmp_path: Path) -> None:
    web = small_web([1, 2, 3, 4, 5, 6])
    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(1):
        task = await library.tasks.create("問い", budget={"max_pages": 4})
        await library.tasks.queue_searches([QUERY], task_id=task, options=ALL)
        await ended(library, task)
        done = await output(library, task)
        assert (done["paging_stop"], len(web.asked), len(done["documents"])) == ("BUDGET", 4, 3)


@dataclass(slots=True)
class WithOutage(MemoryWeb):
    """The store goes away when this is asked for the first time."""

    meets: Callable[[str], bool] = field(kw_only=True)
    has_been: bool = False

    async def fetch(self, request: Request) -> Response:
        if self.meets(request.url) and not self.has_been:
            self.has_been = True
            raise StoreUnavailable("Away.")
        return await MemoryWeb.fetch(self, request)


@pytest.mark.parametrize(
    "meets",
    [
        pytest.param(result_page(1), id="its first result page"),
        pytest.param(result_page(2), id="its second result page"),
        pytest.param(lambda url: url == address(2), id="the visit of a page"),
    ],
)
async def test_an_outage_of_the_store_costs_a_search_nothing(
    tmp_path: Path, meets: Callable[[str], bool]
) -> None:
    whole = small_web([1, 2], [3])
    web = WithOutage(whole.pages, whole.serps, meets=meets)
    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(1):
        queued = await library.tasks.queue_searches([QUERY], options=ALL)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
    assert web.has_been
    assert ([hit["status"] for hit in done["hits"]], done["errors"]) == (["visited"] * 3, [])
    assert (job.state, job.failures, [error.code for error in job.errors]) == (
        JobState.COMPLETED,
        0,
        ["STORE_UNAVAILABLE"],
    )
