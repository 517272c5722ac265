"""A room whose connection breaks, whose reader comes back, or who goes elsewhere in the middle: nothing that
was asked, written or looked at is out of sight."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Route, expect

from tests.interfaces.ui.room import QUESTION, WAIT, Reader, ask, fill_library, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.slow
async def test_news_that_are_refused_for_a_while_leave_no_question_open(
    browser: Browser, reader: Reader
) -> None:
    """A browser that gets no stream never asks for it again by itself."""
    refused = []

    async def refuse(route: Route) -> None:
        refused.append(route.request.url)
        await route.fulfill(status=503, body="the server starts")

    async with visiting(browser, reader) as visit:
        await fill_library(visit)
        await visit.page.route("**/events", refuse)
        await visit.page.route("**/answers/*?wait=0", refuse, times=1)
        await ask(visit.page)
        assert len(refused) == 2
        await expect(visit.page.locator("#send")).to_be_enabled()
        await expect(visit.page.locator("#stop")).to_be_hidden()


async def test_an_answer_that_is_opened_on_a_phone_begins_with_its_question(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader, viewport={"width": 390, "height": 800}) as visit:
        page = visit.page
        await fill_library(visit)
        await ask(page)
        await visit.open(page.url.removeprefix(visit.url))
        await expect(page.locator(".answer .why")).to_have_count(1)
        await expect(page.locator(".asked")).to_be_in_viewport()
        await visit.shot("opened-390")


@pytest.mark.slow
async def test_queue_and_library_say_that_the_server_is_away_until_it_is_back(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        for path in ("/queue", "/library"):
            await visit.open(path)
            await page.route("**/api/v1/**", lambda route: route.abort())
            await expect(page.locator("#away")).to_be_visible()
            await visit.shot(f"away{path.replace('/', '-')}")
            await page.unroute("**/api/v1/**")
            await expect(page.locator("#away")).to_be_hidden()


async def test_going_back_from_a_passage_leads_to_what_was_searched(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await visit.open("/library")
        await page.fill("#words", "残差")
        await page.locator("#hits a").first.click()
        await visit.ready()
        await page.go_back()
        await visit.ready()
        await expect(page.locator("#words")).to_have_value("残差")
        await expect(page.locator("#hits li")).not_to_have_count(0)


async def test_who_leaps_to_the_middle_of_the_page_keeps_what_is_written(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.fill("#question", QUESTION)
        await page.evaluate("globalThis.isSame = true")
        await page.focus(".skip")
        await page.keyboard.press("Enter")
        await expect(page.locator("#main")).to_be_focused()
        await page.wait_for_timeout(500)  # in which a page would be loaded
        assert await page.evaluate("globalThis.isSame")
        await expect(page.locator("#question")).to_have_value(QUESTION)


async def test_going_back_asks_nothing_again(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await visit.open(f"/?q={QUESTION}")
        await expect(page.locator(".answer .why")).to_have_count(1)
        await ask(page, "残差とは何か")
        await page.go_back()
        await visit.ready()
        await expect(page.locator(".turn")).to_have_count(2)
        await page.go_back()
        await visit.ready()
        assert page.url == f"{visit.url}/"
        await expect(page.locator(".turn")).to_have_count(0)
        await expect(page.locator("#history li")).to_have_count(1)


async def test_another_language_leads_back_to_what_was_looked_at(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await ask(page)
        answer = page.url
        await page.fill("#question", "残差とは何か")
        await page.click(".choices a")
        await visit.ready()
        assert page.url == answer
        await expect(page.locator("html")).to_have_attribute("lang", "en")
        await expect(page.locator(".turn .answer .why")).to_have_count(1)
        await expect(page.locator("#question")).to_have_value("残差とは何か")
        await page.locator(".answer .chip").first.click()
        await visit.ready()
        quoted = page.url
        await page.click(".choices a")
        await visit.ready()
        assert page.url == quoted
        await expect(page.locator("html")).to_have_attribute("lang", "ja")
        await expect(page.locator(".page .lit")).not_to_have_count(0)


async def test_a_browser_that_may_keep_nothing_still_opens_the_room(browser: Browser, reader: Reader) -> None:
    forbid = "for (const name of ['localStorage', 'sessionStorage']) {" + (
        "Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } }); }"
    )
    async with visiting(browser, reader) as visit:
        await visit.page.add_init_script(forbid)
        for path in ("/", "/library", "/queue", "/settings"):
            await visit.open(path)
            await visit.page.click("#theme")
            await expect(visit.page.locator("html")).to_have_attribute("data-theme", "dark")
