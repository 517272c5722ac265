"""Somebody comes to a room that asks for a token by a link to a page of it."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.interfaces.ui.room import WAIT, Reader, fill_library, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_link_opens_its_page_with_a_token_and_from_another_site_without_asking_again(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        await fill_library(visit)
        link = await visit.page.locator("#documents li .head a").get_attribute("href")
    wanted = f"{reader.url}{link}#page=3"
    async with visiting(browser, reader.url) as visit:
        page = visit.page
        await page.goto(wanted)
        await page.fill("#token", "a guess")
        await page.press("#token", "Enter")
        await expect(page.locator(".notice.bad")).to_be_visible()
        await page.fill("#token", reader.token)
        await page.press("#token", "Enter")
        await page.wait_for_url(wanted)
        await visit.ready()
        await expect(page.locator(".page[data-page='3']")).to_have_count(1)
    async with visiting(browser, reader) as visit:
        page = visit.page
        await page.goto(f"{reader.url.replace('127.0.0.1', 'localhost')}/livez")
        visit.hosts.clear()
        await page.evaluate("(target) => { location.href = target; }", wanted)
        await page.wait_for_url(wanted)
        await visit.ready()
        await expect(page.locator(".page[data-page='3']")).to_have_count(1)
