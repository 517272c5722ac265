"""A question whose search is held up by a site that wants to see a person: the page says so, and leads there;
the tab tells what is worked on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.bootstrap.library import open_library
from shisho.testing import MemoryWeb
from tests.flows.smallweb import QUERY, challenge, way
from tests.interfaces.http.rooms import served
from tests.interfaces.ui.room import WAIT, visiting

# Notes each icon that the tab is given.
NOTE_ICONS = """
globalThis.icons = [];
new MutationObserver((changes) => changes.forEach(({ target }) => target.id === 'favicon' && icons.push(target.href)))
  .observe(document, { attributes: true, attributeFilter: ['href'], subtree: true });
"""
expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_who_waits_for_an_answer_is_led_to_the_site_that_wants_a_person(
    browser: Browser, tmp_path: Path
) -> None:
    web = MemoryWeb()
    for query in (QUERY, f"{QUERY} とは"):
        web.serps["memory", query, 1] = challenge()
    async with (
        open_library(home=tmp_path, embedder="none", web_access=way(web)) as library,
        library.working(2),
        served(library) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        page = visit.page
        await page.add_init_script(NOTE_ICONS)
        await visit.open("/")
        await page.select_option("#sources", "web")
        await page.fill("#question", f"{QUERY}とは何か")
        await page.press("#question", "Enter")
        await expect(page.locator(".answer .why")).to_have_count(1)
        await expect(page.locator(".answer")).to_contain_text("別の言葉で質問する")
        first, last = (await page.evaluate("icons"))[:2]
        assert "icon-busy" in first and "icon-busy" not in last
        await page.reload()
        await visit.ready()
        await page.click(".turn .notice a")
        await visit.ready()
        await expect(page.locator("#persons-how")).to_be_visible()
        for left in (1, 0):
            await page.locator("#persons button:has-text('飛ばす')").first.click()
            await expect(page.locator("#persons .main")).to_have_count(left)
