"""Somebody drops documents, asks, watches and clicks a citation into the sentence on its page: in a real
browser over a real server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.corpus.readers.making import slow
from tests.interfaces.npm_packages import installed
from tests.interfaces.ui.room import WAIT, Reader, RoomVisit, visiting

SAMPLES = Path(__file__).parents[3] / "samples" / "lectures"
QUESTION = "決定係数が0に近いとき何を意味するか"
NASTY = '<script>alert(1)</script>"><img src=x onerror=alert(2)>\u202egnp.exe ' + "長" * 10_000
# Notes the lines that are shown while an answer is still being made.
NOTE_DRAFTS = """
globalThis.drafts = [];
new MutationObserver(() => drafts.push(document.querySelector('.draft')?.textContent ?? ''))
  .observe(document, { childList: true, subtree: true });
"""
expect.set_options(timeout=WAIT)
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def add_files(visit: RoomVisit, *paths: Path) -> None:
    await visit.page.set_input_files("#files", [str(path) for path in paths])


async def ask(visit: RoomVisit, question: str) -> None:
    await visit.page.fill("#question", question)
    await visit.page.press("#question", "Enter")
    await expect(visit.page.locator(".turn").last.locator(".answer .why, .notice.bad")).to_have_count(1)


@pytest.mark.slow
async def test_from_dropped_files_to_the_lit_sentence(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and nothing more")
    async with visiting(browser, reader) as visit:
        page = visit.page
        await page.add_init_script(NOTE_DRAFTS)
        await visit.open("/")
        await page.press("#question", "Enter")
        assert await page.locator(".turn").count() == 0
        await page.fill("#question", QUESTION)
        await page.press("#question", "Enter")
        await expect(page.locator("#notice")).to_contain_text("先に文書を追加してください")
        assert await page.locator(".turn").count() == 0
        await add_files(visit, SAMPLES / "01-regression.pdf", broken)
        await expect(page.locator("#documents li a")).to_have_count(1)
        await expect(page.locator("#uploads .notice.bad")).to_have_count(1)
        await ask(visit, QUESTION)
        assert re.search(r"/a/\w+$", page.url)
        first_quotation = await page.locator(".answer blockquote mark").first.inner_text()
        drafts = await page.evaluate("drafts")
        assert any(squeeze(first_quotation) in squeeze(draft) for draft in drafts)
        await page.select_option(".tools select", "pdf")
        async with page.expect_download() as download:
            await page.click(".tools button:last-child")
        saved = await download.value
        assert saved.suggested_filename.endswith(".pdf")
        assert (await saved.path()).read_bytes().startswith(b"%PDF-")
        await expect(page.locator("#log .round")).not_to_have_count(0)
        chip = page.locator(".answer blockquote .chip").first
        await chip.hover()
        await expect(page.locator(".card blockquote")).to_be_visible()
        await visit.shot("answer")
        snippet = await page.locator(".card blockquote").inner_text()
        await chip.click()
        await visit.ready()
        await expect(page.locator(".page .lit")).not_to_have_count(0)
        await visit.shot("viewer")
        lit = await letters_in_boxes(visit)
        assert squeeze(snippet) in lit
        first = page.url
        await page.keyboard.press("j")
        await expect(page.locator("#evidence-number")).to_contain_text("2 /")
        assert page.url != first
        await page.click("#back")
        await visit.ready()
        await page.locator(".answer blockquote .chip").first.click()
        await visit.ready()
        assert page.url == first
        await expect(page.locator(".page .lit")).not_to_have_count(0)


@pytest.mark.slow
async def test_a_long_pdf_says_how_many_of_its_pages_are_read(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    data, pages = slow(5)
    (tmp_path / "本.pdf").write_bytes(data)
    async with visiting(browser, reader) as visit:
        await visit.open("/")
        await add_files(visit, tmp_path / "本.pdf")
        told = re.compile(rf"読み取り中: [\d,]+ / {pages:,}ページ")
        await expect(visit.page.locator("#uploads li")).to_contain_text(told)
        await visit.shot("reading")
        await expect(visit.page.locator("#documents li a")).to_have_count(1)


async def letters_in_boxes(visit: RoomVisit) -> str:
    """The letters of the text layer's lines that a lit box lies on, without spaces."""
    text = await visit.page.evaluate(
        """() => [...document.querySelectorAll('.letters span')].filter((span) => {
            const line = span.getBoundingClientRect();
            return [...document.querySelectorAll('.lit')].some((lit) => {
                const box = lit.getBoundingClientRect();
                return box.left < line.right && line.left < box.right && box.top < line.bottom - 2 && line.top < box.bottom - 2;
            });
        }).map((span) => span.textContent).join('')"""
    )
    return squeeze(text)


