"""A question that is being worked on: stopped, reloaded, seen in two tabs, and taken up by a server that was killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from shisho.testing.providers.script import ProviderReply, ProviderRequest
from shisho.testing.providers.server import FakeProvider
from tests.flows.test_model_answers import QUESTION, SENTENCE, TEXT, kind, well
from tests.interfaces.serving import address, serving, started
from tests.interfaces.ui.room import WAIT, RoomVisit, chromium_browser, visiting

expect.set_options(timeout=WAIT)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium_browser() as browser:
        yield browser


class HeldModel:
    """A model that thinks until it is let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.asked = asyncio.Event()

    async def __call__(self, request: ProviderRequest) -> ProviderReply:
        if kind(request) == "findings":
            self.asked.set()
            await self.go.wait()
        return well(request)


def with_model(provider: FakeProvider) -> dict[str, str]:
    return {
        "SHISHO_MODEL": "ollama/m-1",
        "SHISHO_MODEL_URL": provider.url("ollama"),
        "SHISHO_MODEL_SECONDS": "300",
        "SHISHO_MAX_SECONDS": "600",
        "SHISHO_WEB": "off",
    }


async def ask(visit: RoomVisit, folder: Path) -> None:
    page = visit.page
    file = folder / "page.md"
    file.write_text(TEXT, "utf-8")
    await visit.open("/")
    await page.set_input_files("#files", str(file))
    await expect(page.locator("#documents li .head")).to_have_count(1)
    await page.fill("#question", QUESTION)
    await page.press("#question", "Enter")
    await expect(page.locator(".answer.working")).to_have_count(1)


@pytest.mark.asyncio(loop_scope="module")
async def test_stop_ends_the_search_and_shows_what_there_is(browser: Browser, tmp_path: Path) -> None:
    model = HeldModel()
    async with FakeProvider(model) as provider:
        with serving(tmp_path / "home", **with_model(provider)) as url:
            async with visiting(browser, url) as visit:
                await ask(visit, tmp_path)
                await model.asked.wait()
                await visit.page.click("#stop")
                await expect(visit.page.locator(".answer .why")).to_have_count(1)
                await visit.page.click(".why summary")
                await expect(visit.page.locator(".why")).to_contain_text("途中で止め")
                await expect(visit.page.locator("#stop")).to_be_hidden()
                await expect(visit.page.locator("#send")).to_be_enabled()
        model.go.set()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_running_question_outlives_reload_and_kill_in_two_tabs(
    browser: Browser, tmp_path: Path
) -> None:
    model = HeldModel()
    async with FakeProvider(model) as provider:
        server = started(tmp_path / "home", **with_model(provider))
        url = await asyncio.to_thread(address, server)
        try:
            async with visiting(browser, url) as visit, visiting(browser, url) as other:
                await ask(visit, tmp_path)
                await model.asked.wait()
                await visit.page.reload()
                await visit.ready()
                await expect(visit.page.locator(".answer.working")).to_have_count(1)
                await other.open(visit.page.url.removeprefix(url))
                await expect(other.page.locator(".answer.working")).to_have_count(1)
                os.killpg(server.pid, signal.SIGKILL)
                await asyncio.to_thread(server.communicate)
                server = await asyncio.to_thread(started_again, tmp_path / "home", url, provider)
                model.go.set()
                for tab in (visit, other):
                    await expect(tab.page.locator(".answer .why")).to_have_count(1)
                    await expect(tab.page.locator(".answer")).to_contain_text(SENTENCE)
        finally:
            server.send_signal(signal.SIGINT)
            await asyncio.to_thread(server.communicate)


def started_again(home: Path, url: str, provider: FakeProvider) -> subprocess.Popen[str]:
    """A server where the killed one was."""
    server = started(home, "--port", url.rpartition(":")[2], **with_model(provider))
    assert address(server) == url
    return server
