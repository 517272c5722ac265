"""What a person does with the question box: nothing is asked twice, nothing is cut off unseen."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Route, expect

from tests.interfaces.ui.room import QUESTION, WAIT, Reader, fill_library, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")

ENTER_TWICE = """
() => {
  for (let count = 0; count < 2; count += 1) {
    const pressed = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
    document.querySelector('#question').dispatchEvent(pressed);
  }
}
"""


@pytest.mark.slow
async def test_enter_pressed_twice_asks_once(browser: Browser, reader: Reader) -> None:
    """With the web there is a consent to be looked up before anything is asked."""

    async def consent(route: Route) -> None:
        await route.fulfill(json={"state": "given", "engines": [], "since": None})

    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await page.route("**/consent", consent)
        await page.select_option("#sources", "auto")
        await page.fill("#question", QUESTION)
        await page.evaluate(ENTER_TWICE)
        await expect(page.locator(".answer .why")).to_have_count(1)
        await expect(page.locator(".turn")).to_have_count(1)


async def test_a_question_that_is_too_long_is_refused_whole_and_kept(
    browser: Browser, reader: Reader
) -> None:
    question = "決定係数について。" * 600 + "本題は残差である。"
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await page.focus("#question")
        await page.keyboard.insert_text(question)
        await page.keyboard.press("Enter")
        await expect(page.locator("#notice")).to_contain_text(re.compile("2,000文字まで.*現在5,409文字"))
        await expect(page.locator("#notice")).to_be_in_viewport()
        await expect(page.locator(".turn")).to_have_count(0)
        await expect(page.locator("#question")).to_have_value(question)


@pytest.mark.slow
async def test_every_conversation_can_be_found_again(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        for number in range(32):
            body = {"question": f"第{number}の質問は何か", "sources": "documents", "wait": 0}
            assert (await page.request.post(f"{visit.url}/api/v1/answers", data=body)).ok
        await page.reload()
        await visit.ready()
        await page.click("#history-panel summary")
        await expect(page.locator("#history li")).to_have_count(30)
        await page.locator("#more-history").evaluate("(button) => { button.click(); button.click(); }")
        await expect(page.locator("#more-history")).to_be_hidden()
        await expect(page.locator("#history li")).to_have_count(32)
        await expect(page.locator("#history li").last).to_contain_text("第0の質問")