def squeeze(text: str) -> str:
    return "".join(text.split())


async def test_quoted_code_keeps_its_lines(browser: Browser, reader: Reader, tmp_path: Path) -> None:
    code = "def settle(amount):\n    # 精算額\n    return amount"
    file = tmp_path / "精算.md"
    file.write_text(f"# 精算\n\n```\n{code}\n```\n", "utf-8")
    async with visiting(browser, reader) as visit:
        await visit.open("/")
        await add_files(visit, file)
        await expect(visit.page.locator("#documents li a")).to_have_count(1)
        await ask(visit, "settle は精算額をどう計算するか")
        await expect(visit.page.locator(".answer blockquote code")).to_have_text(code)
        assert "\n    return" in await visit.page.locator(".answer blockquote").inner_text()


@pytest.mark.slow
async def test_a_reload_shows_the_conversation_and_a_follow_up_finds_its_topic(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await add_files(visit, SAMPLES / "01-regression.pdf")
        await expect(page.locator("#documents li a")).to_have_count(1)
        await ask(visit, QUESTION)
        await ask(visit, "それはなぜ？")
        await expect(page.locator(".turn").last).to_contain_text("決定係数")
        await page.reload()
        await visit.ready()
        await expect(page.locator(".turn .answer")).to_have_count(2)
        await expect(page.locator("#log .round")).not_to_have_count(0)
        async with visiting(browser, reader) as other:
            await other.open("/?q=" + "残差とは何か")
            await expect(other.page.locator(".turn .answer .why")).to_have_count(1)
            await page.reload()
            await visit.ready()
            await expect(page.locator(".turn")).to_have_count(2)


async def test_a_removed_document_comes_back(browser: Browser, reader: Reader, tmp_path: Path) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await add_files(visit, SAMPLES / "01-regression.pdf")
        await expect(page.locator("#documents li a")).to_have_count(1)
        await page.click("#documents li button")
        await page.click("dialog[open] button[value=no]")
        await expect(page.locator("#documents li a")).to_have_count(1)
        await page.click("#documents li button")
        await page.click("dialog[open] button[value=yes]")
        await expect(page.locator("#documents li a")).to_have_count(0)
        await page.click("#documents li button")
        await expect(page.locator("#documents li a")).to_have_count(1)


@pytest.mark.slow
async def test_nasty_names_and_texts_are_shown_as_text(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    name = '<img src=x onerror=alert(1)>"><script>alert(2)</script>.md'.replace("/", "∕")
    file = tmp_path / name
    file.write_text(
        f"# {NASTY}\n\n決定係数とは、<b>当てはまり</b>のよさ\x00を示す数である。{NASTY}\n", "utf-8"
    )
    async with visiting(browser, reader, viewport={"width": 360, "height": 740}) as visit:
        page = visit.page
        page.on("dialog", lambda shown: visit.trouble.append(shown.message))
        await visit.open("/")
        await add_files(visit, file)
        await expect(page.locator("#documents li .head a")).to_have_count(1)
        await ask(visit, "決定係数とは何か")
        assert await page.locator("main img, main script, main b").count() == 0
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.locator(".answer .chip").first.click()
        await visit.ready()
        await expect(page.locator("mark").first).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for path in ("/library", "/queue", "/settings"):
            await visit.open(path)
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


@pytest.mark.slow
async def test_the_whole_way_by_keyboard_alone(browser: Browser, reader: Reader, tmp_path: Path) -> None:
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await add_files(visit, SAMPLES / "01-regression.pdf")
        await expect(page.locator("#documents li a")).to_have_count(1)
        await tab_to(visit, "#question")
        await page.keyboard.type(QUESTION)
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer .why")).to_have_count(1)
        await page.locator("#main").focus()
        await tab_to(visit, ".answer blockquote .chip")
        await page.keyboard.press("Enter")
        await visit.ready()
        await expect(page.locator(".page .lit")).not_to_have_count(0)
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("/")
        await page.keyboard.type("残差")
        await page.keyboard.press("Enter")
        await expect(page.locator("#matches li")).not_to_have_count(0)


async def tab_to(visit: RoomVisit, selector: str) -> None:
    """Press Tab until it has the focus; everything that has it on the way must show that."""
    for _ in range(60):
        await visit.page.keyboard.press("Tab")
        if await visit.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


@pytest.mark.slow
async def test_axe_finds_nothing_on_any_page(browser: Browser, reader: Reader, tmp_path: Path) -> None:
    axe = installed("axe", {"axe-core": "4.10"}) / "node_modules" / "axe-core" / "axe.min.js"
    async with visiting(browser, reader, bypass_csp=True) as visit:
        page = visit.page
        await visit.open("/")
        await add_files(visit, SAMPLES / "01-regression.pdf")
        await expect(page.locator("#documents li a")).to_have_count(1)
        await ask(visit, QUESTION)
        viewer = await page.locator(".answer .chip").first.get_attribute("href")
        assert viewer is not None
        for path in (None, viewer, "/queue", "/library", "/settings"):
            if path:
                await visit.open(path)
            await page.add_script_tag(path=axe)
            for width in (360, 1280):
                await page.set_viewport_size({"width": width, "height": 850})
                # Nothing but colours is another in the dark.
                for scheme, rules in (("light", "{}"), ("dark", "{runOnly: ['color-contrast']}")):
                    await page.emulate_media(color_scheme=scheme)
                    found = await page.evaluate(f"axe.run({rules})")
                    told = [f"{one['id']}: {one['nodes'][0]['html'][:150]}" for one in found["violations"]]
                    assert told == [], (path or "ask", width, scheme)
                    await visit.shot(f"{(path or '/ask').split('/')[1]}-{width}-{scheme}")


@pytest.mark.slow
async def test_two_people_with_two_tokens_see_only_their_own(
    browser: Browser, reader: Reader, other_reader: Reader
) -> None:
    url = reader.url
    async with visiting(browser, url) as hanako, visiting(browser, url) as taro:
        for visit, person in ((hanako, reader), (taro, other_reader)):
            await visit.page.goto(url)
            await visit.page.fill("#token", person.token)
            await visit.page.click("button.main")
            await visit.ready()
        await add_files(hanako, SAMPLES / "01-regression.pdf")
        await expect(hanako.page.locator("#documents li a")).to_have_count(1)
        await ask(hanako, "残差とは何か")
        answer = hanako.page.url.removeprefix(url)
        document = await hanako.page.locator("#documents li a").first.get_attribute("href")
        assert document is not None
        for path in ("/", answer, document, "/library", "/queue"):
            await taro.page.goto(url + path)
            await taro.page.wait_for_selector("body[data-ready], .toast", state="attached")
            assert not re.search("残差|regression|回帰", await taro.page.inner_text("body"))
        await taro.open("/")
        await add_files(taro, SAMPLES / "03-information-retrieval.pdf")
        await expect(taro.page.locator("#documents li a")).to_have_count(1)
        await hanako.open("/")
        await expect(hanako.page.locator("#history a")).to_have_count(1)
        await expect(hanako.page.locator("#documents li a")).to_have_count(1)
        assert await taro.page.locator("#history a").count() == 0


@pytest.mark.slow
async def test_a_chip_limits_the_question_to_its_documents_and_the_page_says_so(
    browser: Browser, reader: Reader, tmp_path: Path
) -> None:
    """Also after a reload, and in a question that follows, which is limited as the one before it."""
    entries = []
    for name, author in (("one", "山田"), ("two", "鈴木")):
        text = f"# {author}の統計入門\n\n決定係数とは、{author}の説では当てはまりのよさを示す数である。\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
        entries.append(f"@book{{{name}, title={{{author}の統計入門}}, author={{{author}}}, year=2020}}\n")
    (tmp_path / "books.bib").write_text("".join(entries), "utf-8")
    async with visiting(browser, reader) as visit:
        page = visit.page
        await visit.open("/")
        await add_files(visit, tmp_path / "one.md", tmp_path / "two.md", tmp_path / "books.bib")
        await expect(page.locator("#documents li .head")).to_have_count(2)
        await ask(visit, "決定係数とは何か")
        await expect(page.locator(".turn").last.locator(".sources li")).to_have_count(2)
        assert await page.locator(".limits").count() == 0
        await visit.open("/")
        await page.click("#chips button:has-text('山田')")
        await visit.shot("chips")
        await ask(visit, "決定係数とは何か")
        await expect(page.locator(".limits")).to_contain_text("山田")
        await expect(page.locator(".answer .sources")).to_contain_text("one.md")
        assert "鈴木" not in await page.locator(".turn").inner_text()
        await page.reload()
        await visit.ready()
        await expect(page.locator(".limits")).to_contain_text("山田")
        await ask(visit, "それはなぜ？")
        await expect(page.locator(".limits")).to_have_count(2)
        assert "鈴木" not in await page.locator(".turns").inner_text()
        await expect(page.locator("#carried")).to_contain_text("山田")
        await page.click("#drop-limits")
        await expect(page.locator("#carried")).to_contain_text("すべての文書")
        await ask(visit, "決定係数とは何か")
        await expect(page.locator(".turn").last.locator(".sources li")).to_have_count(2)
        await expect(page.locator(".limits")).to_have_count(2)
        await expect(page.locator("#carried")).to_be_hidden()
