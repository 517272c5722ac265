"""An answer is copied with its citations, by the button and by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.interfaces.ui.room import WAIT, Reader, ask, fill_library, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")

SELECTION = """
() => {
  getSelection().selectAllChildren(document.querySelector('.answer blockquote'));
  return getSelection().toString();
}
"""


async def test_the_number_of_a_source_is_no_digit_of_what_is_copied(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "売上.csv"
    file.write_text("月,商品,売上\n1月,りんご,110963\n2月,みかん,87\n", "utf-8")
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit, file)
        await ask(page, "りんごの売上はいくらか")
        copied = await page.evaluate(SELECTION)
        assert "110963[1]" in "".join(copied.split())


async def test_an_answer_is_copied_where_a_browser_gives_pages_no_clipboard(
    browser: Browser, reader: Reader
) -> None:
    """As over plain HTTP from another machine."""
    async with visiting(browser, reader) as visit:
        page = visit.page
        await page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined });")
        await fill_library(visit)
        await ask(page)
        await page.locator(".tools button").first.click()
        await expect(page.locator(".toast")).to_have_text("引用つきでコピーしました。")
        await page.focus("#question")
        await page.keyboard.press("Control+V")
        assert "[1]" in await page.input_value("#question")
