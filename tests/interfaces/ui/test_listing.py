"""The list of documents beside the question: each once, as many as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.interfaces.ui.room import WAIT, Reader, fill_library, sample, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")

LIST_TWICE = """
() => {
  const corpus = document.querySelector('#corpus');
  for (const name of ['default', '']) { corpus.value = name; corpus.dispatchEvent(new Event('change')); }
}
"""


async def test_documents_that_are_listed_twice_at_once_stand_there_once(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit, sample(1), sample(2))
        async with page.expect_response("**/documents?limit=50"):
            await page.evaluate(LIST_TWICE)
        await page.wait_for_load_state("networkidle")
        await expect(page.locator("#documents li")).to_have_count(2)
        await expect(page.locator("#document-count")).to_have_text("2件")
        await visit.open("/library")
        async with page.expect_response("**/documents?limit=100"):
            await page.evaluate(LIST_TWICE)
        await page.wait_for_load_state("networkidle")
        await expect(page.locator("#documents tr")).to_have_count(2)
        await expect(page.locator("#document-count")).to_have_text("2件")


async def test_the_count_follows_what_is_removed_and_brought_back(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit, sample(1), sample(2))
        for rest in ("1件", ""):
            await page.locator("#documents li .head button").first.click()
            await page.click("dialog[open] button[value=yes]")
            await expect(page.locator("#document-count")).to_have_text(rest)
            await expect(page.locator("#documents li button:has-text('元に戻す')").last).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator("#document-count")).to_have_text("1件")
        await expect(page.locator("#documents li .head a")).to_be_focused()


async def test_the_library_brings_back_what_was_removed(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit, sample(1), sample(2))
        await visit.open("/library")
        await expect(page.locator("#removed-section")).to_be_hidden()
        await visit.open("/")
        for _ in range(2):
            await page.locator("#documents li .head button").first.click()
            await page.click("dialog[open] button[value=yes]")
            await expect(page.locator("#documents li button:has-text('元に戻す')").last).to_be_focused()
        await visit.open("/library")
        await expect(page.locator("#removed li")).to_have_count(2)
        await visit.shot("library-removed")
        first = page.locator("#removed button").first
        await expect(first).to_have_accessible_name(re.compile("復元"))
        await first.click()
        await expect(page.locator("#documents tr a", has_text="開く")).to_have_count(1)
        await expect(page.locator("#removed li")).to_have_count(1)  # its list may come after the other
        await expect(page.locator("#removed button")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator("#documents tr a", has_text="開く")).to_have_count(2)
        await expect(page.locator("#removed-section")).to_be_hidden()


async def test_a_very_long_title_leaves_room_for_what_can_be_done(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "題.md"
    file.write_text(f"# {'とても長い題名' * 300}\n\nオカピはコンゴの森に住む。", "utf-8")
    async with visiting(browser, reader, viewport={"width": 375, "height": 700}) as visit:
        page = visit.page
        await fill_library(visit, file)
        row = await page.locator("#documents li").bounding_box()
        assert row is not None and row["height"] < 250
        await page.locator("#documents li .head a").click()
        await visit.ready()
        await expect(page.locator(".stored")).to_be_in_viewport()
        await visit.open("/library")
        await expect(page.locator("#documents a", has_text="開く")).to_have_count(1)
        table = await page.locator("#documents tr").bounding_box()
        assert table is not None and table["height"] < 500
        await visit.open("/")
        await page.locator("#documents-panel summary").click()
        await page.locator("#documents li button").click()
        await page.click("dialog[open] button[value=yes]")
        await expect(page.locator("#documents li button")).to_be_in_viewport(ratio=1)
        told = await page.locator("#documents li").bounding_box()
        assert told is not None and told["height"] < 250


async def test_the_parts_of_a_score_are_in_the_readers_language(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await visit.open("/library")
        await page.fill("#words", "決定係数")
        await expect(page.locator(".parts").first).to_contain_text("類似度")
        assert not re.search("[a-z]", await page.locator(".parts").first.inner_text())
        about = await page.locator("#hits li .quiet").first.inner_text()
        title = await page.locator("#hits li a").first.inner_text()
        assert title not in about.split(" · ")
