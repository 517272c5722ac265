"""A CAPTCHA in a real browser: met by the workers' Chromium, solved in a window on the same profile, and gone
on from."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import TaskState
from shisho.domain.task import SearchOptions
from shisho.domain.web import Response
from shisho.services import Library
from shisho.web.browser.browser import ChromiumBrowser
from shisho.web.browser.launch import Profile, RunningBrowser
from shisho_box.server import Box
from tests.faults.children import LONG
from tests.flows.boxed import output
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended
from tests.machine import PATIENCE
from tests.web.browser.test_browser_person import screen

__all__ = ["screen"]
ENGINES = "".join(f"[{name}]\ninterval_s = 0.2\n" for name in ("ecosia", "mojeek", "marginalia"))


class WithPerson(ChromiumBrowser):
    """Its windows have a person before them, who presses the button."""

    async def _watch_person(
        self, live: RunningBrowser, profile: Profile, url: str, solved: Callable[[Response], Awaitable[bool]]
    ) -> bool:
        pressing = asyncio.create_task(live.context.pages[0].click("#box-solve", timeout=PATIENCE * 1000))
        try:
            return await super()._watch_person(live, profile, url, solved)
        finally:
            pressing.cancel()
            await asyncio.gather(pressing, return_exceptions=True)


@pytest.fixture
def home(tmp_path: Path, screen: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("shisho.web.browser.browser.ChromiumBrowser", WithPerson)
    for name, value in {
        "DISPLAY": screen["DISPLAY"],
        "SHISHO_WEB": "on",
        "SHISHO_BOX": str(tmp_path / "box"),
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "engines.toml").write_text(ENGINES, "utf-8")
    return tmp_path / "home"


@asynccontextmanager
async def desk_at(home: Path, slots: int = 0) -> AsyncIterator[Library]:
    """All of ours anew."""
    async with open_library(home=home) as library:
        if not slots:
            yield library
            return
        async with library.working(slots):
            yield library


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "domain"),
    [("mojeek", "www.mojeek.com"), *([("ecosia", "www.ecosia.org")] if LONG else [])],
)
async def test_a_window_on_the_engines_profile_frees_both_tasks(
    home: Path, tmp_path: Path, engine: str, domain: str
) -> None:
    """Also of an engine that needs no browser otherwise: from then on it is asked through the one that was
    let in."""
    deep = SearchOptions(engines=(engine,), serp_max_pages=2, max_results_per_query=30)
    async with Box(seed=3, folder=tmp_path / "box") as box:
        topics = list(dict.fromkeys(one.topic for one in box.questions))[:3]
        box.behave(do="captcha", engine=engine, page=2)
        async with desk_at(home, slots=2) as library:
            held = [
                (await library.tasks.queue_searches([topic], options=deep)).task_id for topic in topics[:2]
            ]
            other = (
                await library.tasks.queue_searches(
                    [topics[2]], options=SearchOptions(engines=("marginalia",))
                )
            ).task_id
            assert (await ended(library, other))[0].status is TaskState.COMPLETED
            for task in held:
                assert (await ended(library, task))[0].status is TaskState.WAITING
        async with desk_at(home) as library:
            assert {one.domain for one in await library.web.get_auth_queue()} == {domain}
            opened = await library.web.open_auth(domain)
            assert (opened.through, opened.resolved) == (True, 2)
        async with desk_at(home, slots=2) as library:
            for task, topic in zip(held, topics, strict=False):
                status, results = await ended(library, task)
                assert status.status is TaskState.COMPLETED and any(one.document_id for one in results)
                done = await output(library, task)
                assert [page["number"] for page in done["pages"]] == [1, 2] and done["paging_stop"] == "LIMIT"
                assert box.log.pages(engine, topic).count(1) == 1, "page 1 was asked again"


async def test_closing_the_terminal_leaves_it_waiting(home: Path, tmp_path: Path) -> None:
    shell = Shell(home)
    async with Box(seed=3, folder=tmp_path / "box") as box:
        box.behave(do="captcha", engine="ecosia")
        async with desk_at(home, slots=1) as library:
            task = (
                await library.tasks.queue_searches(["湖"], options=SearchOptions(engines=("ecosia",)))
            ).task_id
            assert (await ended(library, task))[0].status is TaskState.WAITING
            opening = shell.start("auth", "open")
            try:
                await state_of(library, "in_progress")
                await asyncio.sleep(3)  # into the middle of it
                opening.send_signal(signal.SIGHUP)
                await state_of(library, "pending")
                assert await asyncio.to_thread(opening.wait, PATIENCE) == 130
            finally:
                Shell.kill(opening)
                opening.communicate()


async def state_of(library: Library, wanted: str, seconds: float = PATIENCE) -> None:
    """As soon as what waits is in this state."""
    async with asyncio.timeout(seconds):
        held = await library.tasks.get_status(wait=0)
        while [one.state for one in held.waiting_for] != [wanted]:
            held = await library.tasks.get_status(wait=20, since_revision=held.revision)
