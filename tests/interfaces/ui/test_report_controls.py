"""The controls of a report on the page of questions, and its price over REST before it is asked for."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, expect

from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.report_model import REQUEST, TOPICS, TOWNS, name_kind, play, write_town
from tests.interfaces.serving import serving
from tests.interfaces.ui.room import WAIT, visiting
from tests.machine import PATIENCE

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


@asynccontextmanager
async def serve_with_model(
    folder: Path, go: asyncio.Event | None = None
) -> AsyncIterator[tuple[str, FakeProvider]]:
    """Serve a played model that waits with the second section until `go` is set."""
    sections = count(1)

    async def reply(request: ProviderRequest) -> ProviderReply:
        if go and name_kind(request) == "blocks" and next(sections) > 1:
            await go.wait()
        return play(request)

    async with FakeProvider(reply) as provider:
        settings = {
            "SHISHO_MODEL": "ollama/m-1",
            "SHISHO_MODEL_URL": provider.build_url("ollama"),
            "SHISHO_MODEL_SECONDS": "300",
            "SHISHO_MODEL_CONTEXT": "16384",
            "SHISHO_WEB": "off",
        }
        with serving(folder / "home", **settings) as url:
            yield url, provider


async def test_a_report_shows_its_cost_its_progress_and_its_sources(browser: Browser, tmp_path: Path) -> None:
    files = [tmp_path / f"{town}.md" for town in TOWNS[:4]]
    for place, (town, file) in enumerate(zip(TOWNS, files, strict=False), 1):
        file.write_text(write_town(town, place), "utf-8")
    go = asyncio.Event()
    async with serve_with_model(tmp_path, go) as (url, provider), visiting(browser, url) as visit:
        page = visit.page
        await visit.open("/")
        await page.set_input_files("#files", [str(file) for file in files])
        await expect(page.locator("#documents li .head")).to_have_count(len(files))
        await expect(page.locator("#report-size")).to_be_hidden()
        await page.select_option("#kind", "summary")
        await expect(page.locator("#report-cost")).to_have_text(re.compile("約8回"))
        await expect(page.locator("#sections")).to_be_hidden()
        await page.select_option("#kind", "report")
        await expect(page.locator("#report-cost")).to_have_text(re.compile("最大34回"))
        await page.fill("#sections", "4")
        await page.press("#sections", "Tab")
        await expect(page.locator("#report-cost")).to_have_text(re.compile("最大24回"))
        await expect(page.locator("#sources")).to_be_disabled()
        assert not provider.requests, "the cost is known before anything is asked"
        for width in (1280, 360):
            await page.set_viewport_size({"width": width, "height": 850})
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
            for control in ("#sections", "#words", "#report-cost"):
                box = await page.locator(control).bounding_box()
                assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, (control, width)
        await page.fill("#question", REQUEST)
        await page.press("#question", "Enter")
        await expect(page.locator(".answer.working")).to_contain_text("4節のうち第2節")
        lines = await page.locator(".draft li").all_inner_texts()
        assert lines[0].startswith("1/4") and re.search(r"\[1\]$", lines[1]), lines
        go.set()
        answer = page.locator(".answer")
        await expect(answer.locator(".why")).to_have_count(1)
        headings = await answer.locator("h2, h3, h4, h5").all_inner_texts()
        assert [heading for heading in headings if heading in TOPICS] == [*TOPICS]
        await expect(page.locator("#kind")).to_have_value("auto")
        box = await page.locator(".ask").bounding_box()
        assert box and box["height"] < 80, "below a report the question box of a narrow screen is one line"
        await page.focus("#question")
        await expect(page.locator("#kind")).to_be_visible()
        await page.select_option("#kind", "report")
        box = await page.locator(".ask").bounding_box()
        assert box and box["height"] <= 0.6 * 850
        for town in TOWNS[:4]:
            await expect(answer).to_contain_text(f"Budget of {town}")


async def test_cost_of_a_report_is_told_over_rest(tmp_path: Path) -> None:
    async with serve_with_model(tmp_path) as (url, provider), httpx.AsyncClient(timeout=PATIENCE) as client:
        address = f"{url}/api/v1/reports/estimate"
        cost = (await client.get(address, params={"sections": 4, "words": 900})).raise_for_status().json()
        refused = await client.get(address, params={"sections": 13})
    assert (cost["sections"], cost["words"], cost["max_model_calls"]) == (4, 900, 24)
    assert cost["model_calls"] <= cost["max_model_calls"] and cost["tokens"] <= cost["max_tokens"]
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMS")
    assert not provider.requests
