"""Engines that fail, refuse, rest, forget or have had enough: who is asked instead, and when they are asked
again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import Job, JobState
from shisho.domain.politeness import BreakerState
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.domain.time import Instant, to_epoch
from shisho.domain.web import TimeRange
from shisho.services import Library
from shisho_box.server import Box
from tests.clocks import Ahead
from tests.faults.children import LONG
from tests.flows.boxed import QUICK, boxed, output, way
from tests.flows.smallweb import ended
from tests.flows.test_shell import rows_of
from tests.machine import PATIENCE

TWO = SearchOptions(engines=("mojeek", "marginalia"), serp_max_pages=1, max_results_per_query=1)
MOJEEK = replace(TWO, engines=("mojeek",))
DUCK = replace(TWO, engines=("duckduckgo",), serp_max_pages=2, stop_strategy=StopStrategy.FIXED)
SHELL = "<html><head><title>Startpage</title></head><body><div id='root'></div><script src='/app.js'></script></body></html>"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Ahead:
    clock = Ahead()
    monkeypatch.setattr("shisho.bootstrap.shared.SystemClock", lambda line: clock)
    return clock


async def searched(library: Library, query: str, options: SearchOptions) -> dict[str, Any]:
    queued = await library.tasks.queue_searches([query], options=options)
    await ended(library, queued.task_id)
    return await output(library, queued.task_id)


async def the_job(library: Library, task_id: str) -> Job:
    (job,) = (await library.tasks.list_jobs(task_id)).jobs
    return job


async def waits(library: Library, task_id: str) -> Job:
    """The job, once it has been put back to wait."""
    async with asyncio.timeout(PATIENCE):
        job = await the_job(library, task_id)
        while job.state is not JobState.QUEUED or job.not_before is None:
            await asyncio.sleep(0.02)
            job = await the_job(library, task_id)
    return job


def pages(done: dict[str, Any]) -> list[int]:
    return [one["number"] for one in done["pages"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "rule", "code"),
    [
        ("mojeek", {"status": 500}, "ENGINE_UNAVAILABLE"),
        ("mojeek", {"do": "reset"}, "ALL_FETCHES_FAILED"),
        ("mojeek", {"do": "unknown_layout"}, "PARSER_FAILED"),
        ("mojeek", {"do": "captcha"}, "AUTH_REQUIRED"),
        ("mojeek", {"do": "blocked"}, "ENGINE_UNAVAILABLE"),
        ("startpage", {"do": "text", "path": "/", "text": SHELL}, "ENGINE_UNAVAILABLE"),
    ],
)
async def test_another_engine_answers_before_page_1(
    tmp_path: Path, engine: str, rule: dict[str, Any], code: str
) -> None:
    async with boxed(tmp_path) as (box, library):
        box.behave(engine=engine, **rule)
        done = await searched(library, box.questions[20].topic, replace(TWO, engines=(engine, "marginalia")))
        assert (done["engine"], done["paging_stop"], len(box.log.select(engine))) == (
            "marginalia",
            "LIMIT",
            1,
        )
        assert done["documents"] and [one["code"] for one in done["errors"]] == [code]
        assert engine in done["errors"][0]["reason"]


async def test_none_answers_after_page_1(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        box.behave(engine="mojeek", page=2, status=500)
        done = await searched(
            library, box.questions[20].topic, replace(TWO, serp_max_pages=3, stop_strategy=StopStrategy.FIXED)
        )
        assert (done["engine"], done["paging_stop"], pages(done)) == ("mojeek", "ERROR", [1])
        assert not box.log.select("marginalia") and [entry.page for entry in box.log.select("mojeek")] == [
            1,
            2,
        ]


async def test_who_asks_for_patience_is_asked_again_when_he_said(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        box.behave(engine="mojeek", status=429, retry_after=1, times=1)
        done = await searched(library, box.questions[20].topic, MOJEEK)
        first, second = box.log.select("mojeek")
        assert (done["engine"], done["errors"]) == ("mojeek", []) and done["documents"]
        assert (first.status, second.status) == (429, 200) and second.at - first.ended >= 1.0


@pytest.mark.slow
async def test_two_failures_and_an_engine_rests_until_one_try_of_it_succeeds(
    tmp_path: Path, clock: Ahead
) -> None:
    async with boxed(tmp_path) as (box, library):
        topics = list(dict.fromkeys(one.topic for one in box.questions))
        box.behave(engine="mojeek", status=500)
        for query in topics[:2]:
            assert (await searched(library, query, TWO))["engine"] == "marginalia"
        (mojeek,) = [row for row in await library.web.list_engines() if row.name == "mojeek"]
        assert mojeek.breaker is BreakerState.OPEN and mojeek.available and mojeek.success_rate == 0.0
        assert mojeek.cool_down_until is not None and mojeek.cool_down_until in mojeek.reason
        rests = datetime.fromisoformat(mojeek.cool_down_until) - datetime.fromisoformat(clock.now())
        assert 1700 < rests.total_seconds() < 1800
        assert rows_of(
            tmp_path, "SELECT engine, breaker, openings FROM engine_health WHERE breaker = 'open'"
        ) == [("mojeek", "open", 1)]
        done = await searched(library, topics[2], TWO)
        assert (done["engine"], done["errors"], len(box.log.select("mojeek"))) == ("marginalia", [], 2)
        queued = [
            (await library.tasks.queue_searches([query], options=MOJEEK)).task_id for query in topics[3:5]
        ]
        for task in queued:
            assert str((await waits(library, task)).not_before) >= mojeek.cool_down_until
            status = await library.tasks.get_status(task, wait=0)
            (delay,) = status.delays
            assert (delay.jobs, str(delay.reason)) == (1, "mojeek is cooling down after repeated failures.")
            assert abs(to_epoch(delay.until) - to_epoch(Instant(mojeek.cool_down_until))) < 10
            assert status.retry_after is not None and 1700 < status.retry_after < 1800
            assert status.estimated_seconds >= status.retry_after and status.errors == ()
            assert (await waits(library, task)).errors[-1].code == "ENGINE_UNAVAILABLE"
        box.calm_down()
        box.behave(engine="mojeek", do="slow", delay_s=0.5, times=1)
        clock.seconds = 1801
        for task in queued:
            await ended(library, task)
            assert (await output(library, task))["engine"] == "mojeek"
        *_, tried, next_ = box.log.select("mojeek")
        assert len(box.log.select("mojeek")) == 4 and tried.ended < next_.at, "two tried at once"
        (mojeek,) = [row for row in await library.web.list_engines() if row.name == "mojeek"]
        assert mojeek.breaker is BreakerState.CLOSED and mojeek.reason == ""


@pytest.mark.slow
async def test_what_an_engine_has_forgotten_is_asked_for_again(tmp_path: Path) -> None:
    async with Box(seed=1) as box:
        query = box.questions[20].topic
        async with open_library(home=tmp_path, web_access=way(box)) as library, library.working(1):
            task = (await library.tasks.queue_searches([query], options=DUCK)).task_id
            box.behave(engine="duckduckgo", page=2, do="hang")
            while not [entry for entry in box.log.select("duckduckgo") if entry.page == 2]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        box.calm_down()
        box.expire("duckduckgo")
        async with open_library(home=tmp_path, web_access=way(box)) as library, library.working(1):
            await ended(library, task)
            done = await output(library, task)
        assert (pages(done), done["paging_stop"], done["errors"]) == ([1, 2], "LIMIT", [])
        assert box.log.pages("duckduckgo") == [1, 1, 2]
        listed = list(dict.fromkeys(one["url"] for one in done["hits"]))
        assert len(listed) == len(done["hits"]) and [one["rank"] for one in done["hits"]] == list(
            range(1, len(listed) + 1)
        )
        assert [one["fresh"] for one in done["pages"]] == [10, len(listed) - 10]
        assert rows_of(tmp_path, "SELECT pages, json_array_length(novelty_json) FROM searches") == [(2, 2)]


async def test_a_later_page_of_an_engine_with_a_state_can_be_asked_for_alone(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        done = await searched(library, query, replace(DUCK, serp_page=2, serp_max_pages=1))
        assert (pages(done), done["paging_stop"], done["errors"]) == ([2], "LIMIT", [])
        assert box.log.pages("duckduckgo") == [1, 2] and box.log.wrong == []
        whole = box.results("duckduckgo", query)
        assert {one["url"] for one in done["hits"]} <= {*whole[10:]} and {
            one["page_number"] for one in done["hits"]
        } == {2}


@pytest.mark.slow
async def test_who_has_had_his_day_is_asked_tomorrow(tmp_path: Path, clock: Ahead) -> None:
    async with boxed(tmp_path, {**QUICK, "mojeek": {"interval_s": 0.05, "per_day": 1}}) as (box, library):
        topics = list(dict.fromkeys(one.topic for one in box.questions))
        assert (await searched(library, topics[0], TWO))["engine"] == "mojeek"
        done = await searched(library, topics[1], TWO)
        assert (done["engine"], done["errors"]) == ("marginalia", [])
        task = (await library.tasks.queue_searches([topics[2]], options=MOJEEK)).task_id
        job = await waits(library, task)
        tomorrow = f"{datetime.fromisoformat(clock.now()).date().isoformat()}T23:59:5"
        assert (
            job.not_before is not None and job.not_before >= tomorrow and len(box.log.select("mojeek")) == 1
        )
        clock.seconds = 86_400.0
        await ended(library, task)
        assert (await output(library, task))["engine"] == "mojeek" and len(box.log.select("mojeek")) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("override", "asked", "numbers"),
    [
        ({"pagination_enabled": False}, {"serp_max_pages": 5}, [1]),
        ({"max_pages": 3}, {"serp_page": 2, "serp_max_pages": 5}, [2, 3]),
        *([({"max_pages": 2}, {"serp_max_pages": 5}, [1, 2])] if LONG else []),
        *([({}, {"serp_page": 2, "serp_max_pages": 1}, [2])] if LONG else []),
    ],
)
async def test_no_page_is_asked_for_past_the_last(
    tmp_path: Path, override: dict[str, Any], asked: dict[str, Any], numbers: list[int]
) -> None:
    async with boxed(tmp_path, {**QUICK, "mojeek": {"interval_s": 0.05, **override}}) as (box, library):
        options = replace(MOJEEK, stop_strategy=StopStrategy.EXHAUSTIVE)
        done = await searched(library, box.questions[20].topic, replace(options, **asked))
        assert (pages(done), done["paging_stop"], done["errors"]) == (numbers, "LIMIT", [])
        assert box.log.pages("mojeek") == [entry.page for entry in box.log.select("mojeek")] == numbers


@pytest.mark.slow
async def test_an_engine_that_does_not_reach_so_far_is_not_asked(tmp_path: Path) -> None:
    async with boxed(tmp_path, {**QUICK, "mojeek": {"interval_s": 0.05, "max_pages": 2}}) as (box, library):
        done = await searched(library, box.questions[20].topic, replace(TWO, serp_page=3))
        assert (done["engine"], pages(done)) == ("marginalia", [3]) and not box.log.select("mojeek")


@pytest.mark.slow
async def test_what_an_engine_cannot_do_is_said(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        options = replace(TWO, engines=("marginalia",), time_range=TimeRange.WEEK)
        done = await searched(library, box.questions[20].topic, options)
        assert done["warnings"] == ["time_range_ignored"] and done["documents"]
        able = replace(options, engines=(), categories=("general",))
        done = await searched(library, box.questions[21].topic, able)
        assert done["warnings"] == [] and done["engine"] in ("mojeek", "duckduckgo", "startpage")


async def test_a_page_past_the_end_of_every_engine_is_the_limit_and_costs_nothing(tmp_path: Path) -> None:
    async with boxed(tmp_path, {"mojeek": {"interval_s": 0.05, "max_pages": 3}}) as (box, library):
        options = SearchOptions(engines=("mojeek",), serp_page=4)
        queued = await library.tasks.queue_searches([box.questions[20].topic], options=options)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (done["paging_stop"], done["pages"], done["errors"]) == (
            "LIMIT",
            [],
            [],
        ) and not box.log.requests
