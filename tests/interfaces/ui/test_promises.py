"""What the pages promise: questions as soon as they can be answered, choices that stay, who the reader is."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.interfaces.http.guard import AccessRules
from shisho.testing import MemoryWeb
from tests.flows.smallweb import QUERY, challenge, way
from tests.interfaces.http.rooms import TWO, HeldQuestion, served
from tests.interfaces.ui.room import QUESTION, WAIT, Reader, ask, sample, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_question_is_answered_while_other_files_are_still_sent(
    browser: Browser, reader: Reader
) -> None:
    """The second upload is held back until the question has its answer."""
    is_answered = asyncio.Event()

    async def hold(route: Route) -> None:
        await is_answered.wait()
        await route.continue_()

    async with visiting(browser, reader) as visit:
        page = visit.page
        await page.route(f"**/documents/upload?name=*{sample(2).name[:2]}-*", hold)
        await visit.open("/")
        await page.set_input_files("#files", [str(sample(1)), str(sample(2))])
        await expect(page.locator("#documents li .head")).to_have_count(1)
        await ask(page)
        is_answered.set()
        await expect(page.locator("#documents li .head")).to_have_count(2)


async def test_the_server_and_no_count_of_the_page_says_that_there_is_nothing_to_ask(
    browser: Browser, tmp_path: Path
) -> None:
    """A document that came another way is asked by a page that listed none."""
    async with (
        open_library(home=tmp_path, embedder="none", web="off") as library,
        library.working(2),
        served(library) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        page = visit.page
        await visit.open("/")
        await page.fill("#question", QUESTION)
        await page.press("#question", "Enter")
        await expect(page.locator("#notice")).to_contain_text("先に文書を追加してください")
        await expect(page.locator(".turn")).to_have_count(0)
        await expect(page.locator("#question")).to_have_value(QUESTION)
        await library.documents.add_source(
            Source("r2.txt", "決定係数が0に近いときは、当てはまりが悪いことを意味する。".encode())
        )
        await ask(page)


async def test_a_web_answer_leaves_the_next_question_unlimited_and_its_pages_listed(
    browser: Browser, tmp_path: Path
) -> None:
    held = HeldQuestion()
    held.release()
    async with (
        held.library(tmp_path) as library,
        served(library) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        page = visit.page
        await visit.open("/")
        await expect(page.locator("#documents li .head")).to_have_count(1)
        await page.select_option("#sources", "web")
        await ask(page, TWO)
        await expect(page.locator("#documents li .head")).to_have_count(2)
        await page.select_option("#sources", "documents")
        await ask(page, "決定係数とは何か")
        await expect(page.locator(".limits")).to_have_count(0)
        await expect(page.locator("#carried")).to_be_hidden()
        await expect(page.locator(".turn").last.locator("blockquote")).not_to_have_count(0)


async def test_where_to_look_and_how_deep_are_kept_over_a_reload(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.select_option("#sources", "both")
        await page.select_option("#preset", "thorough")
        await page.reload()
        await visit.ready()
        await expect(page.locator("#sources")).to_have_value("both")
        await expect(page.locator("#preset")).to_have_value("thorough")


async def test_a_guest_sees_their_name_and_no_settings_and_signs_out(
    browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/settings")
        await expect(page.locator(".reader")).to_contain_text("reader-")
        for hidden in ("#settings", "#checks", "#models", "#calibrate"):
            await expect(page.locator(hidden)).to_have_count(0)
        await expect(page.locator("#consent-state")).not_to_be_empty()
        await visit.shot("settings-of-a-guest")
        await page.click(".choices form button")
        await page.wait_for_url("**/login")
        await expect(page.locator(".reader, .choices form")).to_have_count(0)
        await page.goto(f"{reader.url}/library")
        await expect(page.locator("#token")).to_be_visible()


async def test_the_owner_sees_the_settings_and_signs_out(browser: Browser, tmp_path: Path) -> None:
    async with (
        open_library(home=tmp_path, embedder="none", web="off") as library,
        served(library, AccessRules(token="canary-local")) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        page = visit.page
        await page.goto(visit.url + "/settings")
        await page.fill("#token", "canary-local")
        await page.press("#token", "Enter")
        await visit.ready()
        await expect(page.locator("#settings tr")).not_to_have_count(0)
        await expect(page.locator(".reader")).to_have_text("管理者")
        await page.click(".choices form button")
        await expect(page.locator("#token")).to_be_visible()


async def test_the_table_of_engines_says_what_a_waiting_task_says(browser: Browser, tmp_path: Path) -> None:
    web = MemoryWeb()
    web.serps["memory", QUERY, 1] = challenge()
    async with (
        open_library(home=tmp_path, embedder="none", web_access=way(web)) as library,
        library.working(1),
        served(library) as client,
        visiting(browser, str(client.base_url).split("/api")[0]) as visit,
    ):
        queued = (await client.post("/searches", json={"queries": [QUERY]})).json()
        waiting = {"wait": 20, "wait_for": "done"}
        await client.get(f"/tasks/{queued['task_id']}", params=waiting)
        await visit.open("/queue")
        engine = visit.page.locator("#engines tr").filter(has_text="memory")
        await expect(engine).to_contain_text("確認待ち")
        await visit.page.locator("#persons button:has-text('飛ばす')").click()
        await expect(visit.page.locator("#persons .main")).to_have_count(0)
        await expect(engine).not_to_contain_text("使えます")
        await expect(engine).not_to_contain_text("確認待ち")
