"""The queue page shows how each search pages and why it stopped, on a wide screen and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.domain.task import SearchOptions, StopStrategy
from tests.flows.boxed import QUICK, boxed
from tests.flows.smallweb import ended
from tests.interfaces.http.rooms import served
from tests.interfaces.ui.room import WAIT, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")
OPTIONS = SearchOptions(
    engines=("mojeek",), serp_max_pages=3, stop_strategy=StopStrategy.FIXED, max_results_per_query=5
)
BRAKED = {**QUICK, "mojeek": {"interval_s": 0.05, "pagination_enabled": False}}


@pytest.mark.parametrize(("width", "language"), [(1280, "ja-JP"), (360, "en-GB")])
async def test_a_search_shows_its_paging_in_the_queue(
    browser: Browser, tmp_path: Path, width: int, language: str
) -> None:
    screen = {"locale": language, "viewport": {"width": width, "height": 850}}
    async with boxed(tmp_path) as (box, library), served(library) as client:
        queued = await library.tasks.queue_searches([box.questions[20].topic], options=OPTIONS)
        await ended(library, queued.task_id)
        async with visiting(browser, str(client.base_url).split("/api")[0], **screen) as visit:
            await visit.open("/queue")
            await visit.page.click("#tasks .plain")
            paging = visit.page.locator("#tasks .paging")
            await expect(paging).to_contain_text("mojeek")
            is_japanese = language == "ja-JP"
            await expect(paging).to_contain_text("結果ページ 3" if is_japanese else "result pages: 3")
            await expect(paging).to_contain_text("(LIMIT)")
            page_name = "結果1ページ目" if is_japanese else "result page 1"
            await expect(visit.page.locator("#tasks li li").first).to_contain_text(page_name)
            await visit.shot(f"queue-paging-{width}")
            assert await visit.page.evaluate("document.documentElement.scrollWidth") <= width


async def test_an_engine_that_does_not_page_is_marked(browser: Browser, tmp_path: Path) -> None:
    async with boxed(tmp_path, BRAKED) as (box, library), served(library) as client:
        queued = await library.tasks.queue_searches([box.questions[20].topic], options=OPTIONS)
        await ended(library, queued.task_id)
        async with visiting(browser, str(client.base_url).split("/api")[0]) as visit:
            await visit.open("/queue")
            await visit.page.click("#tasks .plain")
            notice = visit.page.locator("#tasks .paging .notice")
            await expect(notice).to_have_text("paging_ignored: mojeek の結果ページは1つだけです。")
