"""What is gone from its place is found no more, and the citations of earlier answers say so and still open;
what has moved is cited where it stands now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shisho.domain.corpus import DocumentState, Source
from shisho.domain.evidence import REMOVED
from shisho.domain.inquiry import SupportOutcome
from shisho.errors import NotFound
from shisho.services import Library
from tests.flows.conftest import Shell

QUESTION = "赤い本はどこにあるか"


async def test_a_citation_of_a_file_that_is_gone_says_so_and_still_opens(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "蔵書.txt"
    file.write_text("赤い本は棚の上にある。", "utf-8")
    assert [receipt.outcome async for receipt in library.documents.add(file)] == ["added"]
    answer = await library.questions.ask(QUESTION)
    (quoted,) = (await library.questions.get(answer.id)).evidence
    assert quoted.source_state is DocumentState.LIVE

    await library.documents.remove(quoted.document_id)
    (quoted,) = (await library.questions.get(answer.id)).evidence
    assert quoted.source_state is DocumentState.REMOVED and quoted.snippet == "赤い本は棚の上にある。"
    assert (await library.documents.read_text(quoted.document_id))[
        quoted.start : quoted.end
    ] == quoted.snippet
    assert (await library.questions.find_evidence(quoted.id)).source_state is DocumentState.REMOVED
    assert "出典は削除されました" in await library.exports.render(answer.id, "md")

    file.write_text("赤い本は床の下にある。", "utf-8")
    assert [receipt.outcome async for receipt in library.documents.add(file)] == ["added"]
    later = await library.questions.ask(QUESTION)
    assert "床の下" in later.text and later.evidence[0].source_state is DocumentState.LIVE


def test_the_shell_marks_a_quotation_whose_source_has_changed(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "蔵書.txt"
    file.write_text("赤い本は棚の上にある。", "utf-8")
    shell("add", file)
    answer = json.loads(shell.run("ask", "--json", "--sources", "documents", QUESTION).stdout)
    assert "新しい版" not in shell("show", answer["id"])
    file.write_text("赤い本は床の下にある。", "utf-8")
    shell("add", file)
    assert "その後更新されました" in shell("show", answer["id"])
    assert shell("show", "--json", answer["id"])["evidence"][0]["source_state"] == "superseded"


async def test_a_citation_of_a_file_that_changed_and_is_gone_says_that_it_is_gone(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "蔵書.txt"
    file.write_text("赤い本は棚の上にある。", "utf-8")
    assert [receipt.outcome async for receipt in library.documents.add(file)] == ["added"]
    answer = await library.questions.ask(QUESTION)
    file.write_text("赤い本は床の下にある。", "utf-8")
    assert [receipt.outcome async for receipt in library.documents.add(file)] == ["replaced"]
    (quoted,) = (await library.questions.get(answer.id)).evidence
    assert quoted.source_state is DocumentState.SUPERSEDED
    await library.documents.remove("蔵書.txt")
    (quoted,) = (await library.questions.get(answer.id)).evidence
    assert quoted.source_state is DocumentState.REMOVED
    assert (await library.questions.find_evidence(quoted.id)).source_state is DocumentState.REMOVED
    assert [receipt.outcome async for receipt in library.documents.add(file)] == ["added"]
    (quoted,) = (await library.questions.get(answer.id)).evidence
    assert quoted.source_state is DocumentState.SUPERSEDED


async def mirror_one_file(library: Library, place: Path) -> Path:
    """The one file of a folder that only questions know."""
    folder = place / "書庫"
    folder.mkdir()
    file = folder / "蔵書.txt"
    file.write_text("赤い本は棚の上にある。", "utf-8")
    assert [receipt.outcome async for receipt in library.folders.mirror(folder)] == ["added"]
    return file


async def test_syncing_a_folder_tells_what_was_asked_of_it_alone(library: Library, tmp_path: Path) -> None:
    file = await mirror_one_file(library, tmp_path)
    folder = file.parent
    answer = await library.questions.ask(QUESTION, corpora=str(folder))
    (folder / "目録.txt").write_text("目録は机の上にある。", "utf-8")
    file.unlink()
    receipts = [receipt async for receipt in library.folders.sync(folder)]
    assert [(receipt.outcome, Path(receipt.source).name) for receipt in receipts] == [
        ("added", "目録.txt"),
        ("gone", "蔵書.txt"),
    ]
    (quoted,) = (await library.questions.get(answer.id)).evidence
    assert quoted.source_state is DocumentState.REMOVED
    assert [receipt.outcome async for receipt in library.folders.mirror(folder)] == ["known"]


async def test_a_folder_that_only_questions_know_is_not_emptied_by_accident(
    library: Library, tmp_path: Path
) -> None:
    file = await mirror_one_file(library, tmp_path)
    folder = file.parent
    file.unlink()
    folder.rmdir()
    with pytest.raises(NotFound, match="the library has 1 file from it"):
        assert [receipt async for receipt in library.folders.sync(folder)]
    assert [receipt.outcome async for receipt in library.folders.sync(folder, is_emptied=True)] == ["gone"]


async def test_a_citation_of_a_moved_file_opens_where_it_stands_now(library: Library, tmp_path: Path) -> None:
    old = await mirror_one_file(library, tmp_path)
    folder = old.parent
    answer = await library.questions.ask(QUESTION, corpora=str(folder))
    (folder / "奥").mkdir()
    new = old.rename(folder / "奥" / "蔵書.txt")
    assert [receipt async for receipt in library.folders.mirror(folder)]
    (quoted,) = (await library.questions.get(answer.id)).evidence
    assert (quoted.document, quoted.link) == (str(new), new.as_uri())
    assert quoted.source_state is DocumentState.LIVE
    assert quoted.document_id == answer.evidence[0].document_id


async def test_what_was_purged_is_told_in_the_language_of_the_question_and_is_no_quotation(
    library: Library, tmp_path: Path
) -> None:
    """A citation of nothing was shown as "[1] ." and its sentence as supported, in two languages at once."""
    for name, text in (
        ("青.txt", "青い本は窓の下にある。"),
        ("blue.txt", "The blue book stands by the window."),
    ):
        await library.documents.add_source(Source(name, text.encode()))
    asked = [
        await library.questions.ask("青い本はどこにあるか"),
        await library.questions.ask("Where does the blue book stand?"),
    ]
    for name in ("青.txt", "blue.txt"):
        await library.documents.remove(name, purge=True)
    for answer, gone in zip(asked, ("(出典は削除されました)", "(source removed)"), strict=True):
        told = await library.questions.get(answer.id)
        assert f"\n\n{gone}[1]" in told.text and REMOVED not in told.text
        assert told.passages == () and [sentence.text for sentence in told.sentences] == [gone]
        assert [sentence.support for sentence in told.sentences] == [SupportOutcome.UNVERIFIED]
        assert [quotation.title for quotation in told.evidence] == [gone]
        page = await library.exports.render(answer.id, "md")
        assert f"[1]: {gone}\n" in page and "<>" not in page
        assert f'value="1">{gone}</li>' in await library.exports.render(answer.id, "html")
        assert (await library.exports.render(answer.id, "bibtex")).strip() == ""
        assert REMOVED not in await library.exports.render(answer.id, "jsonl")


def test_the_shell_names_no_file_where_a_source_was_purged(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "蔵書.txt"
    file.write_text("赤い本は棚の上にある。", "utf-8")
    shell("add", file)
    answer = json.loads(shell.run("ask", "--json", "--sources", "documents", QUESTION).stdout)
    shell("remove", file.name, "--purge", "--yes")
    assert "\n出典\n[1] (出典は削除されました)\n\n" in shell("show", answer["id"])
