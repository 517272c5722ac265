"""One answer from a PDF and from the web: both citations open on their spans, the web's in a real browser."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pypdfium2

from shisho.domain.inquiry import Evidence
from shisho.settings import build_child_environment
from shisho.web.browser.launch import Launcher, LaunchOptions, Profile
from shisho.web.browser.proxy import GuardedProxy
from shisho.web.http.address import AllowList
from shisho_box.server import Box
from tests.flows.boxed import boxed
from tests.flows.conftest import SAMPLES
from tests.flows.smallweb import answered
from tests.web.browsing import need_browser

# Where the words are that a browser was sent to, in a window too small for the page; null: nowhere.
WHERE = """words => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) if (walk.currentNode.data.includes(words)) {
    const range = document.createRange(); range.selectNodeContents(walk.currentNode)
    return [scrollY, range.getBoundingClientRect().top, range.getBoundingClientRect().bottom, innerHeight]
  }
  return null }"""


async def test_both_citations_of_one_answer_open_on_their_spans(tmp_path: Path) -> None:
    need_browser()
    async with boxed(tmp_path, folder=tmp_path / "box") as (box, library):
        assert [one.outcome async for one in library.documents.add(SAMPLES / "01-regression.pdf")] == [
            "added"
        ]
        question = f"決定係数が0に近いとき何を意味するか、また、{box.questions[20].text}"
        answer = await answered(library, await library.questions.queue(question))
        of_pdf = [one for one in answer.evidence if one.page]
        of_web = [one for one in answer.evidence if one.source_url and box.questions[20].gold in one.snippet]
        assert of_pdf and of_web, answer.evidence
        for one in of_pdf:
            assert one.link == f"{(SAMPLES / '01-regression.pdf').resolve().as_uri()}#page={one.page}"
            assert letters(one.snippet) in letters(text_of(SAMPLES / "01-regression.pdf", one.page or 0))
        await opens(box, of_web[0])


def text_of(pdf: Path, page: int) -> str:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return str(document[page - 1].get_textpage().get_text_range())
    finally:
        document.close()


def letters(text: str) -> str:
    return "".join(text.split())


async def opens(box: Box, evidence: Evidence) -> None:
    """The browser goes to the quoted words, in a window that shows a line or two."""
    address, _, directive = evidence.link.partition("#:~:text=")
    assert address == evidence.source_url and unquote(directive) == evidence.snippet
    launcher = Launcher(
        GuardedProxy(box.resolver, AllowList.from_names(box.hosts)),
        build_child_environment(),
        LaunchOptions(trust_any_certificate=True),
    )
    try:
        async with launcher.launch(Profile(None)) as live:
            page = live.context.pages[0]
            await page.set_viewport_size({"width": 300, "height": 40})
            await page.goto(evidence.link)
            scrolled, top, bottom, height = await page.evaluate(WHERE, evidence.snippet)
            await page.goto("about:blank")
            await page.goto(address)
            assert (await page.evaluate(WHERE, evidence.snippet))[0] == 0, "it stands further down"
    finally:
        await launcher.close()
    assert urlsplit(address).hostname in box.hosts
    assert scrolled > 0 and top < height and bottom > 0
