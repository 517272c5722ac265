"""An answer taken again from what its run has written down, whatever has become of the library meanwhile."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import DocumentId
from shisho.domain.inquiry import LoopStop, StepText
from shisho.errors import NotFound, SourceRemoved
from shisho.services import Library
from shisho.services.news import News
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.report_model import TOWNS, open_report_library
from tests.flows.test_model_answers import QUESTION, QUOTATION, SENTENCE, TEXT, added, kind, well
from tests.inside import builder_of
from tests.listening import list_nodes

UNCITED = "猫は魚を好む。"
RIVAL = "決定係数とは、寄与率とも呼ばれ、決定係数の値は0から1である。決定係数の決定係数による定義。"


def writes_more(request: ProviderRequest) -> ProviderReply:
    """A model that also writes a sentence without a citation, which one search finds support for."""
    if kind(request) != "blocks":
        return well(request)
    sentences = [{"text": SENTENCE, "cites": [1]}, {"text": UNCITED, "cites": []}]
    return ProviderReply(json.dumps({"sentences": sentences}, ensure_ascii=False))


def fails_to_read(request: ProviderRequest) -> ProviderReply:
    reply = writes_more(request)
    return replace(reply, text='{"no": 1}') if kind(request) == "findings" else reply


async def grown(library: Library, folder: Path) -> None:
    """Many documents that a search would show before those that were shown."""
    rivals = folder / "rivals"
    rivals.mkdir()
    for number in range(6):
        (rivals / f"{number}.md").write_text(f"# 決定係数 {number}\n\n{RIVAL}{number}番目の頁。\n", "utf-8")
    await added(library, rivals)


@pytest.mark.slow
@pytest.mark.parametrize(
    "script", [None, writes_more, fails_to_read], ids=["rules", "model", "a model that fails"]
)
async def test_a_replay_is_equal_after_the_library_has_grown_and_lost_a_document(
    script: Any, tmp_path: Path
) -> None:
    source = tmp_path / "page.md"
    source.write_text(TEXT, "utf-8")
    async with FakeProvider(script or well) as provider:
        model = {} if script is None else {"model": "ollama/m-1", "model_url": provider.build_url("ollama")}
        async with open_library(home=tmp_path / "home", web="off", **model) as library:
            await added(library, source)
            before = await library.questions.ask(QUESTION)
            assert QUOTATION in [quotation.snippet for quotation in before.evidence]
            assert (UNCITED in before.text) is (script is not None)
    # Nobody answers at the model's address any more, and the setting is gone.
    async with open_library(home=tmp_path / "home", web="off") as library:
        await grown(library, tmp_path)
        assert (await library.questions.ask(QUESTION)).evidence[0].snippet != QUOTATION
        await library.documents.remove(before.evidence[0].document_id)
        report = await library.questions.replay(before.id)
        assert report.is_same, report.differences
        assert report.now.text == before.text and report.now.model_uses == before.model_uses
        for then, now in zip(before.evidence, report.now.evidence, strict=True):
            assert (then.snippet, then.start, then.sha256) == (now.snippet, now.start, now.sha256)
        assert await library.questions.get(before.id) != report.now, "the answer that was kept stays"


async def test_after_a_purge_a_replay_says_that_the_source_was_removed(tmp_path: Path) -> None:
    """What was shown is erased from the record of every run that was shown it, quoted or not."""
    source = tmp_path / "page.md"
    source.write_text(TEXT, "utf-8")
    (tmp_path / "other.md").write_text("# 決定係数の話\n\n決定係数の秘密の一行。\n", "utf-8")
    async with open_library(home=tmp_path / "home", web="off") as library:
        await added(library, source)
        await added(library, tmp_path / "other.md")
        answer = await library.questions.ask(QUESTION)
        assert all("秘密" not in quotation.snippet for quotation in answer.evidence)
        await library.documents.remove(str(tmp_path / "other.md"), purge=True)
        with pytest.raises(SourceRemoved):
            await library.questions.replay(answer.id)
        await library.backup(tmp_path / "copy.db")
    assert "秘密の一行".encode() not in (tmp_path / "copy.db").read_bytes()


async def test_a_stopped_answer_is_replayed_to_where_it_was_stopped(tmp_path: Path) -> None:
    source = tmp_path / "page.md"
    source.write_text(TEXT, "utf-8")
    told: list[News] = []
    async with open_library(home=tmp_path / "home", web="off") as library:
        await added(library, source)
        answer = await library.questions.ask(
            QUESTION,
            notify=told.append,
            stop=lambda: "search" in list_nodes(told),
        )
        assert answer.loop_stop is LoopStop.STOPPED
        report = await library.questions.replay()
        assert report.is_same, report.differences


async def test_what_has_changed_in_the_record_is_told_as_a_difference(tmp_path: Path) -> None:
    source = tmp_path / "page.md"
    source.write_text(TEXT, "utf-8")
    async with open_library(home=tmp_path / "home", web="off") as library:
        await added(library, source)
        answer = await library.questions.ask(QUESTION)
        steps = await builder_of(library).stores.ledger.list_steps(answer.task_id)
        reading = next(step for step in steps if step.node == "search")
        texts = [text.replace("当てはまりのよさ", "当てはまりの悪さ") for text in reading.texts]
        changed = [StepText(DocumentId("none"), 0, text) for text in texts]
        given = (reading.number, reading.node, reading.input_hash, reading.output)
        await builder_of(library).stores.ledger.record(answer.task_id, *given, changed)
        report = await library.questions.replay()
        assert {"text", "evidence"} <= {difference.field for difference in report.differences}
        await builder_of(library).stores.ledger.forget_from(answer.task_id, 1)
        with pytest.raises(NotFound, match="has expired"):
            await library.questions.replay()


async def test_an_answer_of_a_model_without_anything_to_read_is_replayed(tmp_path: Path) -> None:
    async with open_report_library(tmp_path, towns=TOWNS[:1]) as (library, provider):
        answer = await library.questions.ask("What is a quasar?", budget={"max_rounds": 1})
        replayed = await library.questions.replay(answer.id)
    assert not provider.requests and "no language model" not in answer.text
    assert replayed.is_same, replayed.differences
