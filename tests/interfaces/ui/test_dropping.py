"""Folders that are dropped on the page: every file of them is a document of its own."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

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
  dropped.dataTransfer = { items: [{ webkitGetAsEntry: () => folder('/機材', below) }], files: [] };
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
        await expect(page.locator("#uploads .notice.bad")).to_contain_text("開けません")
        await expect(page.locator("#uploads li").last).to_contain_text("機材/乙/locked.md")
