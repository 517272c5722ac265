"""One pace for each engine and host, whoever asks: four worker processes at once, judged by the log of who
was asked."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import ENDED, JobState
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.services import Library
from shisho_box.log import LogEntry
from shisho_box.server import Box
from tests.flows.boxed import QUICK, boxed, output, through, way
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended
from tests.flows.test_shell import rows_of
from tests.machine import PATIENCE, watch_loop

INTERVAL_S = 0.4
PER_DAY = 5
HOST_S = 1.0
WAITS_S = (6.0, 30.0, 120.0)
WaitReason = Callable[[float], tuple[dict[str, Any], dict[str, Any] | None]]
OPTIONS = SearchOptions(engines=("mojeek",), serp_max_pages=2, max_results_per_query=3)
BUSY = "SELECT count(*) FROM jobs WHERE state = 'running' OR (state = 'queued' AND coalesce(not_before, '') < '{}')"


@asynccontextmanager
async def lateness() -> AsyncIterator[list[float]]:
    """Seconds that the box's loop was held: a request is logged so much later than it came."""
    lags: list[tuple[float, float]] = []
    watching = asyncio.create_task(watch_loop(lags))
    late: list[float] = []
    try:
        yield late
    finally:
        watching.cancel()
        late.extend(by_the_clock for _, by_the_clock in lags)


@contextmanager
def workers(shell: Shell, number: int) -> Iterator[None]:
    running = [shell.start("worker", "-n", "2") for _ in range(number)]
    try:
        yield
    finally:
        for each in running:
            Shell.kill(each)
            each.communicate()


def topics(box: Box) -> list[str]:
    return list(dict.fromkeys(one.topic for one in box.questions))


def gaps(entries: Iterable[LogEntry]) -> list[float]:
    """From the end of each request to the beginning of the next one."""
    return [later.at - earlier.ended for earlier, later in pairwise(sorted(entries, key=lambda one: one.at))]


async def settled(home: Path) -> None:
    """Nothing is left to do before tomorrow."""
    soon = (datetime.now(UTC) + timedelta(minutes=1)).isoformat(timespec="microseconds")
    async with asyncio.timeout(2 * PATIENCE):
        while rows_of(home, BUSY.format(soon)) != [(0,)]:  # noqa: ASYNC110  (other processes notify nobody here)
            await asyncio.sleep(0.1)


async def test_four_processes_keep_one_pace(shell: Shell, tmp_path: Path) -> None:
    limits = {"mojeek": {"interval_s": INTERVAL_S, "per_day": PER_DAY}}
    async with (
        Box(seed=1, folder=tmp_path / "box") as box,
        open_library(home=shell.home, web_access=way(box, limits, robots=True)) as library,
    ):
        box.behave(path="/robots.txt", do="slow", delay_s=0.3)
        through(shell, box, limits, robots=True)
        queued = await library.tasks.queue_searches(topics(box)[: PER_DAY + 2], options=OPTIONS)
        async with lateness() as late:
            with workers(shell, 4):
                await settled(shell.home)
        asked = box.log.select("mojeek")
        assert len(asked) == PER_DAY == len({(entry.text, entry.page) for entry in asked})
        assert min(gaps(asked)) >= INTERVAL_S - max(late)
        rows = {row.name: row for row in await library.web.list_engines()}
        assert rows["mojeek"].quota_left == 0
        jobs = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert len({job.worker_id for job in jobs if job.worker_id}) > 2, "one process did it all"
        hosts = defaultdict(list)
        for entry in box.log.requests:
            if not entry.engine:
                hosts[entry.host].append(entry)
        assert all("/robots.txt" in {entry.path for entry in each} for each in hosts.values())
        close = {host: min(gaps(each)) for host, each in hosts.items() if len(each) > 1}
        assert len(close) > 5 and min(close.values()) >= HOST_S - max(late), close


def by_interval(wait: float) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """An engine that is left alone for so many seconds between two questions."""
    return {"mojeek": {"interval_s": wait}}, None


def by_retry_after(wait: float) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """An engine that asks for so many seconds before its second page."""
    rule = {"page": 2, "status": 429, "retry_after": int(wait), "times": 1}
    return {"mojeek": {"interval_s": 0.05}}, rule


@pytest.mark.slow
@pytest.mark.parametrize("reason", [by_interval, by_retry_after])
async def test_a_job_that_has_to_wait_frees_its_worker(tmp_path: Path, reason: WaitReason) -> None:
    is_free = False
    for wait in WAITS_S:  # on a busy machine, another job may take longer than the short wait
        is_free = is_free or await does_another_job_ask_between(tmp_path / f"{wait:g}", wait, *reason(wait))
    assert is_free, "the other job had to wait as well"


async def is_put_off(library: Library, task_id: str) -> bool:
    """True if the search is the only unfinished job of its task and is queued for later."""
    jobs = (await library.tasks.list_jobs(task_id, limit=100)).jobs
    left = [job for job in jobs if job.state not in ENDED]
    return [(job.state, job.not_before is not None) for job in left] == [(JobState.QUEUED, True)]


async def does_another_job_ask_between(
    folder: Path, wait: float, overrides: dict[str, Any], rule: dict[str, Any] | None
) -> bool:
    """Whether the one worker has another job ask its engine between the two questions of one that has to
    wait."""
    async with boxed(folder, {**QUICK, **overrides}, slots=1) as (box, library):
        if rule:
            box.behave(engine="mojeek", **rule)
        slow, quick = topics(box)[:2]
        fixed = SearchOptions(engines=("mojeek",), serp_max_pages=2, stop_strategy=StopStrategy.FIXED)
        waiting = await library.tasks.queue_searches([slow], options=fixed)
        other = replace(OPTIONS, engines=("marginalia",), serp_max_pages=1)
        # The visits of its first page free the worker too, so they must be over.
        async with asyncio.timeout(PATIENCE):
            while not await is_put_off(library, waiting.task_id):  # noqa: ASYNC110  (no event says so)
                await asyncio.sleep(0.05)
        done = await library.tasks.queue_searches([quick], options=other)
        await ended(library, done.task_id)
        assert (await output(library, done.task_id))["documents"]
        await ended(library, waiting.task_id)
        whole = await output(library, waiting.task_id)
        assert (whole["paging_stop"], len(whole["pages"]), whole["errors"]) == ("LIMIT", 2, [])
        asked = box.log.select("mojeek")
        other_asked = box.log.select("marginalia")
        assert asked[-1].at - asked[-2].ended >= wait
        assert box.log.pages("mojeek") == [1, 2]
        return bool(asked[0].at < other_asked[0].at < asked[-1].at)
