"""From a sheet to an answer: its cells stand in the citation wherever one is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shisho.corpus.readers import media
from shisho.rendering.export import export
from shisho.services.library import Library
from tests.corpus.readers import making_books
from tests.corpus.readers.making import slides
from tests.corpus.readers.test_sheets import sales, workbook
from tests.flows.conftest import Shell


@pytest.mark.slow
async def test_an_answer_from_a_sheet_cites_the_cells_of_its_row(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "地域別.xlsx"
    path.write_bytes(workbook(sales))
    assert [receipt.outcome async for receipt in library.documents.add(path)] == ["added"]
    answer = await library.questions.ask("関西の売上はいくらか")
    evidence = answer.evidence[0]
    assert "987,654円" in evidence.snippet
    cells = "A3:D4" if "関東" in evidence.snippet else "A4:D4"
    assert evidence.place == f"売上!{cells}"
    assert evidence.link.endswith(f"#'%E5%A3%B2%E4%B8%8A'!{cells}")
    for shown in (answer.text, export(answer, "md"), export(answer, "bibtex")):
        assert evidence.place in shown
    assert "関西" in await library.documents.read_page(str(evidence.document_id), 1)
    hits = await library.documents.search("関西 売上")
    assert hits[0].place == "売上!A3:D4"


@pytest.mark.slow
def test_the_shell_shows_cells_and_purges_them(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "地域別.xlsx"
    path.write_bytes(workbook(sales))
    shell("add", path)
    for told in (shell("ask", "関西の売上はいくらか"), shell("show", "last")):
        assert re.search(r"\[1\] 地域別.xlsx 売上!A[34]:D4", told)
    shell("remove", "--purge", "--yes", path)
    assert "売上!" not in shell("show", "last")


async def test_slides_open_on_their_page(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.pptx"
    path.write_bytes(slides())
    assert media.sniff("a.pptx", path.read_bytes()) == media.PPTX
    (receipt,) = [receipt async for receipt in library.documents.add(path)]
    page = await library.documents.read_page(str(receipt.document_id), 1)
    assert page.startswith("決定係数")
    assert "当てはまりの良さ" in page
    assert "まとめ" in await library.documents.read_page(str(receipt.document_id), 2)


@pytest.mark.slow
def test_the_cell_of_a_notebook_is_said_in_the_language_of_the_question(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "分析.ipynb"
    path.write_bytes(making_books.notebook())
    shell("add", path)
    question = ["ask", "--sources", "documents"]
    exports = [["export", "--format", form] for form in ("md", "html", "bibtex", "ris", "csl")]
    for words in ([*question, "決定係数はいくつか"], ["show", "last"], *exports):
        printed = shell(*words)
        assert "セル3" in printed and "cell 3" not in printed.replace("place: cell 3", ""), words
    for words in ([*question, "What does print model score give?"], *exports):
        assert "cell 2" in shell(*words), words
