"""What is another's on the pages: a corpus that is granted may be read and asked, and nothing of it can be
removed; what is not granted is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.interfaces.http.guard import AccessRules
from tests.interfaces.http.rooms import served
from tests.interfaces.ui.room import WAIT, Reader, visiting

PAPERS = "決定係数とは、回帰式の当てはまりの良さを示す指標である。1に近いほど当てはまりが良い。"
DIARY = "決定係数の日記。暗証は薔薇である。"
MEMO = "相関係数とは、二つの変数の線形な関係の強さを示す指標である。"
GRANTED = "papers@hanako"
expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_granted_corpus_is_asked_and_opened_and_only_its_writers_remove(
    browser: Browser, tmp_path: Path
) -> None:
    """Granted to a group, then also for writing, then to nobody: each page follows."""
    async with (
        open_library(home=tmp_path, embedder="none", web="off") as library,
        library.working(1),
        served(library, AccessRules(token="canary-local")) as client,
    ):
        for name, corpus, text in (
            ("r2.txt", "papers", PAPERS),
            ("diary.txt", "diary", DIARY),
        ):
            await library.for_owner("hanako").documents.add_source(Source(name, text.encode()), corpus)
        await library.for_owner("taro").documents.add_source(Source("memo.txt", MEMO.encode()))
        url = str(client.base_url).split("/api")[0]
        readers = {}
        for person in ("hanako", "taro", "jiro"):
            made = await library.team.add_user(person)
            assert made is not None
            readers[person] = Reader(url, made.token)
        await library.team.add_group("seminar")
        await library.team.join("seminar", "taro")
        await library.team.grant("papers@hanako", "seminar", is_group=True)
        async with visiting(browser, readers["taro"]) as taro, visiting(browser, readers["jiro"]) as jiro:
            page = taro.page
            await taro.open("/")
            rows = page.locator("#documents li")
            granted = rows.filter(has_text="r2.txt")
            await expect(rows).to_have_count(2)
            await expect(granted).to_contain_text(f"{GRANTED}: 閲覧のみ")
            assert await granted.locator("button").count() == 0
            assert await rows.filter(has_text="memo.txt").locator("button").count() == 1
            await page.fill("#question", "決定係数とは何か")
            await page.press("#question", "Enter")
            await expect(page.locator(".answer .why")).to_have_count(1)
            assert "薔薇" not in await page.inner_text("body")
            answer = page.url.removeprefix(url)
            document = await page.locator(".answer .chip").first.get_attribute("href")
            assert document is not None
            await taro.open(document)
            await expect(page.locator("mark").first).to_contain_text("当てはまりの良さ")
            for path in ("/", answer, document, "/library", "/queue"):
                await jiro.open(path)
                shown = await jiro.page.inner_text("body")
                assert not any(word in shown for word in ("薔薇", "当てはまり", "memo", "r2", "hanako")), path
            await jiro.open(answer)
            await expect(jiro.page.locator(".turns .notice.bad")).to_contain_text("閲覧する権限がありません")
            await jiro.open(document)
            await expect(jiro.page.locator("#lit-note.bad")).to_be_visible()
            await expect(jiro.page.locator(".viewer-tools")).to_be_hidden()

            await library.team.grant("papers@hanako", "taro", is_writable=True)
            await taro.open("/")
            await granted.locator("button").click()
            await page.click("dialog[open] button[value=yes]")
            await expect(granted).to_have_count(0)
            await page.click("#documents li button:has-text('元に戻す')")
            await expect(granted).to_have_count(1)

            await library.team.revoke("papers@hanako", "taro")
            await library.team.leave("seminar", "taro")
            await taro.open("/")
            await expect(rows).to_have_count(1)
            await taro.open(document)
            await expect(page.locator("#lit-note.bad")).to_be_visible()
            assert "当てはまり" not in await page.inner_text("body")
