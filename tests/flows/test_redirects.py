"""A redirect changes whose rules and whose pace count: of searches, of addresses handed in, of DOIs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.bootstrap.web import WebAccess
from shisho.domain.job import JobState
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.services import Library
from shisho.testing import MemoryParser
from shisho.web.http.address import AllowList
from shisho.web.http.fetch import HttpFetcher
from shisho_box.server import Box
from tests.flows.boxed import boxed, output
from tests.flows.smallweb import ended, html
from tests.web.servers import Answer, Asked, Names, serving

SHUT = "User-agent: *\nDisallow: /\n"
CROSSREF = SearchOptions(engines=("crossref",), serp_max_pages=1, stop_strategy=StopStrategy.EXHAUSTIVE)
FROM = "https://redirect.example/away"
TO = "script.example"
VERSIONS = (
    "旧版では、塔の高さを三十メートルと記している。",
    "改訂版では、塔の高さを四十メートルと改めている。",
)


async def fetched(library: Library, *urls: str) -> list[str]:
    """What became of each address: its state, or the code and the words of its error."""
    queued = await library.tasks.queue_urls(urls)
    await ended(library, queued.task_id)
    jobs = (await library.tasks.list_jobs(queued.task_id)).jobs
    return [
        f"{job.errors[-1].code} {job.errors[-1].message}" if job.state is JobState.FAILED else job.state.value
        for job in jobs
    ]


def pages_asked(box: Box, *but: str) -> list[str]:
    entries = [entry for entry in box.log.requests if entry.path != "/robots.txt" and entry.host not in but]
    return [f"{entry.host}{entry.path}" for entry in entries]


@asynccontextmanager
async def desk_before(home: Path, answer: Callable[[Asked], Answer]) -> AsyncIterator[Library]:
    """With a worker, before one server that is a.test and b.test."""
    hosts = ("a.test", "b.test")
    names = Names()
    async with serving(answer) as server:
        for host in hosts:
            names.lead(host, [server.endpoint])
        fetcher = HttpFetcher(names, AllowList.from_names(hosts), "Shisho/test")
        access = WebAccess({}, lambda: fetcher, MemoryParser({}), robots=False)
        async with open_library(home=home, web_access=access) as library, library.working(1):
            yield library


@pytest.mark.slow
async def test_no_page_is_taken_from_hosts_that_disallow_everything_though_a_doi_leads_there(
    tmp_path: Path,
) -> None:
    async with boxed(tmp_path, robots=True) as (box, library):
        box.behave(path="/robots.txt", do="text", text=SHUT)
        box.behave(host="doi.org", path="/robots.txt", do="text", text="User-agent: *\nDisallow:\n")
        queued = await library.tasks.queue_searches([box.questions[0].topic], options=CROSSREF)
        held, _ = await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert len(done["hits"]) >= 5 and done["documents"] == []
        assert {error.code for error in held.errors} == {"ROBOTS_DISALLOWED"} and len(held.errors) == len(
            done["hits"]
        )
        assert pages_asked(box, "doi.org", "api.crossref.org") == []
        assert len(box.log.select(host="doi.org")) == len(done["hits"]) + 1, "a DOI was looked up twice"


async def test_an_address_handed_in_is_led_to_no_forbidden_host(tmp_path: Path) -> None:
    async with boxed(tmp_path, robots=True) as (box, library):
        box.behave(host=TO, path="/robots.txt", do="text", text=SHUT)
        (said,) = await fetched(library, FROM)
        assert said.startswith(f"ROBOTS_DISALLOWED {TO}")
        assert pages_asked(box) == ["redirect.example/away"]


@pytest.mark.slow
async def test_the_target_keeps_the_pace_it_asks_for(tmp_path: Path) -> None:
    async with boxed(tmp_path, robots=True) as (box, library):
        box.behave(host=TO, path="/robots.txt", do="text", text="User-agent: *\nCrawl-delay: 3\n")
        assert await fetched(library, FROM) == ["completed"]
        robots, page = sorted(box.log.select(host=TO), key=lambda entry: entry.at)
        assert page.at - robots.ended >= 3.0 and pages_asked(box) == ["redirect.example/away", f"{TO}/plain"]


@pytest.mark.parametrize("status", [429, 503])
async def test_a_host_that_wants_longer_than_a_task_has_ends_its_job_with_that_word(
    tmp_path: Path, status: int
) -> None:
    async with boxed(tmp_path) as (box, library):
        box.behave(host=TO, do="status", status=status, retry_after=7200)
        (said,) = await fetched(library, FROM)
        assert said.startswith("ALL_FETCHES_FAILED") and f"{TO} asks for a pause of 7200 s" in said
        assert "1200 s left" in said
        (again,) = await fetched(library, f"https://{TO}/plain")
        assert again.startswith(f"ALL_FETCHES_FAILED {TO} asks for a pause of 7")
        assert len(box.log.select(host=TO)) == 1, "it was asked again within its two hours"


@pytest.mark.slow
async def test_hits_of_a_host_that_wants_hours_are_told_and_the_others_are_read(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        options = SearchOptions(engines=("mojeek",), serp_max_pages=1, stop_strategy=StopStrategy.EXHAUSTIVE)
        walled = box.results("mojeek", query)[0].split("/")[2]
        box.behave(host=walled, do="status", status=503, retry_after=86_400)
        queued = await library.tasks.queue_searches([query], options=options)
        held, _ = await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert held.errors and all(f"{walled} asks for a pause" in error.reason for error in held.errors)
        assert len(done["documents"]) > 4 and len(box.log.select(host=walled)) == 1


@pytest.mark.slow
async def test_an_engine_that_wants_hours_is_passed_over(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        box.behave(engine="mojeek", do="status", status=429, retry_after=86_400)
        both = SearchOptions(engines=("mojeek", "marginalia"), serp_max_pages=1, max_results_per_query=1)
        queued = await library.tasks.queue_searches([query], options=both)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert done["engine"] == "marginalia"
        assert any("mojeek asks for a pause of 86" in error["reason"] for error in done["errors"])
        alone = SearchOptions(engines=("mojeek",), serp_max_pages=1)
        queued = await library.tasks.queue_searches([f"{query} もう一度"], options=alone)
        await ended(library, queued.task_id)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert job.state is JobState.FAILED and "asks for a pause" in job.errors[-1].message
        assert len(box.log.select(engine="mojeek")) == 1


async def test_a_page_that_has_changed_is_there_once_however_its_address_is_spelled(tmp_path: Path) -> None:
    texts = [*VERSIONS]
    async with desk_before(tmp_path, lambda _: Answer(html("塔", texts[0]))) as library:
        assert await fetched(library, "http://a.test/図書") == ["completed"]
        del texts[0]
        assert await fetched(library, "http://a.test./%e5%9b%b3%E6%9B%B8/?utm_source=x") == ["completed"]
        (document,) = await library.documents.list()
        assert document.source == "http://a.test/%E5%9B%B3%E6%9B%B8"
        assert "四十メートル" in await library.documents.read_text(document.id)


async def test_a_moved_page_is_read_where_it_is_now_and_again_when_it_has_changed(tmp_path: Path) -> None:
    """The old address would answer that it is as before: the date that it is shown is of the new one."""
    moved = '<meta http-equiv="refresh" content="0; url=http://b.test/new"><p>移転しました。</p>'
    texts = [*VERSIONS]
    dated = [("Last-Modified", "Mon, 02 Nov 2026 00:00:00 GMT")]

    def answer(asked: Asked) -> Answer:
        if asked.path == "/new":
            return Answer(html("塔", texts[0]), headers=dated)
        return Answer(status=304) if "if-modified-since" in asked.headers else Answer(moved, headers=dated)

    async with desk_before(tmp_path, answer) as library:
        assert await fetched(library, "http://a.test/old") == ["completed"]
        del texts[0]
        assert await fetched(library, "http://a.test/old") == ["completed"]
        (document,) = await library.documents.list()
        assert document.source == "http://b.test/new"
        assert "四十メートル" in await library.documents.read_text(document.id)
