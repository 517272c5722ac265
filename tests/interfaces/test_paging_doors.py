"""How a search pages is shown at every door: Python, MCP, its resource, REST, its events and the shell."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from rich.cells import cell_len

from shisho.bootstrap.library import open_library
from shisho.domain.codec import to_plain
from shisho.domain.payloads import SearchJob
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.interfaces.cli import render_queue
from shisho.interfaces.cli.shell import Words
from shisho.interfaces.mcp import server as mcp
from shisho.messages.catalogue import render_all, use_language
from shisho.services import Library
from tests.flows.smallweb import QUERY, ended, small_web, way
from tests.interfaces.http.rooms import served
from tests.interfaces.serving import Refused, calling

PAGES = ([1, 2, 3], [4, 1, 2], [5])
DEEP = SearchOptions(max_results_per_query=2, serp_max_pages=2, stop_strategy=StopStrategy.FIXED)
PAGING = {
    "query": QUERY,
    "engine": "memory",
    "pages": 2,
    "novelty": [1.0, 0.333],
    "harvest": [1.0, None],
    "paging_stop": "LIMIT",
    "warnings": [],
    "reason": "The last allowed result page was reached.",
}
PAGE_NUMBERS = [1, 1, 1, 2]


@asynccontextmanager
async def searched(tmp_path: Path) -> AsyncIterator[tuple[Library, str]]:
    """A library, and a task whose one search has ended."""
    async with (
        open_library(home=tmp_path / "home", web_access=way(small_web(*PAGES))) as library,
        library.working(2),
    ):
        queued = await library.tasks.queue_searches([QUERY], options=DEEP)
        await ended(library, queued.task_id)
        yield library, queued.task_id


def check(status: dict[str, Any]) -> None:
    (search,) = status["searches"]
    assert search.pop("job_id") and search == PAGING
    assert sorted(result["page_number"] for result in status["results"]) == PAGE_NUMBERS


async def test_every_door_tells_how_a_search_pages(tmp_path: Path) -> None:
    async with (
        searched(tmp_path) as (library, task),
        served(library) as rest,
        Client(mcp.build(library)) as client,
    ):
        snapshot = await library.tasks.get_status(task, wait=0, detail="full")
        check(to_plain(render_all(snapshot, "en")))
        called = await client.call_tool("get_status", {"task_id": task, "wait": 0, "detail": "full"})
        check(dict(called.structured_content or {}))
        (content,) = (await client.read_resource(f"task://{task}")).contents
        check(json.loads(content.text))  # type: ignore[union-attr]
        answer = await rest.get(f"/tasks/{task}", params={"wait": 0, "detail": "full"})
        check(answer.json())
        events = await rest.get(f"/tasks/{task}/events", params={"detail": "full"})
        check(json.loads(events.text.split("data: ", 1)[1].splitlines()[0]))
        check(json.loads(json.dumps(render_queue.to_json(snapshot))))


async def test_a_summary_leaves_it_out(tmp_path: Path) -> None:
    async with searched(tmp_path) as (library, task), served(library) as rest:
        status = (await rest.get(f"/tasks/{task}", params={"wait": 0})).json()
        assert "searches" not in status and "page_number" not in status["results"][0]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "    result pages: 2 · LIMIT\n    The last allowed result page was reached.\n"
               "    new per page: 100% 33%\n    useful per page: 100% –\n"),
        ("ja", "    結果ページ 2 · LIMIT\n    結果ページ数の上限に達しました。\n"
               "    新規(ページ順): 100% 33%\n    有用(ページ順): 100% –\n"),
    ],
)  # fmt: skip
async def test_the_shell_shows_it_in_short_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, said: str
) -> None:
    async with searched(tmp_path) as (library, task):
        snapshot = await library.tasks.get_status(task, wait=0, detail="full")
    with use_language(language):
        render_queue.print_status(snapshot, Words(language))
    shown = capsys.readouterr().out
    assert f"  memory: {QUERY}\n{said}" in shown
    figures = [line for line in shown.splitlines() if "100%" in line]
    assert len(figures) == 2 and all(cell_len(line) <= 40 for line in figures), "too wide for a narrow window"
    assert ("(result page 1)" if language == "en" else "(結果1ページ目)") in shown


NAMES = {"strategy": "fixed", "max_pages": 3}


@pytest.mark.parametrize("arguments", [NAMES, {"options": NAMES}, {**NAMES, "stop_strategy": "fixed"}])
async def test_strategy_and_max_pages_are_other_names(tmp_path: Path, arguments: dict[str, Any]) -> None:
    async with open_library(home=tmp_path / "home", web_access=way(small_web([1]))) as library:
        async with calling(mcp.build(library)) as call, served(library) as rest:
            over_mcp = await call("queue_searches", queries=["x"], **arguments)
            over_rest = (await rest.post("/searches", json={"queries": ["x"], **arguments})).json()
        for queued in (over_mcp, over_rest):
            (job,) = (await library.tasks.list_jobs(queued["task_id"])).jobs
            asked = job.input.read(SearchJob)
            assert (asked.stop_strategy, asked.serp_max_pages) == (StopStrategy.FIXED, 3)


@pytest.mark.parametrize(
    "arguments",
    [
        {"strategy": "fixed", "stop_strategy": "auto"},
        {"options": {"max_pages": 3, "serp_max_pages": 2}},
        {"max_pages": 3, "options": {"serp_max_pages": 2}},
    ],
)
async def test_two_names_that_differ_are_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    async with open_library(home=tmp_path / "home", web_access=way(small_web([1]))) as library:
        async with calling(mcp.build(library)) as call, served(library) as rest:
            with pytest.raises(Refused) as refused:
                await call("queue_searches", queries=["x"], **arguments)
            answer = await rest.post("/searches", json={"queries": ["x"], **arguments})
        assert refused.value.code == "INVALID_PARAMS" and answer.status_code == httpx.codes.BAD_REQUEST
        assert answer.json()["code"] == "INVALID_PARAMS", answer.text
