"""The viewer before odd documents and odd addresses: what is shown is what the page says that it shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.interfaces.ui.room import WAIT, Reader, visiting
from tests.interfaces.ui.test_interrupted import fill_library

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_all_of_a_long_text_is_read_and_what_is_found_in_it_is_marked(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "長い文書.md"
    rows = [f"第{number}節。これは{number}番目の段落である。" for number in range(15_000)]
    file.write_text("\n\n".join(["# 長い文書", *rows, "末尾の目印は😀ツチノコである。"]), "utf-8")
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit, file)
        await page.locator("#documents li .head a").click()
        await visit.ready()
        await expect(page.locator(".stretches").first).to_contain_text("字のうち1〜")
        seen = set[str]()
        while True:
            text = await page.locator(".stored").inner_text()
            seen |= {row for row in text.split("\n") if row.startswith("第")}
            later = page.locator(".stretches").last.get_by_text("本文の続き")
            if not await later.count():
                break
            await later.click()
            await expect(page.locator(".stored")).not_to_have_text(text)
        assert seen == set(rows) and "ツチノコ" in text
        await page.locator(".stretches").first.get_by_text("本文の前の部分").click()
        await expect(page.locator(".stored")).not_to_contain_text("ツチノコ")
        await page.fill("#find-words", "ツチノコ")
        await page.press("#find-words", "Enter")
        await page.locator("#matches a").click()
        await expect(page.locator(".stored mark")).to_have_text("ツチノコ")
        await expect(page.locator(".stored mark")).to_be_in_viewport()
