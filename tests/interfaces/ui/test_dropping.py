"""Folders that are dropped on the page: every file of them is a document of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, Dialog, Route, expect

from tests.corpus.readers.making import lines, pdf
from tests.interfaces.ui.room import WAIT, Reader, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")

# A folder as a browser hands it over: no script can make a real one.
DROP = """
(files) => {
  const file = ([path, text]) => ({
    isFile: true, name: path.split('/').pop(), fullPath: path,
    file: (give, fail) => text === null ? fail(new DOMException('no')) : give(new File([text], path.split('/').pop())),
  });
  const folder = (path, entries) => {
    let isRead = false;
    const readEntries = (give) => { give(isRead ? [] : entries); isRead = true; };
    return { isFile: false, name: path.split('/').pop(), fullPath: path, createReader: () => ({ readEntries }) };
  };
  const folders = Object.groupBy(files, ([path]) => path.slice(0, path.lastIndexOf('/')));
  const below = Object.entries(folders).map(([path, rows]) => folder(path, rows.map(file)));
  const dropped = new Event('drop', { bubbles: true, cancelable: true });
  dropped.dataTransfer = { types: ['Files'], items: [{ webkitGetAsEntry: () => folder('/機材', below) }], files: [] };
  document.dispatchEvent(dropped);
}
"""


async def test_two_files_of_one_name_in_a_dropped_folder_are_two_documents(
    browser: Browser, reader: Reader
) -> None:
    files = [
        ["/機材/甲/readme.md", "# 甲の説明\n\n甲の装置はスイッチで始動する。"],
        ["/機材/乙/readme.md", "# 乙の説明\n\n乙の装置はレバーで始動する。"],
        ["/機材/.git/config.md", "# 隠れた設定\n\n誰も読まない。"],
        ["/機材/乙/locked.md", None],
    ]
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.evaluate(DROP, files)
        await expect(page.locator("#documents li .head")).to_have_count(2)
        titles = await page.locator("#documents li .head a").all_inner_texts()
        assert sorted(titles) == ["乙の説明", "甲の説明"]
        places = await page.locator("#documents li div.quiet").all_inner_texts()
        assert sorted(places) == ["機材/乙/readme.md", "機材/甲/readme.md"]
        await expect(page.locator("#uploads .notice.bad")).to_contain_text("開けません")
        await expect(page.locator("#uploads li").last).to_contain_text("機材/乙/locked.md")


async def test_leaving_the_page_is_asked_about_while_files_are_not_sent(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "残差.md"
    file.write_text("# 残差\n\n残差とは観測値と予測値の差である。", "utf-8")
    waiting = asyncio.Event()
    questions = []

    async def wait_for_it(route: Route) -> None:
        await waiting.wait()
        await route.continue_()

    async def stay(dialog: Dialog) -> None:
        questions.append(dialog.type)
        await dialog.dismiss()

    async with visiting(browser, reader) as visit:
        page = visit.page
        page.on("dialog", stay)
        await visit.open("/")
        await page.route("**/documents/upload?*", wait_for_it)
        await page.set_input_files("#files", str(file))
        await page.click(".top nav a[href='/library']", no_wait_after=True)
        await expect(page.locator("#uploads li")).to_have_count(1)
        assert page.url == f"{visit.url}/" and questions == ["beforeunload"]
        waiting.set()
        await expect(page.locator("#documents li .head")).to_have_count(1)
        await page.click(".top nav a[href='/library']")
        await page.wait_for_url("**/library")
        assert questions == ["beforeunload"]


@pytest.mark.parametrize("path", ["/library", "/queue", "/settings"])
async def test_a_file_that_is_dropped_on_another_page_does_not_end_the_room(
    path: str, browser: Browser, reader: Reader
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open(path)
        is_prevented = await page.evaluate("""
            () => ["dragover", "drop"].map((name) => {
              const moved = new Event(name, { bubbles: true, cancelable: true });
              moved.dataTransfer = { types: ["Files"], items: [], files: [] };
              return !document.dispatchEvent(moved);
            })""")
        assert is_prevented == [True, True]
        await page.locator(".toast button").click()
        await page.wait_for_url(f"{visit.url}/")
        await expect(page.locator("#drop")).to_be_visible()


async def test_words_can_be_moved_into_the_question(browser: Browser, reader: Reader) -> None:
    async with visiting(browser, reader) as visit:
        await visit.open("/")
        await visit.page.locator("h2").first.select_text()
        await visit.page.drag_and_drop("#documents-title", "#question")
        await expect(visit.page.locator("#question")).to_have_value("文書")


async def test_a_locked_pdf_is_opened_with_its_password_on_the_page(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "鍵.pdf"
    file.write_bytes(pdf([lines("鍵のかかった文である。")], title="鍵", password="ひみつ"))
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.set_input_files("#files", str(file))
        notice = page.locator("#uploads .notice")
        await expect(notice).to_contain_text("パスワードで保護されています")
        await expect(notice).not_to_contain_text("--password")
        await notice.get_by_label("鍵.pdf のパスワード").fill("guess")
        await page.keyboard.press("Enter")
        await expect(notice).to_contain_text("パスワードが違います")
        await notice.locator("input").fill("ひみつ")
        await notice.locator("form button").click()
        await expect(page.locator("#documents li .head a")).to_have_text("鍵")
        await expect(page.locator("#uploads .notice")).to_have_count(0)


async def test_a_file_that_was_accepted_is_waited_for_while_the_server_is_away(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    file = tmp_path / "残差.md"
    file.write_text("# 残差\n\n残差とは観測値と予測値の差である。", "utf-8")
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.route("**/tasks/*?*", lambda route: route.abort(), times=2)
        await page.set_input_files("#files", str(file))
        await expect(page.locator("#uploads li")).to_contain_text("接続できません")
        await expect(page.locator("#documents li .head a")).to_have_text("残差")
        await expect(page.locator("#uploads .notice.bad")).to_have_count(0)
