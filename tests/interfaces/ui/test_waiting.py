"""A question whose search is held up by a site that wants to see a person: the page says so, and where to go; the tab tells
that something is worked on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.bootstrap.desk import open_desk
from shisho.testing.memory_web import MemoryWeb
from tests.flows.smallweb import QUERY, challenge, way
from tests.interfaces.http.rooms import served
from tests.interfaces.ui.room import WAIT, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_who_waits_for_an_answer_is_led_to_the_site_that_wants_a_person(
    browser: Browser, tmp_path: Path
) -> None:
    web = MemoryWeb()
    for query in (QUERY, f"{QUERY} とは"):
        web.serps["memory", query, 1] = challenge()
    async with (
        open_desk(home=tmp_path, embedder="none", web_access=way(web)) as desk,
        desk.working(2),
        served(desk) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        page = visit.page
        await visit.open("/")
        icon = page.locator("#favicon")
        still = await icon.get_attribute("href")
        await page.select_option("#sources", "web")
        await page.fill("#question", f"{QUERY}とは何か")
        await page.press("#question", "Enter")
        await expect(page.locator(".answer.working")).to_contain_text("人であることの確認")
        await expect(icon).to_have_attribute("href", re.compile("icon-busy"))
        assert (await page.title()).startswith("…")
        answer = page.url.removeprefix(visit.url)
        await page.click(".answer.working a")
        await visit.ready()
        await expect(page.locator("#persons-how")).to_be_visible()
        while await page.locator("#persons .main").count():
            left = await page.locator("#persons .main").count()
            await page.click("#persons button:has-text('飛ばす')")
            await expect(page.locator("#persons .main")).to_have_count(left - 1)
        await visit.open(answer)
        await expect(page.locator(".answer .why")).to_have_count(1)
        await expect(icon).to_have_attribute("href", still or "")
        await expect(page.locator(".answer")).to_contain_text("言い方を変える")
