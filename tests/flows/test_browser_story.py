"""Story 1 with engines that need a browser: a real Chromium over the web in a box, and what it costs and
survives."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shisho import settings
from shisho.domain.job import TaskState
from shisho.domain.task import Progress, SearchOptions, StatusDetail, StopStrategy, TaskSnapshot
from shisho.services import Library
from shisho_box.server import Box
from tests.flows.boxed import output
from tests.flows.browsed import browsed
from tests.flows.smallweb import ended
from tests.flows.test_story_search import the_record
from tests.machine import PATIENCE
from tests.web.browser.test_browser_faults import browser_root, gone, kill
from tests.web.browsing import until


async def followed(library: Library, task: str) -> list[TaskSnapshot]:
    """Every status that a client sees while it long-polls."""
    seen = [await library.tasks.get_status(task, wait=0)]
    async with asyncio.timeout(2 * PATIENCE):
        while seen[-1].status is TaskState.RUNNING:
            since = seen[-1].revision
            seen.append(
                await library.tasks.get_status(task, wait=20, since_revision=since, detail=StatusDetail.FULL)
            )
    return seen


@pytest.mark.slow
async def test_two_queries_on_two_engines(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with Box(seed=3, folder=tmp_path / "box") as box:
        topics = list(dict.fromkeys(one.topic for one in box.questions[20:]))[:2]
        async with browsed(home, box) as (browser, library):
            task = await library.tasks.create("二つの機関で")
            for query, engine in zip(topics, ("ecosia", "qwant"), strict=True):
                options = SearchOptions(engines=(engine,), serp_max_pages=2, max_results_per_query=30)
                await library.tasks.queue_searches([query], task_id=task, options=options)
            seen = await followed(library, task)
            heaviest = browser.heaviest_mb
        assert seen[-1].status is TaskState.COMPLETED and seen[-1].progress.queries == Progress(2, 2), seen[
            -1
        ].errors
        visits = [one.progress.pages.done for one in seen]
        assert len(set(visits)) >= 10 and visits == sorted(visits), "progress after every visit"
        for engine, query in zip(("ecosia", "qwant"), topics, strict=True):
            assert box.log.pages(engine, query) == [1, 2]
            agents = {entry.headers["user-agent"] for entry in box.log.select(engine)}
            assert all("Chrom" in one and "Shisho/" in one for one in agents), agents
        assert box.log.wrong == [] and await gone()
        await the_record(home, task, box, topics)
    bound = settings.load().read_int("browser_memory_mb")
    print(f"MB in the browser: {heaviest:.0f} at the most, {bound} allowed")
    assert 50 < heaviest < bound


async def test_a_browser_killed_in_mid_page_costs_one_more_request(tmp_path: Path) -> None:
    options = SearchOptions(
        engines=("ecosia",), serp_max_pages=2, stop_strategy=StopStrategy.FIXED, max_results_per_query=100
    )
    async with Box(seed=3, folder=tmp_path / "box") as box:
        box.behave(engine="ecosia", page=2, do="slow", delay_s=5, times=1)
        async with browsed(tmp_path / "home", box) as (_, library):
            topic = box.questions[20].topic
            task = (await library.tasks.queue_searches([topic], options=options)).task_id
            assert await until(lambda: [one for one in box.log.select("ecosia") if one.note == "slow"])
            assert await asyncio.to_thread(kill, browser_root) == 1
            held, _ = await ended(library, task)
            done = await output(library, task)
        assert held.status is TaskState.COMPLETED and not held.errors, held.errors
        assert [page["number"] for page in done["pages"]] == [1, 2] and done["paging_stop"] == "LIMIT"
        assert [one.page for one in box.log.select("ecosia") if one.note != "shell"] == [1, 2, 2]
        assert await gone()
