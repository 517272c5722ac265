"""A bibliography beside the documents: its entries find them, and what they say stands in bibliographies."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from shisho.domain.corpus import Document, IntakeOutcome, Receipt
from shisho.domain.reference import MatchedBy
from shisho.services import Library
from tests.flows.conftest import Shell

LIBRARY = r"""
@article{yamada2020, author = {山田, 太郎}, title = {深層学習の基礎}, year = 2020, journal = {統計学雑誌},
  file = {Full Text:files/12/a.txt:text/plain}}
@book{smith2019, author = {Jane Smith}, title = {Sampling}, year = 2019,
  file = {/Users/jane/Zotero/storage/ABCD1234/paper.txt}}
@misc{sato, author = {佐藤 花子}, title = {標本 調査の理論}, year = 2021}
@misc{doi, author = {鈴木}, title = {題は違う}, doi = {10.1000/XYZ}}
@misc{lost, author = {高橋}, title = {どこにもない本}}
"""
PAGE = """<html><head><title>回帰</title><meta name="citation_doi" content="10.1000/xyz"></head><body><p>{}</p>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "files/12/a.txt": "深層学習は層を重ねる。",
        "storage/ABCD1234/paper.txt": "標本は無作為に選ぶ。",
        "storage/EFGH5678/paper.txt": "同じ名前の別の文書である。",
        "佐藤 - 2021 - 標本調査の理論.txt": "全数調査に対する。",
        "page.html": PAGE.format("回帰直線を当てはめる。" * 20),
        "library.bib": LIBRARY,
    }
    for name, text in texts.items():
        path = tmp_path / "文献" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "文献"


async def all_of(receipts: AsyncGenerator[Receipt, None]) -> list[Receipt]:
    return [receipt async for receipt in receipts]


async def authors(library: Library) -> dict[str, str]:
    documents: list[Document] = list(await library.documents.list())
    return {
        Path(document.source).parent.name + "/" + document.title: document.metadata.get("author", "")
        for document in documents
    }


@pytest.mark.slow
async def test_entries_find_their_documents_by_path_key_doi_and_title(library: Library, folder: Path) -> None:
    *documents, last = await all_of(library.documents.add(folder))
    assert [receipt.outcome for receipt in documents] == [IntakeOutcome.ADDED] * 5
    assert last.outcome is IntakeOutcome.DESCRIBED and Path(last.source).name == "library.bib"
    assert {match.key: (match.by, match.source.removeprefix(str(folder))) for match in last.references} == {
        "yamada2020": (MatchedBy.FILE, "/files/12/a.txt"),
        "smith2019": (MatchedBy.FILE, "/storage/ABCD1234/paper.txt"),
        "sato": (MatchedBy.TITLE, "/佐藤 - 2021 - 標本調査の理論.txt"),
        "doi": (MatchedBy.DOI, "/page.html"),
        "lost": (MatchedBy.NOTHING, ""),
    }
    found = await library.documents.list(filters={"author": "山田, 太郎"})
    assert [document.metadata["citation_key"] for document in found] == ["yamada2020"]


async def test_what_is_imported_again_is_brought_up_to_date(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    await all_of(library.documents.add(folder))
    assert (await all_of(library.documents.add(folder)))[-1].outcome is IntakeOutcome.KNOWN
    export = tmp_path / "export.txt"
    export.write_text(LIBRARY.replace("山田, 太郎", "山田, 次郎"), "utf-8")
    (receipt,) = await all_of(library.documents.add(references=export))
    assert receipt.outcome is IntakeOutcome.DESCRIBED
    assert "山田, 次郎" in (await authors(library)).values() and len(await library.documents.list()) == 5
    (folder / "新しい本.txt").write_text("どこにもない本の本文。", "utf-8")
    export.write_text(LIBRARY.replace("どこにもない本", "新しい本"), "utf-8")
    receipts = [receipt async for receipt in library.folders.sync(folder)]
    assert receipts[-1].outcome is IntakeOutcome.DESCRIBED, (
        "a followed folder brings its bibliography with it"
    )
    (receipt,) = await all_of(library.documents.add(references=[export]))
    assert [match.by for match in receipt.references if match.key == "lost"] == [MatchedBy.TITLE]


async def test_a_name_that_is_anybody_s_finds_nothing_and_a_title_of_two_says_so(
    library: Library, tmp_path: Path
) -> None:
    for name in ("甲/標本調査.txt", "乙/標本調査.txt", "丙/paper.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name, "utf-8")
    bib = tmp_path / "a.bib"
    bib.write_text("@misc{a, title={標本調査}}\n@misc{b, title={他}, file={x/y/paper.txt}}", "utf-8")
    *_, last = await all_of(library.documents.add(tmp_path))
    assert [match.by for match in last.references] == [MatchedBy.SEVERAL, MatchedBy.NOTHING]


async def test_what_the_owner_says_with_it_counts_before_its_entries(library: Library, folder: Path) -> None:
    await all_of(library.documents.add(folder, metadata={"author": "本人"}))
    assert set((await authors(library)).values()) == {"本人"}


async def test_what_is_no_bibliography_says_so_and_nothing_to_add_is_refused(
    library: Library, folder: Path
) -> None:
    note = folder / "files/12/a.txt"
    (receipt,) = await all_of(library.documents.add(references=note))
    assert (receipt.outcome, receipt.code) == (IntakeOutcome.FAILED, "UNSUPPORTED_MEDIA")
    with pytest.raises(Exception, match="nothing to add"):
        await all_of(library.documents.add())


@pytest.mark.slow
def test_an_answer_is_exported_as_a_bibliography_in_words(shell: Shell, folder: Path) -> None:
    shell("add", folder)
    shell("ask", "--sources", "documents", "深層学習は何を重ねるか")
    assert "(1) 山田太郎. 深層学習の基礎. 統計学雑誌. 2020.\n    深層学習は層を重ねる。" in shell(
        "export", "--format", "sist02"
    )
    assert shell("export", "--format", "apa").startswith("山田太郎. (2020). 深層学習の基礎. 統計学雑誌.\n")
    assert "@article{yamada2020," in shell("export", "--format", "bibtex")


def test_the_shell_names_what_was_found_and_what_was_not(shell: Shell, folder: Path) -> None:
    told = shell("add", folder, "--references", folder / "library.bib")
    assert told.count("library.bib") == 1 and "5項目のうち4項目が文書と一致しました" in told
    assert "yamada2020 → a.txt (パス)" in told and "lost  どこにもない本" in told
    receipts = [json.loads(line) for line in shell("add", folder, "--json").splitlines()]
    assert [match["by"] for match in receipts[-1]["references"]] == [
        "file",
        "file",
        "title",
        "doi",
        "nothing",
    ]
