"""The viewer before odd documents and odd addresses: what is shown is what the page says that it shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.corpus.readers.making import lines, pdf
from tests.interfaces.ui.room import WAIT, Reader, ask, fill_library, view, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


def write_three_pages(folder: Path) -> Path:
    file = folder / "猫.pdf"
    file.write_bytes(pdf([lines(f"第{number}の猫である。") for number in range(1, 4)]))
    return file


@pytest.mark.slow
async def test_all_of_a_long_text_is_read_and_what_is_found_in_it_is_marked(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "長い文書.md"
    rows = [f"第{number}節。これは{number}番目の段落である。" for number in range(15_000)]
    file.write_text("\n\n".join(["# 長い文書", *rows, "末尾の目印は😀ツチノコである。"]), "utf-8")
    async with visiting(browser, reader) as visit:
        page = visit.page
        await view(visit, file)
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


async def test_a_document_that_is_purged_while_it_is_looked_at_leaves_no_page_behind(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = write_three_pages(tmp_path)
    async with visiting(browser, reader) as visit:
        page = visit.page
        await view(visit, file)
        await expect(page.locator(".page[data-page='1']")).to_have_count(1)
        path = page.url.replace("/d/", "/api/v1/documents/")
        removed = await page.request.delete(path)
        assert removed.ok
        await page.reload()
        await visit.ready()
        await expect(page.locator("#document-about")).to_contain_text("外した文書")
        purged = await page.request.delete(f"{path}?purge=true")
        assert purged.ok
        await page.keyboard.press("ArrowRight")
        await expect(page.locator("#lit-note.bad")).to_contain_text("消去されました")
        await expect(page.locator(".page")).to_have_count(0)
        await page.reload()
        await visit.ready()
        await expect(page.locator("#document-title")).to_have_text("(完全に削除済み)")


async def test_the_box_has_the_number_of_the_page_that_is_shown(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = write_three_pages(tmp_path)
    async with visiting(browser, reader) as visit:
        page = visit.page
        await view(visit, file)
        for written, number in (("99", "3"), ("2.4", "2"), ("", "2"), ("-5", "1")):
            await page.fill("#page-number", written)
            await page.press("#page-number", "Enter")
            await expect(page.locator("#page-number")).to_have_value(number)
            await expect(page.locator(f".page[data-page='{number}']")).to_have_count(1)
            await expect(page.locator("#lit-note")).to_be_hidden()
        await page.route("**/pages/2/image?*", lambda route: route.abort())
        await page.click("#page-after")
        await expect(page.locator("#lit-note.bad")).to_contain_text("サーバーに接続できません")
        await page.goto(f"{visit.url}/e/%E0%A4%A")
        await visit.ready()
        await expect(page.locator("#lit-note.bad")).to_contain_text("ありません")


async def test_escape_puts_away_what_was_found_and_then_leaves(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await ask(page)
        answer = page.url
        await page.locator(".answer .chip").first.click()
        await visit.ready()
        await page.keyboard.press("/")
        await page.keyboard.type("残差")
        await page.keyboard.press("Enter")
        await expect(page.locator("#matches")).to_be_visible()
        await page.keyboard.press("Escape")
        await page.keyboard.press("Escape")
        await expect(page.locator("#matches")).to_be_hidden()
        await page.keyboard.press("Escape")
        await page.wait_for_url(answer)


async def test_a_page_is_shown_where_the_quotation_of_its_link_is_somebody_elses(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        link = await page.locator("#documents li .head a").get_attribute("href")
        for asked, message in (("e=0123456789", "引用 0123456789 はありません"), ("at=0-999999", "範囲")):
            await page.goto("about:blank")
            await visit.open(f"{link}?a=..%2F..%2Fx#page=3&{asked}")
            await expect(page.locator("#lit-note")).to_contain_text(message)
            await expect(page.locator(".page[data-page='3']")).to_have_count(1)
            await expect(page.locator("#back")).to_have_attribute("href", "/a/..%2F..%2Fx")


async def test_tab_leads_past_the_small_pages_to_the_page(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "猫.pdf"
    file.write_bytes(pdf([lines(f"第{number}の猫である。") for number in range(1, 31)]))
    async with visiting(browser, reader) as visit:
        page = visit.page
        await view(visit, file)
        await page.locator("#thumbnails").focus()
        await page.keyboard.press("Tab")
        await expect(page.locator("#thumbnails a").first).to_be_focused()
        await page.keyboard.press("ArrowRight")
        await expect(page.locator("#thumbnails a[aria-current]")).to_have_attribute("data-page", "2")
        await page.locator("#thumbnails").focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await expect(page.locator("#stage")).to_be_focused()
