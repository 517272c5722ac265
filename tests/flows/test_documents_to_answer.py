"""Story 2 and 3: a folder of documents in, a cited answer out, in one process."""

from __future__ import annotations

import hashlib
import json
import stat
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.codec import to_plain
from shisho.domain.corpus import IntakeOutcome, Source
from shisho.domain.inquiry import Answer, LoopStop
from shisho.domain.task import AskOptions
from shisho.errors import EmptyCorpus, InvalidParams, NotFound, SourceRemoved
from shisho.librarian.record import TEXT_FIELDS
from shisho.services import Library
from shisho.services.news import News
from tests.flows.conftest import SAMPLES
from tests.inside import builder_of
from tests.listening import list_nodes

QUESTIONS = tomllib.loads((SAMPLES.parent / "questions.toml").read_text("utf-8"))


def squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


async def check_evidence(library: Library, answer: Answer) -> None:
    """Every snippet is a slice of the stored document, and stands on the page that it names."""
    for one in answer.evidence:
        text = await library.documents.read_text(one.document_id)
        assert text[one.start : one.end] == one.snippet != ""
        assert hashlib.sha256(one.snippet.encode()).hexdigest() == one.sha256
        # Alone, PDFium loses letters of fonts that a file does not embed; a recognised page has no text at
        # all.
        if one.document.endswith(".pdf") and not one.ocr and "noembed" not in one.document:
            with pypdfium2.PdfDocument(one.document) as pdf:
                page = pdf[(one.page or 0) - 1].get_textpage().get_text_range()
            # PDFium gives a hyphen at a line's end as U+FFFE; what is quoted has the hyphen that is printed.
            assert squeezed(one.snippet) in squeezed(page.replace("\ufffe", "-"))


@pytest.mark.parametrize("asked", QUESTIONS["question"], ids=lambda row: row["question"])
async def test_answers_to_sample_questions_are_shown_on_their_page(
    stocked: Library, asked: dict[str, Any]
) -> None:
    answer = await stocked.questions.ask(asked["question"])
    await check_evidence(stocked, answer)
    wanted = squeezed(asked["answer"])
    hits = [passage for passage in answer.passages if wanted in squeezed(passage.text)]
    assert hits, [passage.text for passage in answer.passages]
    (document,) = {one.document for one in answer.evidence if one.document_id == hits[0].document_id}
    assert (Path(document).name, hits[0].page) == (Path(asked["file"]).name, asked["page"])


@pytest.mark.parametrize("asked", QUESTIONS["unanswerable"], ids=lambda row: row["question"])
async def test_what_is_not_there_is_not_answered(stocked: Library, asked: dict[str, Any]) -> None:
    answer = await stocked.questions.ask(asked["question"])
    await check_evidence(stocked, answer)
    assert answer.abstained or answer.missing


async def test_what_a_thing_is_is_answered_by_the_sentence_that_says_so(stocked: Library) -> None:
    answer = await stocked.questions.ask("決定係数とは何か")
    first = answer.passages[0]
    marked = [first.text[mark.start : mark.end] for mark in first.marks]
    assert any(
        "".join(text.split()).endswith("目的変数の全変動のうち回帰式で説明できる変動の割合である。")
        for text in marked
    )


