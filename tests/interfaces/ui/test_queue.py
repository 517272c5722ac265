"""A page that asks for a person: it appears in the queue, is opened and solved from there, and the search
goes on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.bootstrap.library import open_library
from shisho.domain.task import SearchOptions
from shisho.domain.web import Response
from shisho.web.browser.browser import ChromiumBrowser
from shisho.web.browser.launch import Profile, RunningBrowser
from shisho_box.server import Box
from tests.interfaces.http.rooms import served
from tests.interfaces.ui.room import WAIT, visiting
from tests.machine import PATIENCE
from tests.web.browser.test_browser_person import screen

__all__ = ["screen"]
ENGINE = "[mojeek]\ninterval_s = 0.2\n"
expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


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


async def test_a_challenge_is_opened_and_solved_from_the_queue_and_the_search_goes_on(
    browser: Browser, tmp_path: Path, screen: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shisho.web.browser.browser.ChromiumBrowser", WithPerson)
    monkeypatch.setenv("DISPLAY", screen["DISPLAY"])
    monkeypatch.setenv("SHISHO_WEB", "on")
    monkeypatch.setenv("SHISHO_BOX", str(tmp_path / "box"))
    home = tmp_path / "home"
    home.mkdir()
    (home / "engines.toml").write_text(ENGINE, "utf-8")
    async with (
        Box(seed=3, folder=tmp_path / "box") as box,
        open_library(home=home) as library,
        library.working(2),
    ):
        box.behave(do="captcha", engine="mojeek", page=2)
        async with (
            served(library) as client,
            visiting(browser, str(client.base_url).split("/api")[0]) as visit,
        ):
            page = visit.page
            await visit.open("/queue")
            await expect(page.locator("#tasks")).to_contain_text("キューは空です")
            options = SearchOptions(engines=("mojeek",), serp_max_pages=2, max_results_per_query=30)
            await library.tasks.queue_searches([box.questions[0].topic], options=options)
            await expect(page.locator("#persons .main")).to_have_count(1)
            await expect(page.locator("#persons")).to_contain_text("www.mojeek.com")
            await expect(page.locator("#tasks .state")).to_have_text("人の確認待ち")
            await visit.shot("queue-challenge")
            await page.click("#persons .main")
            await expect(page.locator("#tasks .state")).to_have_text("完了")
            await expect(page.locator("#tasks [data-task]").last).to_contain_text(re.compile(r"完了 \d+"))
            await expect(page.locator("#persons .main")).to_have_count(0)
            assert box.log.pages("mojeek", box.questions[0].topic) == [1, 2, 2], "page 1 was asked again"
