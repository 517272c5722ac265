"""A question that is being worked on: stopped, reloaded, seen in two tabs, and taken up by a server that was
killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.test_model_answers import QUESTION, SENTENCE, TEXT, kind, well
from tests.interfaces.http.test_answer_sentences import write_and_hang
from tests.interfaces.serving import address, serving, started
from tests.interfaces.ui.room import WAIT, RoomVisit, visiting
from tests.machine import PATIENCE

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


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
        "SHISHO_MODEL_URL": provider.build_url("ollama"),
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


@pytest.mark.slow
async def test_stop_keeps_what_was_found_and_nothing_unchecked_is_shown(
    browser: Browser, tmp_path: Path
) -> None:
    """The model never ends its reply, so no sentence of it is checked. Asked again it does not even read."""
    held = HeldModel()
    is_reading = False
    is_writing = asyncio.Event()

    async def model(request: ProviderRequest) -> ProviderReply:
        if kind(request) == "blocks":
            is_writing.set()
        return await held(request) if is_reading else write_and_hang(request)

    async with FakeProvider(model) as provider:
        with serving(tmp_path / "home", **with_model(provider)) as url:
            async with visiting(browser, url) as visit:
                page = visit.page
                await ask(visit, tmp_path)
                await asyncio.wait_for(is_writing.wait(), PATIENCE)
                await expect(page.locator(".answer.working")).to_have_count(1)
                await expect(page.locator(".draft li")).to_have_count(0)
                await visit.shot("streaming")
                await page.click("#stop")
                await expect(page.locator(".answer .why")).to_have_count(1)
                await expect(page.locator(".draft")).to_have_count(0)
                await expect(page.locator(".answer")).to_contain_text("当てはまりのよさ")
                await expect(page.locator("#stop")).to_be_hidden()
                is_reading = True
                await page.fill("#question", QUESTION)
                await page.press("#question", "Enter")
                await held.asked.wait()
                await page.click("#stop")
                await expect(page.locator(".answer .why")).to_have_count(2)
                await page.locator(".why summary").last.click()
                await expect(page.locator(".why").last).to_contain_text("途中で停止")
                await expect(page.locator("#send")).to_be_enabled()
                last = page.locator(".answer").last
                await expect(last.locator(".level").first).to_have_text("途中で停止")
                await expect(last).not_to_contain_text("別の言葉で質問する")
                await visit.shot("stopped")
                held.go.set()
                await last.locator("button:has-text('再開')").click()
                await expect(last).to_contain_text(SENTENCE)
                await expect(last.locator("button:has-text('再開')")).to_have_count(0)


async def test_stop_stays_until_the_last_of_two_questions_has_ended(browser: Browser, tmp_path: Path) -> None:
    """The second comes from elsewhere, as by another window."""
    held = HeldModel()
    async with FakeProvider(held) as provider:
        with serving(tmp_path / "home", **with_model(provider)) as url:
            async with visiting(browser, url) as visit:
                page = visit.page
                await ask(visit, tmp_path)
                await held.asked.wait()
                first = page.url.rpartition("/")[2]
                asked = {"question": QUESTION, "conversation_id": first, "wait": 0}
                reply = await page.request.post(f"{url}/api/v1/answers", data=asked)
                assert reply.ok, await reply.text()
                await page.reload()
                await visit.ready()
                await expect(page.locator(".answer.working")).to_have_count(2)
                await page.request.post(f"{url}/api/v1/answers/{first}/stop")
                await expect(page.locator(".answer.working")).to_have_count(1)
                await expect(page.locator("#stop")).to_be_visible()
                await page.click("#stop")
                await expect(page.locator(".answer .why")).to_have_count(2)
                await expect(page.locator("#stop")).to_be_hidden()
        held.go.set()


@pytest.mark.slow
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
                for tab in (visit, other):
                    await expect(tab.page.locator(".answer.working")).to_contain_text("接続できません")
                await visit.shot("server-away")
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
