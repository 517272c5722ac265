"""A summary of a long document by a model: portion by portion, every section in its place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.inquiry import AnswerHeading, AnswerParagraph, list_passages
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.inference.providing import KEY

SECTIONS = 36
CITED = re.compile(r" ?\[(\d+)\]")
QUOTATION = re.compile(r"^⟦\w+ quotation (\d+)[^\n]*\n(.*?)\n⟦", re.S | re.M)
TEXT = "# 年報\n\n" + "\n\n".join(
    f"## 第{number}章 計画{number}\n\n計画{number}の担当は第{number}班である。計画{number}の予算は{number}00万円である。"
    f"計画{number}は毎年の会議で見直される。"
    for number in range(1, SECTIONS + 1)
)


def write(request: ProviderRequest) -> ProviderReply:
    """A model that says one quotation in each portion, and two in the last words of the first."""
    if "introduction" in request.schema["properties"]:
        lines = [line for line in request.text.splitlines() if CITED.search(line)]
        sentences = [
            {"text": CITED.sub("", line), "cites": [int(number) for number in CITED.findall(line)]}
            for line in (lines[0], lines[-1])
        ]
        return ProviderReply(json.dumps({"introduction": sentences, "conclusion": []}, ensure_ascii=False))
    quoted = [(int(number), text.splitlines()[-1]) for number, text in QUOTATION.findall(request.text)]
    sentences = [{"text": text, "cites": [number]} for number, text in quoted[:2]]
    reply: object = {"blocks": [{"type": "paragraph", "sentences": sentences}]}
    return ProviderReply(json.dumps(reply, ensure_ascii=False))


@pytest.mark.parametrize("is_broken", [False, True], ids=["well", "model that fails"])
async def test_every_portion_of_a_document_is_read_and_summarised(tmp_path: Path, is_broken: bool) -> None:
    source = tmp_path / "年報.md"
    source.write_text(TEXT, "utf-8")
    script = (lambda request: ProviderReply("no JSON")) if is_broken else write
    async with (
        FakeProvider(script) as provider,
        open_library(
            home=tmp_path / "home",
            web="off",
            model="ollama/m-1",
            model_url=provider.build_url("ollama"),
            model_key=KEY,
            model_seconds=60.0,
        ) as library,
    ):
        async for _ in library.documents.add(source):
            pass
        answer = await library.questions.ask("年報を要約して", kind="summary")
        assert await library.show(answer.id) == answer
    numbers = {row.number for row in answer.evidence}
    assert all(numbers.issuperset(sentence.evidence) for sentence in answer.sentences)
    assert not list_passages(answer.blocks)
    if is_broken:
        assert len(answer.sentences) >= SECTIONS and "抜粋" in answer.text
        return
    whole = answer.blocks[1]
    assert isinstance(whole, AnswerParagraph) and answer.text.startswith("要約")
    assert re.findall(r"計画(\d+)の", whole.sentences[0].text) == ["1"]
    assert len(provider.requests) == 4, "three portions, and the whole that is written from them"
    headings = [block.text for block in answer.blocks if isinstance(block, AnswerHeading)]
    assert headings == [f"第{number}章 計画{number}" for number in range(1, SECTIONS + 1)]
    assert len(answer.sentences) >= SECTIONS + len(whole.sentences)
    said = " ".join(sentence.text for sentence in answer.sentences)
    assert "計画1の" in said and any(
        f"計画{number}の" in said for number in range(SECTIONS - 12, SECTIONS + 1)
    )


@pytest.mark.parametrize("has_model", [True, False], ids=["model", "rules"])
async def test_a_folder_is_summarised_document_by_document(tmp_path: Path, has_model: bool) -> None:
    folder = tmp_path / "budgets"
    folder.mkdir()
    towns = ("Ashby", "Barrow", "Corby", "Denby", "Egton", "Formby", "Grimsby", "Hornby")
    for place, town in enumerate(towns, 1):
        chapters = (
            f"## {topic}\n\nThe {topic.lower()} of {town} costs {place}{at}00 pounds."
            for at, topic in enumerate(("Harbour", "Library"), 1)
        )
        folder.joinpath(f"{town}.md").write_text(f"# Plan of {town}\n\n" + "\n\n".join(chapters), "utf-8")
    async with (
        FakeProvider(write) as provider,
        open_library(
            home=tmp_path / "home",
            web="off",
            model="ollama/m-1" if has_model else "none",
            model_url=provider.build_url("ollama"),
            model_key=KEY,
        ) as library,
    ):
        answer = await library.questions.ask("Summarise these documents", kind="summary", folders=folder)
    headings = [block.text for block in answer.blocks if isinstance(block, AnswerHeading)]
    assert len(headings) == 2 * len(towns) and len({row.document_id for row in answer.evidence}) == 8
    for town in towns:
        assert [heading.rpartition(" › ")[2] for heading in headings if town in heading] == [
            "Harbour",
            "Library",
        ]
        assert f"of {town} costs" in answer.text
    assert all(sentence.evidence for sentence in answer.sentences)
    assert answer.text.startswith("Summary") == has_model
