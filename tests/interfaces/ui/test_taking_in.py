"""Files on their way into the library: what stands there under their name, what is read over a reload, and
what could not be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.corpus.readers.making import lines, pdf, slow
from tests.interfaces.ui.room import WAIT, Reader, visiting

expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


def report(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "report.txt").write_text(text, "utf-8")
    return str(folder / "report.txt")


async def test_a_file_of_the_same_name_replaces_the_one_before_only_when_somebody_says_so(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    osaka = report(tmp_path / "a", "大阪支店の予算は1200円である。")
    nagoya = report(tmp_path / "b", "名古屋支店の予算は3400円である。")
    kyoto = report(tmp_path / "c", "京都支店の予算は5600円である。")
    async with visiting(browser, reader) as visit:
        page = visit.page
        rows = page.locator("#documents li")
        question = page.locator("#uploads .notice")
        await visit.open("/")
        await page.set_input_files("#files", osaka)
        await page.set_input_files("#files", nagoya)  # at once: the first is not read yet
        await expect(question).to_contain_text("同じ名前の別のファイル")
        await visit.shot("same-name")
        await question.locator("button:has-text('両方')").click()
        await expect(rows).to_have_count(2)
        await page.set_input_files("#files", kyoto)
        await question.locator("button:has-text('両方')").click()
        await expect(rows).to_have_count(3)
        named = [(await row.inner_text()).splitlines()[-1] for row in await rows.all()]
        assert sorted(named) == ["report (2).txt", "report (3).txt", "report.txt"]
        await page.set_input_files("#files", osaka)  # known: nothing is asked
        await expect(page.locator("#uploads li").last).to_contain_text("使えます")
        (tmp_path / "a" / "report.txt").write_text("大阪支店の予算は7800円である。", "utf-8")
        await page.set_input_files("#files", osaka)
        await question.locator("button:has-text('置き換え')").click()
        await expect(page.locator("#uploads .notice")).to_have_count(0)
        await expect(page.locator("#uploads li").last).to_contain_text("使えます")
        await expect(rows).to_have_count(3)


async def test_a_file_whose_name_was_taken_at_the_same_moment_is_asked_about(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    """Another tab was first: the job of this one ends so, as the server's own tests show."""
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.set_input_files("#files", report(tmp_path / "a", "大阪支店の予算は1200円である。"))
        await expect(page.locator("#documents li .head")).to_have_count(1)
        refused = {"errors": [{"code": "NAME_TAKEN", "reason": "taken"}], "queue": {}, "progress": {}}
        accepted = {"queued": 1, "skipped": [], "task_id": "late"}
        await page.route("**/documents/upload?*", lambda route: route.fulfill(json=accepted), times=1)
        await page.route("**/tasks/late?*", lambda route: route.fulfill(json=refused))
        await page.set_input_files("#files", report(tmp_path / "b", "名古屋支店の予算は3400円である。"))
        question = page.locator("#uploads .notice")
        await expect(question).to_contain_text("同じ名前の別のファイル")
        await question.locator("button:has-text('両方')").click()
        await expect(page.locator("#documents li .head")).to_have_count(2)


@pytest.mark.slow
async def test_a_file_that_is_read_is_seen_again_after_a_reload_and_listed_at_its_end(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "本.pdf").write_bytes(slow(5)[0])
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.set_input_files("#files", str(tmp_path / "本.pdf"))
        await expect(page.locator("#uploads li")).to_contain_text("読み取り中")
        await page.reload()
        await visit.ready()
        await expect(page.locator("#uploads li")).to_contain_text("本.pdf")
        await expect(page.locator("#documents li .head")).to_have_count(1)
        assert not await page.locator("#uploads .notice").count()


@pytest.mark.slow
async def test_all_that_could_not_be_read_is_told_until_it_is_in_the_library(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    bad = [tmp_path / f"bad-{number:02}.txt" for number in range(23)]
    for file in bad:
        file.touch()
    good = tmp_path / "good.txt"
    good.write_text("残差とは観測値と予測値の差である。", "utf-8")
    locked = tmp_path / "locked.pdf"
    locked.write_bytes(pdf([lines("鍵のかかった文")], password="himitsu"))
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await page.set_input_files("#files", [*map(str, bad), str(locked), str(good)])
        await expect(page.locator("#documents li .head")).to_have_count(1)
        await expect(page.locator("#uploads .notice")).to_have_count(24)
        await page.locator("#uploads .notice > button").first.click()
        await expect(page.locator("#uploads .notice > button").first).to_be_focused()
        await visit.open("/library")
        await expect(page.locator("#unread li")).to_have_count(24)
        told = page.locator("#unread li", has_text="locked.pdf")
        await expect(told).to_contain_text("「質問」のページで")
        await visit.shot("unread")
        await visit.open("/")
        await page.set_input_files("#files", str(locked))
        await page.fill("#uploads input", "himitsu")
        await page.press("#uploads input", "Enter")
        await expect(page.locator("#documents li .head")).to_have_count(2)
        await visit.open("/library")
        await expect(page.locator("#unread li")).to_have_count(23)
        await expect(told).to_have_count(0)