async def test_the_second_time_is_known_and_a_changed_file_is_a_new_version(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "メモ.txt"
    file.write_text("会議は第3会議室で行う。", "utf-8")
    assert [one.outcome async for one in library.documents.add(file)] == [IntakeOutcome.ADDED]
    assert [one.outcome async for one in library.documents.add(file)] == [IntakeOutcome.KNOWN]
    first = await library.questions.ask("会議はどこで行うか")
    file.write_text("会議は講堂で行う。", "utf-8")
    assert [one.outcome async for one in library.documents.add(file)] == [IntakeOutcome.REPLACED]
    second = await library.questions.ask("会議はどこで行うか")
    assert "第3会議室" in first.text and "講堂" in second.text and "第3会議室" not in second.text
    await check_evidence(library, await library.questions.get(first.id))


async def test_bad_files_do_not_stop_their_neighbours(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "混在"
    folder.mkdir()
    (folder / "a.txt").write_text("良いファイルの本文である。", "utf-8")
    (folder / "b.pdf").write_bytes(b"%PDF-1.7 broken")
    (folder / "c.bin").write_bytes(bytes(range(256)) * 9)
    (folder / "d.txt").write_bytes(b"")
    (folder / "e.txt").write_text("もう一つの良いファイル。", "utf-8")
    receipts = {Path(one.source).name: one async for one in library.documents.add(folder)}
    assert {name: (str(one.outcome), one.code) for name, one in receipts.items()} == {
        "a.txt": ("added", ""),
        "b.pdf": ("failed", "DOCUMENT_UNREADABLE"),
        "c.bin": ("failed", "UNSUPPORTED_MEDIA"),
        "d.txt": ("failed", "DOCUMENT_UNREADABLE"),
        "e.txt": ("added", ""),
    }
    assert all(one.reason for one in receipts.values() if one.code)
    assert [Path(one.source).name for one in await library.documents.list()] == ["a.txt", "e.txt"]


async def test_a_folder_as_a_corpus_holds_what_the_folder_holds(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "講義"
    folder.mkdir()
    (folder / "a.txt").write_text("赤い本は棚の上にある。", "utf-8")
    (folder / "b.txt").write_text("青い本は机の下にある。", "utf-8")
    await library.documents.add_source(Source("よそ.txt", "赤い本は床の上にある。".encode()))
    answer = await library.questions.ask("赤い本はどこにあるか", folders=[folder])
    assert {Path(one.document).name for one in answer.evidence} == {"a.txt"}
    (folder / "a.txt").unlink()
    assert [one.outcome async for one in library.folders.mirror(folder)] == [
        IntakeOutcome.KNOWN,
        IntakeOutcome.GONE,
    ]
    assert (await library.questions.ask("赤い本はどこにあるか", folders=[folder])).abstained


async def test_filters_that_match_nothing_abstain_in_place_and_in_the_queue(stocked: Library) -> None:
    filters = {"source": "nowhere.txt"}
    answer = await stocked.questions.ask("決定係数とは何か", filters=filters)
    async with stocked.working():
        queued = await stocked.questions.queue(
            "決定係数とは何か", options=AskOptions(filters=filters), wait=50
        )
    assert queued.answer is not None
    assert answer.abstained and queued.answer.abstained
    assert answer.text == queued.answer.text


async def test_blank_questions_and_an_empty_shelf(library: Library) -> None:
    with pytest.raises(InvalidParams):
        await library.questions.ask(" \u3000\n")
    with pytest.raises(EmptyCorpus, match="shisho add"):
        await library.questions.ask("何か")
    with pytest.raises(EmptyCorpus):
        await library.documents.search(["何か"])
    with pytest.raises(NotFound):
        await library.show("last")


@pytest.mark.parametrize(
    "snippet",
    [
        "面積は10²cmである。",
        "R²は0.9だった。",
        "½の確率で起こる。",
        "㈱司書が運営する。",
        "ｶﾀｶﾅの貸出券を使う。",
    ],
)
async def test_quotations_are_as_the_page_has_them(library: Library, snippet: str) -> None:
    await library.documents.add_source(Source("原文.txt", f"前の文である。{snippet}後の文である。".encode()))
    (found,) = await library.documents.search([unicodedata.normalize("NFKC", snippet)])
    assert snippet in found.text
    answer = await library.questions.ask(unicodedata.normalize("NFKC", snippet).replace("。", "か。"))
    await check_evidence(library, answer)
    assert any(snippet.removesuffix("。") in one.snippet for one in answer.evidence)


async def test_rounds_of_one_session_share_nothing(stocked: Library) -> None:
    answer = await stocked.questions.ask("火星の衛星の名前は何か。統計学の授業で扱うか")
    steps = to_plain([*await builder_of(stocked).stores.ledger.list_steps(answer.task_id)])
    shown = [
        [one["temp_index"] for one in step["output"]["state"]["shown"]]
        for step in steps
        if step["node"] == "search"
    ]
    numbers = [number for each in shown for number in each]
    assert len(numbers) == len(set(numbers))
    texts = [text for step in steps for text in step["texts"][:: len(TEXT_FIELDS)]]
    assert len(texts) == len(set(texts))


async def test_a_stopped_run_gives_what_it_has_and_goes_on(stocked: Library) -> None:
    question = "決定係数とは何ですか。江戸幕府を開いたのは誰ですか。"
    whole = await stocked.questions.ask(question)
    told: list[News] = []
    stopped = await stocked.questions.ask(
        question, notify=told.append, stop=lambda: "route" in list_nodes(told)
    )
    assert stopped.loop_stop is LoopStop.STOPPED and stopped.rounds == 1 < whole.rounds
    assert (await stocked.questions.get("last")).id == stopped.id
    finished = await stocked.questions.resume("last")
    assert (finished.text, finished.loop_stop, finished.rounds) == (whole.text, whole.loop_stop, whole.rounds)
    assert [one.snippet for one in finished.evidence] == [one.snippet for one in whole.evidence]


async def test_show_finds_answers_evidence_and_documents(stocked: Library) -> None:
    answer = await stocked.questions.ask("残差とは何か")
    assert await stocked.show(answer.id[:8]) == answer == await stocked.show("last")
    assert await stocked.show(answer.evidence[0].id) == answer.evidence[0]
    document, text = await stocked.show(answer.evidence[0].document_id)  # type: ignore[misc]
    assert document.id == answer.evidence[0].document_id and answer.evidence[0].snippet in text
    assert (await stocked.documents.get("01-regression.pdf")).id == document.id


async def test_removed_and_purged_sources(stocked: Library) -> None:
    answer = await stocked.questions.ask("残差とは何か")
    source = answer.evidence[0].document_id
    await stocked.documents.remove(source)
    assert all(one.document_id != source for one in (await stocked.questions.ask("残差とは何か")).evidence)
    await check_evidence(stocked, await stocked.questions.get(answer.id))
    assert [one.outcome async for one in stocked.documents.add(SAMPLES / "01-regression.pdf")] == [
        IntakeOutcome.ADDED
    ]
    await stocked.documents.remove(source, purge=True)
    assert "出典は削除されました" in (await stocked.questions.get(answer.id)).text
    with pytest.raises(SourceRemoved):
        await stocked.questions.resume(answer.task_id)


BROKEN = "\uf0b7\t残差とは、観測値と予\n測値の差で\nある。"
WHOLE = "• 残差とは、観測値と予測値の差である。"


async def test_what_is_shown_joined_is_erased_by_a_purge(library: Library) -> None:
    await library.documents.add_source(Source("改行.txt", BROKEN.encode()))
    answer = await library.questions.ask("残差とは何か")
    assert answer.evidence[0].snippet in BROKEN and "観測値と予測値の差である" in answer.text
    await library.documents.remove("改行.txt", purge=True)
    erased = (await library.questions.get(answer.id)).text
    assert "出典は削除されました" in erased and "予測値" not in erased


@pytest.mark.parametrize("form", ["md", "bibtex", "ris"])
async def test_exports_read_as_running_text(library: Library, form: str) -> None:
    await library.documents.add_source(Source("改行.txt", BROKEN.encode()))
    await library.questions.ask("残差とは何か")
    exported = await library.exports.render("last", form)
    assert exported.count("観測値と予測値の差である。") == 1 and "\uf0b7" not in exported


async def test_json_lines_carry_the_slice_and_the_text_as_read(library: Library) -> None:
    await library.documents.add_source(Source("改行.txt", BROKEN.encode()))
    answer = await library.questions.ask("残差とは何か")
    row = json.loads((await library.exports.render("last", "jsonl")).splitlines()[1])
    assert BROKEN[row["start"] : row["end"]] == row["snippet"] == answer.evidence[0].snippet
    assert row["quotation"] in WHOLE and "観測値と予測値の差である" in row["quotation"]


@pytest.mark.parametrize("form", ["md", "jsonl", "bibtex", "ris"])
async def test_exports_carry_every_quotation(stocked: Library, form: str) -> None:
    answer = await stocked.questions.ask("決定係数が0に近いとき何を意味するか")
    text = squeezed(await stocked.exports.render("last", form))
    for one in answer.evidence:
        assert squeezed(one.snippet).replace("_", "\\_") in text.replace("\\n", "")
    with pytest.raises(InvalidParams):
        await stocked.exports.render("last", "docx")


async def test_a_backup_opens_as_a_home(stocked: Library, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    await stocked.backup(tmp_path / "other" / "shisho.db")
    assert stat.S_IMODE((tmp_path / "other" / "shisho.db").stat().st_mode) == 0o600
    async with open_library(home=tmp_path / "other") as copy:
        assert await copy.documents.list() == await stocked.documents.list()
        assert (await copy.questions.ask("残差とは何か")).evidence
