"""An answer as a PDF: its letters, its citations and its links are read back; what is missing is said."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.errors import ExtraMissing, InvalidParams
from shisho.messages import install_command
from shisho.services import Library
from shisho.system.typesetting import check_japanese
from tests.flows.conftest import Shell
from tests.fonts import japanese_fonts
from tests.interfaces.http.rooms import served

typst = pytest.importorskip("typst")
QUESTION = "フォボスの直径は何キロメートルか"
PAGE = "https://mars.example/phobos?page=2"
TEXT = "フォボスの直径は22キロメートルである。#let <e1> *太字* $x$"
LATIN = "The diameter of Phobos is 22 kilometres."


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in japanese_fonts(tmp_path / "data").items():
        monkeypatch.setenv(name, value)
    check_japanese(typst.Fonts())


def squeeze(text: str) -> str:
    return "".join(text.split())


def targets(document: pypdfium2.PdfDocument) -> tuple[set[str], set[int]]:
    """The addresses and the pages that the links of a PDF lead to."""
    addresses = set()
    pages = set()
    for page in document:
        place = ctypes.c_int(0)
        link = pdfium.FPDF_LINK()
        while pdfium.FPDFLink_Enumerate(page.raw, place, link):
            action = pdfium.FPDFLink_GetAction(link)
            size = pdfium.FPDFAction_GetURIPath(document.raw, action, None, 0) if action else 0
            if size:
                address = ctypes.create_string_buffer(size)
                pdfium.FPDFAction_GetURIPath(document.raw, action, address, size)
                addresses.add(address.value.decode())
            else:
                destination = pdfium.FPDFLink_GetDest(document.raw, link)
                pages.add(pdfium.FPDFDest_GetDestPageIndex(document.raw, destination))
    return addresses, pages


@pytest.mark.usefixtures("letters")
async def test_a_pdf_has_the_letters_the_citations_and_the_links_of_its_answer(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home") as library, served(library) as client:
        await library.documents.add_source(Source(PAGE, TEXT.encode(), "text/plain", "火星の衛星 <b>"))
        answer = await library.questions.ask(QUESTION)
        reply = await client.get(f"/answers/{answer.id}/export", params={"form": "pdf"})
        again = await library.exports.render_file(answer.id, "pdf")
        with pytest.raises(InvalidParams):
            await library.exports.render(answer.id, "pdf")
    assert reply.headers["content-type"] == "application/pdf"
    assert reply.headers["content-disposition"] == f'attachment; filename="shisho-{answer.id}.pdf"'
    assert reply.content == again
    document = pypdfium2.PdfDocument(reply.content)
    text = squeeze("".join(page.get_textpage().get_text_range() for page in document))
    (evidence,) = answer.evidence
    assert squeeze(QUESTION) in text and text.count(squeeze(evidence.snippet)) == 2
    assert text.count("[1]") == 2 and "火星の衛星<b>" in text
    assert evidence.link.startswith(PAGE) and targets(document) == ({evidence.link}, {0})
    fonts = {name for page in document for name in font_names(page)}
    assert any("NotoSans" in name for name in fonts)


@pytest.mark.usefixtures("letters")
async def test_code_in_a_pdf_keeps_its_lines(library: Library) -> None:
    code = "def settle(amount):\n    # 精算額\n    return amount"
    page = f"# 精算\n\n```\n{code}\n```\n"
    await library.documents.add_source(Source("精算.md", page.encode(), "text/markdown"))
    answer = await library.questions.ask("settle は精算額をどう計算するか")
    document = pypdfium2.PdfDocument(await library.exports.render_file(answer.id, "pdf"))
    lines = [line.strip() for line in document[0].get_textpage().get_text_range().splitlines()]
    assert [lines.count(line.strip()) for line in code.split("\n")] == [2, 2, 2]


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize(
    ("question", "marked", "beside"),
    [
        (QUESTION, "フォボスの直径", "ダイモスは"),
        ("How large is the diameter of Phobos?", "diameter", "Deimos"),
    ],
)
async def test_a_pdf_highlights_the_marked_sentence_alone(
    library: Library, question: str, marked: str, beside: str
) -> None:
    text = (
        "フォボスの直径は22キロメートルである。ダイモスは遠くを回る。"
        if beside[0] == "ダ"
        else f"{LATIN} Deimos is far away."
    )
    await library.documents.add_source(Source("phobos.txt", text.encode(), "text/plain"))
    answer = await library.questions.ask(question)
    assert len(answer.passages) == len(answer.passages[0].marks) == 1
    page = pypdfium2.PdfDocument(await library.exports.render_file(answer.id, "pdf"))[0]
    picture = page.render().to_pil().convert("RGB")
    letters = page.get_textpage()
    text = letters.get_text_range()

    def paper_at(words: str) -> tuple[int, ...]:
        """The commonest colour behind some words of the passage."""
        left, low, right, top = letters.get_charbox(text.index(words, text.index("▸") if "▸" in text else 0))
        height = page.get_height()
        box = picture.crop((int(left), int(height - top), int(right) + 1, int(height - low) + 1))
        return max(box.getcolors(), key=lambda pair: pair[0])[1]  # type: ignore[arg-type, return-value]

    assert paper_at(beside) == (255, 255, 255) and paper_at(marked) == (253, 238, 176)


def font_names(page: pypdfium2.PdfPage) -> set[str]:
    return {thing.get_font().get_base_name() for thing in page.get_objects() if hasattr(thing, "get_font")}


def test_the_shell_writes_a_pdf(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "phobos.md").write_text(f"# Phobos\n\n{LATIN}\n", "utf-8")
    shell("add", tmp_path / "phobos.md")
    shell("ask", "How large is the diameter of Phobos?", "--sources", "documents")
    shell("export", "--format", "pdf", "--out", tmp_path / "answer.pdf")
    (page,) = pypdfium2.PdfDocument(tmp_path / "answer.pdf")
    assert squeeze(LATIN) in squeeze(page.get_textpage().get_text_range())


@pytest.mark.slow
async def test_a_pdf_without_what_sets_it_or_without_letters_is_refused_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ExtraMissing, match="fonts-noto-cjk"):
        check_japanese(typst.Fonts(include_system_fonts=False))
    monkeypatch.setitem(sys.modules, "typst", None)
    async with open_library(home=tmp_path) as library, served(library) as client:
        await library.documents.add_source(Source("phobos.md", LATIN.encode()))
        await library.questions.ask("How large is the diameter of Phobos?")
        reply = await client.get("/answers/last/export", params={"form": "pdf"})
        checks = {check.name: check for check in await library.run_checks()}
    assert (reply.status_code, reply.json()["code"]) == (501, "EXTRA_MISSING")
    assert install_command("pdf") in reply.json()["message"]
    assert not checks["pdf"].ok and install_command("pdf") in checks["pdf"].detail
