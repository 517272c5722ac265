"""What limits a question is seen and can be taken off; where nothing can be asked the page says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.interfaces.serving import serving
from tests.interfaces.ui.room import QUESTION, WAIT, Reader, fill_library, sample, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


def write_books(folder: Path) -> list[Path]:
    entries = []
    paths = []
    for name, author in (("one", "山田"), ("two", "鈴木")):
        paths.append(folder / f"{name}.md")
        paths[-1].write_text(
            f"# {author}の統計入門\n\n決定係数とは、当てはまりのよさである。{author}記す。\n", "utf-8"
        )
        entries.append(f"@book{{{name}, title={{{author}の統計入門}}, author={{{author}}}, year=2020}}\n")
    paths.append(folder / "books.bib")
    paths[-1].write_text("".join(entries), "utf-8")
    return paths


async def test_a_chip_that_limits_stays_though_its_last_document_is_removed(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.set_input_files("#files", [str(path) for path in write_books(tmp_path)])
        await expect(page.locator("#documents li .head")).to_have_count(2)
        chip = page.locator("#chips button:has-text('山田')")
        await chip.click()
        await page.locator("#documents li", has_text="山田").locator("button").click()
        await page.click("dialog[open] button[value=yes]")
        await expect(page.locator("#documents li .head")).to_have_count(1)
        await page.set_input_files("#files", str(sample(1)))
        await expect(page.locator("#documents li .head")).to_have_count(2)
        await expect(chip).to_have_attribute("aria-pressed", "true")
        await visit.shot("chip-alone")
        await chip.click()
        await page.fill("#question", QUESTION)
        await page.press("#question", "Enter")
        await expect(page.locator(".answer .why")).to_have_count(1)
        assert await page.locator(".limits").count() == 0


async def test_a_corpus_without_documents_is_named_and_can_be_left(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await page.fill("#corpus", "講儀")
        await page.press("#corpus", "Tab")
        await expect(page.locator("#documents .head")).to_have_count(0)
        await page.fill("#question", QUESTION)
        await page.press("#question", "Enter")
        await expect(page.locator("#notice")).to_contain_text("コレクション「講儀」には文書がありません")
        await visit.shot("no-such-corpus")
        await page.click("#notice button")
        await expect(page.locator("#documents .head")).to_have_count(1)
        await expect(page.locator("#question")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer .why")).to_have_count(1)


@pytest.mark.slow
async def test_who_does_not_want_the_web_asks_the_documents_alone(browser: Browser, tmp_path: Path) -> None:
    """Escape says neither, and the page says that nothing was asked."""
    with serving(tmp_path / "home", SHISHO_WEB="ask") as url:
        async with visiting(browser, url) as visit:
            page = visit.page
            await fill_library(visit)
            await page.select_option("#sources", "auto")
            await page.fill("#question", QUESTION)
            await page.press("#question", "Enter")
            await expect(page.locator("#consent")).to_be_visible()
            await page.keyboard.press("Escape")
            await expect(page.locator(".toast")).to_contain_text("まだ送信していません")
            await expect(page.locator("#question")).to_have_value(QUESTION)
            await page.press("#question", "Enter")
            await page.click("#consent button[value=no]")
            await expect(page.locator(".answer .why")).to_have_count(1)
            await expect(page.locator("#sources")).to_have_value("documents")
