"""A person's turn between processes: who met the challenge is killed, it is solved in the real profile, and
others go on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import TaskState
from shisho.domain.task import SearchOptions
from shisho.services import Library
from shisho.settings import build_child_environment
from shisho.web.browser.launch import Launcher, LaunchOptions, hold
from shisho.web.browser.proxy import GuardedProxy
from shisho.web.http.address import AllowList
from shisho_box.server import Box
from tests.faults.children import LONG
from tests.flows.boxed import QUICK, boxed, output, through
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended
from tests.web.browsing import need_browser

ENGINES = {name: {"interval_s": 0.2} for name in ("ecosia", "startpage", "marginalia")}
HOSTS = {"ecosia": "www.ecosia.org", "startpage": "www.startpage.com"}


@contextmanager
def worker(shell: Shell) -> Iterator[None]:
    """A process with workers, killed in the end with all that it has started."""
    running = shell.start("worker", "-n", "3")
    try:
        yield
    finally:
        Shell.kill(running)
        running.communicate()


async def solve(home: Path, box: Box, met: PendingIntervention) -> None:
    """In the profile of the engine: the page that was met, and a click on its button."""
    launcher = Launcher(
        GuardedProxy(box.resolver, AllowList.from_names(box.hosts)),
        build_child_environment(),
        LaunchOptions(trust_any_certificate=True),
    )
    try:
        with hold(home / "profiles", met.engine) as profile:
            async with launcher.launch(profile) as live:
                page = live.context.pages[0]
                await page.goto(met.url)
                await page.click("#box-solve")
                await page.wait_for_load_state()
                profile.keep(await live.context.cookies())
    finally:
        await launcher.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "state_expires"), [("startpage", True), *([("ecosia", False)] if LONG else [])]
)
async def test_what_one_process_met_another_goes_on_with(
    shell: Shell, tmp_path: Path, engine: str, state_expires: bool
) -> None:
    need_browser()
    options = ("--engine", engine, "--pages", "2", "--results", "30", "--json")
    async with Box(seed=3, folder=tmp_path / "box") as box:
        through(shell, box, ENGINES)
        box.behave(do="captcha", engine=engine, page=2)
        topics = list(dict.fromkeys(one.topic for one in box.questions[20:]))[:3]
        held = [shell("queue", "add", topic, *options)["task_id"] for topic in topics[:2]]
        other = shell("queue", "add", topics[2], "--engine", "marginalia", "--json")["task_id"]
        with worker(shell):
            async with open_library(home=shell.home) as library:
                assert (await ended(library, other))[0].status is TaskState.COMPLETED
                for task in held:
                    status, results = await ended(library, task)
                    assert status.status is TaskState.WAITING and any(one.document_id for one in results)
        box.behave(do="captcha", host=HOSTS[engine])  # whichever page of it the person's window opens
        if state_expires:
            box.expire(engine)
        async with open_library(home=shell.home) as library:
            waiting = await library.web.get_auth_queue()
        assert [one.domain for one in waiting] == [HOSTS[engine]] * 2
        await solve(shell.home, box, waiting[0])
        assert len((await asyncio.to_thread(shell, "auth", "done", HOSTS[engine], "--json"))["requeued"]) == 2
        with worker(shell):
            async with open_library(home=shell.home) as library:
                for task, topic in zip(held, topics, strict=False):
                    await completed(library, task)
                    asked = box.log.pages(engine, topic)
                    assert asked[-1] == 2 and asked.count(1) == (2 if state_expires else 1), asked


async def completed(library: Library, task: str) -> None:
    """With two result pages, and each hit once."""
    status, _ = await ended(library, task)
    done = await output(library, task)
    assert status.status is TaskState.COMPLETED and done["paging_stop"] == "LIMIT", (
        status.errors,
        done["errors"],
    )
    assert [page["number"] for page in done["pages"]] == [1, 2]
    assert [hit["rank"] for hit in done["hits"]] == [*range(1, len(done["hits"]) + 1)]
    assert len({hit["url"] for hit in done["hits"]}) == len(done["hits"])


async def test_the_next_try_finds_it_gone_and_frees_what_waited(tmp_path: Path) -> None:
    """Nobody resolves anything: the breaker's time is over, and somebody else's search is answered."""
    options = SearchOptions(engines=("mojeek",), serp_max_pages=2, max_results_per_query=30)
    async with boxed(tmp_path, QUICK) as (box, library):
        topics = list(dict.fromkeys(one.topic for one in box.questions[20:]))[:2]
        box.behave(do="captcha", engine="mojeek", page=2)
        held = (await library.tasks.queue_searches([topics[0]], options=options)).task_id
        assert (await ended(library, held))[0].status is TaskState.WAITING
        box.calm_down()
        with apsw.Connection(str(tmp_path / "shisho.db")) as connection:
            connection.set_busy_timeout(5_000)
            connection.execute(
                "UPDATE engine_health SET open_until = '2026-01-01T00:00:00+00:00' WHERE engine = 'mojeek'"
            )
        await completed(library, (await library.tasks.queue_searches([topics[1]], options=options)).task_id)
        await completed(library, held)
        assert await library.web.get_auth_queue() == [] and box.log.pages("mojeek", topics[0]) == [1, 2]
