"""A worker killed with kill -9 in mid-search: what was asked is not asked again, what was visited is not
fetched again."""

from __future__ import annotations

import asyncio
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import TaskState
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.web.crawl import AT_ONCE
from shisho.web.http.url import canonicalise
from shisho_box.log import LogEntry
from shisho_box.server import Box
from tests.flows.boxed import output, through, way
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended
from tests.flows.test_shell import rows_of
from tests.machine import PATIENCE

OPTIONS = SearchOptions(
    engines=("mojeek",), serp_max_pages=3, stop_strategy=StopStrategy.EXHAUSTIVE, max_results_per_query=100
)
SECOND_PAGE = "SELECT count(*) FROM job_steps WHERE step_key = 'page 2'"
VISITED = "SELECT canonical_url FROM finds WHERE status IN ('visited', 'failed')"


async def reached(process: subprocess.Popen[str], home: Path, query: str, least: int) -> None:
    """As `test_shell.until`, while the box goes on in this loop."""
    async with asyncio.timeout(2 * PATIENCE):
        while (rows_of(home, query) or [(0,)])[0][0] < least:
            assert process.poll() is None, process.communicate()
            await asyncio.sleep(0.005)


async def buried(process: subprocess.Popen[str]) -> None:
    Shell.kill(process)
    await asyncio.to_thread(process.communicate)


@pytest.mark.parametrize("visits", [0, 4])
async def test_killed_between_pages_2_and_3_it_goes_on_with_3(
    shell: Shell, tmp_path: Path, visits: int
) -> None:
    async with (
        Box(seed=1, folder=tmp_path / "box") as box,
        open_library(home=shell.home, web_access=way(box)) as library,
    ):
        through(shell, box)
        query = box.questions[20].topic
        queued = await library.tasks.queue_searches([query], options=OPTIONS)
        first = shell.start("worker", "-n", "1")
        await reached(first, shell.home, SECOND_PAGE, 1)
        so_many = f"SELECT count(*) FROM finds WHERE page_number = 2 AND status IN ('visited', 'failed') AND {visits} > 0"
        await reached(first, shell.home, so_many, visits)
        await buried(first)
        before = {url for (url,) in rows_of(shell.home, VISITED)}
        assert box.log.pages("mojeek") == [1, 2], "killed too late to show anything"
        second = shell.start("worker", "-n", "1")
        try:
            held, results = await ended(library, queued.task_id)
        finally:
            await buried(second)
        done = await output(library, queued.task_id)
        assert held.status is TaskState.COMPLETED and (done["paging_stop"], done["errors"]) == (
            "LIMIT",
            [],
        ), held.errors
        assert box.log.pages("mojeek") == [entry.page for entry in box.log.select("mojeek")] == [1, 2, 3]
        once_each(box, before)
        whole(box, query, done)
        assert {one.url for one in results} == {one["url"] for one in done["hits"]}
        assert [job.attempt for job in (await library.tasks.list_jobs(queued.task_id)).jobs] == [2]


def once_each(box: Box, before: set[str]) -> None:
    """What had been visited by the kill was not fetched again; what was under way then may have been."""
    fetched = Counter(_address(entry) for entry in box.log.requests if not entry.engine)
    again = {url for url, times in fetched.items() if times > 1}
    assert before and before <= fetched.keys() and not before & again
    assert len(again) <= AT_ONCE and max(fetched.values()) <= 2


def whole(box: Box, query: str, done: dict[str, Any]) -> None:
    """All that the engine has on three pages, in its order, each page once and every one visited."""
    listed = list(dict.fromkeys(canonicalise(url) for url in box.results("mojeek", query)[:30]))
    assert [canonicalise(one["url"]) for one in done["hits"]] == listed and len(listed) > 20
    assert [one["rank"] for one in done["hits"]] == list(range(1, len(listed) + 1))
    assert [one["number"] for one in done["pages"]] == [1, 2, 3]
    assert all(one["status"] in ("visited", "failed") for one in done["hits"])


def _address(entry: LogEntry) -> str:
    return canonicalise(f"{entry.url}?{urlencode(entry.query)}")
