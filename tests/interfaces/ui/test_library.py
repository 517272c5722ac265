"""Folders are followed, models fetched and keys made on the pages themselves, and what goes wrong is said
there."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, expect

from tests.inference.test_model_pull import NAME, hub
from tests.interfaces.serving import serving
from tests.interfaces.ui.room import WAIT, Reader, fill_library, visiting
from tests.loopback import LoopbackServer

SIGNING_KEY = re.compile("[0-9a-f]{64}")

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.slow
async def test_a_folder_is_followed_and_a_model_fetched_on_the_page(browser: Browser, tmp_path: Path) -> None:
    """With the errors of each: a folder that nobody allowed, a file that cannot be read, a model that is not
    there."""
    folder = tmp_path / "lectures"
    folder.mkdir()
    (folder / "a.md").write_text("# 残差\n\n残差とは、観測値と予測値の差である。\n", "utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    with LoopbackServer(hub()) as models:
        given = {"SHISHO_MODELS_URL": models.url, "SHISHO_ALLOWED_ROOTS": str(tmp_path)}
        with serving(tmp_path / "home", **given) as url:
            async with visiting(browser, url) as visit:
                page = visit.page
                await visit.open("/library")
                await page.fill("#folder-path", "/")
                await page.press("#folder-path", "Enter")
                await expect(page.locator("#folder-trouble")).to_contain_text("SHISHO_ALLOWED_ROOTS")
                await page.fill("#folder-path", str(folder))
                await page.fill("#folder-corpus", "講義")
                await page.press("#folder-corpus", "Enter")
                await expect(page.locator("#folder-trouble")).to_be_hidden()
                await expect(page.locator("#folders .state")).to_have_text("最新")
                await expect(page.locator("#folders > li")).to_contain_text("1件")
                await page.click("#folders summary")
                await expect(page.locator("#folders details")).to_contain_text("broken.pdf: PDF")
                await visit.shot("library-folders")
                (folder / "b.md").write_text(
                    "# 決定係数\n\n決定係数とは、当てはまりのよさである。\n", "utf-8"
                )
                await expect(page.locator("#folders > li")).to_contain_text("2件")
                await page.click("#folders button")
                await expect(page.locator("#folders")).to_contain_text("監視しているフォルダーはありません")
                await page.reload()
                await visit.ready()
                await expect(page.locator("#documents tr")).to_have_count(2)
                await expect(page.locator("#corpus option")).to_contain_text(["すべて", "講義 (2)"])

                await visit.open("/settings")
                for name, said in (("tiny-ja", "所有者/名前"), ("library/none", "library/none")):
                    await page.fill("#pull-name", name)
                    await page.press("#pull-name", "Enter")
                    await expect(page.locator("#work.bad")).to_contain_text(said)
                await page.fill("#pull-name", NAME)
                await page.press("#pull-name", "Enter")
                await expect(page.locator("#models li strong")).to_have_text([NAME])
                await page.fill("#calibrate-folder", str(folder))
                await page.press("#calibrate-folder", "Enter")
                await expect(page.locator("#work.bad")).to_contain_text("調整")
                await expect(page.locator("#try")).to_be_disabled()  # no model is chosen
                await page.click("#key-make")
                await expect(page.locator("#key-public code")).to_have_text(SIGNING_KEY)
                assert await page.inner_text("#key-public code") == await public_key(url)
                await visit.shot("settings-models")


async def public_key(url: str) -> str:
    async with httpx.AsyncClient(base_url=f"{url}/api/v1") as client:
        return str((await client.get("/key")).json()["public_key"])


async def test_pages_name_what_they_show_and_send_nobody_to_a_shell(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    """A task by its file, why no engine is asked once, a document that is not there without a command."""
    empty = tmp_path / "空.txt"
    empty.touch()
    reasons = ("ウェブ検索がオフです", "ウェブ検索がオフです", "休み")
    engines = {
        "engines": [
            {"name": f"e{number}", "available": False, "reason": reason, "categories": []}
            for number, reason in enumerate(reasons)
        ]
    }
    async with visiting(browser, reader) as visit:
        page = visit.page
        await fill_library(visit)
        await page.set_input_files("#files", str(empty))
        await expect(page.locator("#uploads .notice.bad")).to_have_count(1)
        await page.route("**/api/v1/engines", lambda route: route.fulfill(json=engines))
        await visit.open("/queue")
        await expect(page.locator("#tasks strong")).to_have_text(["空.txt", "01-regression.pdf"])
        await expect(page.locator("#engines-why")).to_have_text("ウェブ検索がオフです")
        await expect(page.locator("#engines tr td:nth-of-type(1)")).to_have_text(
            ["使わない", "使わない", "休み"]
        )
        await visit.shot("queue-files")
        await visit.open("/d/nope")
        await expect(page.locator("#lit-note")).to_have_text("その文書はライブラリにありません。")
