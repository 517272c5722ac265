"""What sites ask of programs is heeded, page by page; a page that wants a person is left to one, and the
others are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import JobState
from shisho.domain.payloads import read_payload
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.services import Library
from shisho.web.http.url import canonicalise
from shisho_box.log import LogEntry
from shisho_box.server import Box
from tests.flows.boxed import boxed, output, through, way
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended

OPTIONS = SearchOptions(engines=("mojeek",), serp_max_pages=1, stop_strategy=StopStrategy.EXHAUSTIVE)


async def fetched(library: Library, *urls: str) -> dict[str, str]:
    """What became of each address."""
    queued = await library.tasks.queue_urls(urls)
    await ended(library, queued.task_id)
    jobs = (await library.tasks.list_jobs(queued.task_id)).jobs
    return {
        read_payload(job).subject: job.errors[-1].code if job.state is JobState.FAILED else job.state.value
        for job in jobs
    }


def asked(box: Box, host: str) -> list[LogEntry]:
    return sorted(box.log.select(host=host), key=lambda entry: entry.at)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "code", "paths"),
    [
        ("https://robots-shut.example/a", "ROBOTS_DISALLOWED", ["/robots.txt"]),
        ("https://robots-part.example/private/a", "ROBOTS_DISALLOWED", ["/robots.txt"]),
        ("https://robots-part.example/private/open", "completed", ["/robots.txt", "/private/open"]),
        ("https://robots-none.example/a", "completed", ["/robots.txt", "/a"]),
        ("https://robots-broken.example/a", "ROBOTS_DISALLOWED", ["/robots.txt"]),
        ("https://robots-large.example/private/a", "ROBOTS_DISALLOWED", ["/robots.txt"]),
        ("https://robots-large.example/a", "completed", ["/robots.txt", "/a"]),
    ],
)
async def test_what_robots_txt_says_is_done(tmp_path: Path, url: str, code: str, paths: list[str]) -> None:
    async with boxed(tmp_path, robots=True) as (box, library):
        assert await fetched(library, url) == {url: code}
        # Where the answer is late, as on a busy machine, it is asked for again.
        assert list(dict.fromkeys(entry.path for entry in asked(box, url.split("/")[2]))) == paths


async def test_a_crawl_delay_is_kept(tmp_path: Path) -> None:
    async with boxed(tmp_path, robots=True) as (box, library):
        urls = [f"https://robots-part.example/{name}" for name in ("a", "b")]
        assert set((await fetched(library, *urls)).values()) == {"completed"}
        robots, first, second = asked(box, "robots-part.example")
        assert first.at - robots.ended >= 2.0 and second.at - first.ended >= 2.0


async def test_where_the_owner_says_so_nobody_asks_for_it(shell: Shell, tmp_path: Path) -> None:
    async with Box(seed=1, folder=tmp_path / "box") as box:
        through(shell, box, robots=False)
        async with open_library(home=shell.home, web_access=way(box)) as library:
            queued = await library.tasks.queue_urls(["https://robots-shut.example/a"])
            running = shell.start("worker")
            try:
                _, (result,) = await ended(library, queued.task_id)
            finally:
                shell.kill(running)
                running.communicate()
        assert result.document_id is not None
        assert [entry.path for entry in box.log.requests] == ["/a"]


@pytest.mark.slow
async def test_hits_that_may_not_be_read_are_told_and_not_asked_for(tmp_path: Path) -> None:
    async with Box(seed=1) as box:
        query = box.questions[20].topic
        hits = list(dict.fromkeys(map(canonicalise, box.results("mojeek", query)[:10])))
        shut = hits[0].split("/")[2]
        box.behave(host=shut, path="/robots.txt", do="text", text="User-agent: Shisho\nDisallow: /\n")
        async with (
            open_library(home=tmp_path, web_access=way(box, robots=True)) as library,
            library.working(1),
        ):
            queued = await library.tasks.queue_searches([query], options=OPTIONS)
            held, _ = await ended(library, queued.task_id)
            done = await output(library, queued.task_id)
        failed = {canonicalise(one["url"]) for one in done["hits"] if one["status"] == "failed"}
        assert failed == {hit for hit in hits if hit.split("/")[2] == shut}
        assert {(one.code, canonicalise(one.url)) for one in held.errors} == {
            ("ROBOTS_DISALLOWED", hit) for hit in failed
        }
        assert [entry.path for entry in asked(box, shut)] == ["/robots.txt"]
        assert done["paging_stop"] == "LIMIT" and len(done["documents"]) > 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["captcha", "turnstile", "consent", "login", "js_challenge"])
async def test_a_hit_that_wants_a_person_holds_nobody_up(tmp_path: Path, kind: str) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        hits = list(dict.fromkeys(map(canonicalise, box.results("mojeek", query)[:10])))
        walled = hits[1].split("/")[2]
        box.behave(host=walled, do=kind)
        queued = await library.tasks.queue_searches([query], options=OPTIONS)
        held, _ = await ended(library, queued.task_id)
        done: dict[str, Any] = await output(library, queued.task_id)
        failed = {canonicalise(one["url"]) for one in done["hits"] if one["status"] == "failed"}
        assert failed == {hit for hit in hits if hit.split("/")[2] == walled}
        assert {(one.code, canonicalise(one.url)) for one in held.errors} == {
            ("AUTH_REQUIRED", hit) for hit in failed
        }
        assert done["paging_stop"] == "LIMIT" and len(done["documents"]) > 4
        assert await library.web.get_auth_queue() == []
