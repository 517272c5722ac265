"""What an answer shows of a document that was removed or purged since, in the language of the page."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.interfaces.ui.room import QUESTION, WAIT, Reader, ask, fill_library, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")

KANA = re.compile("[ぁ-ん]")
WORDS = ".turn .answer p:has(.chip), .turn .answer figure"  # what cites something


async def test_an_open_answer_says_at_once_that_its_source_was_removed_or_is_back(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await ask(page)
        marks = page.locator(".sources .support")
        await expect(marks).to_have_count(0)
        await page.locator("#documents li .head button").click()
        await page.click("dialog[open] button[value=yes]")
        await expect(marks.first).to_have_text("外した文書")
        await page.click("#documents button:has-text('元に戻す')")
        await expect(marks).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "width", "erased"), [("ja", 1280, "(完全に削除済み)"), ("en", 390, "(purged)")]
)
async def test_what_was_purged_is_told_in_the_language_of_the_page_and_supports_nothing(
    browser: Browser, reader: Reader, language: str, width: int, erased: str
) -> None:
    async with visiting(browser, reader, viewport={"width": width, "height": 844}) as visit:
        page = visit.page
        await fill_library(visit)
        await ask(page)
        document = await page.locator("#documents li").first.get_attribute("data-document")
        assert (await page.request.delete(f"{visit.url}/api/v1/documents/{document}?purge=true")).ok
        await page.goto(f"{visit.url}/language?to={language}&back={page.url.removeprefix(visit.url)}")
        await visit.ready()
        quotation = page.locator(WORDS).first
        await expect(quotation).to_have_text(re.compile(rf"^{re.escape(erased)}(\[\d\])+ *$"))
        await expect(page.locator(".sources li").first).to_have_text(
            re.compile(rf"^\[\d\] {re.escape(erased)} *$")
        )
        await quotation.locator(".chip").first.focus()
        await expect(page.locator(".card")).to_have_text(erased)
        await visit.shot(f"purged-answer-{language}")
        if language == "en":
            assert not KANA.search((await told_of_answer(page)).replace(QUESTION, ""))


async def told_of_answer(page: Page) -> str:
    """What stands in the answer, but for its question and the condition of its goal."""
    return await page.locator(f"{WORDS}, .sources").evaluate_all(
        "(parts) => parts.map((part) => part.innerText).join('\\n')"
    )
