"""The sentences of a model's answer as they pass their check, over server-sent events; and their erasure."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.services import Library
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.test_model_answers import QUESTION, QUOTATION, SENTENCE, TEXT, kind, well
from tests.interfaces.http.rooms import read_events, served

FABLE = "決定係数は9000である。"
SPECULATION = "決定係数は魚を好む猫の数である。"


def write_and_judge(request: ProviderRequest) -> ProviderReply:
    """Write a sentence that is true, one with a foreign figure and one with foreign words; judge each so."""
    lines = [{"text": text, "cites": [1]} for text in (SENTENCE, FABLE, SPECULATION)]
    verdicts = enumerate(("supported", "contradicted", "contradicted"), start=1)
    replies = {
        "blocks": {"blocks": [{"type": "paragraph", "sentences": lines}]},
        "verdicts": {"verdicts": [{"sentence": place, "verdict": verdict} for place, verdict in verdicts]},
    }
    if kind(request) not in replies:
        return well(request)
    return ProviderReply(json.dumps(replies[kind(request)], ensure_ascii=False))


def write_and_hang(request: ProviderRequest) -> ProviderReply:
    """Begin the same answer, and then nothing more for as long as anybody waits."""
    return replace(write_and_judge(request), hangs=kind(request) == "blocks")


@asynccontextmanager
async def stocked(
    home: Path, script: Callable[[ProviderRequest], ProviderReply]
) -> AsyncIterator[tuple[Library, httpx.AsyncClient, str]]:
    """A library with a model and one document, whose id comes with it."""
    async with (
        FakeProvider(script) as provider,
        open_library(
            home=home,
            web="off",
            model="ollama/m-1",
            model_url=provider.build_url("ollama"),
            model_seconds=3.0,
        ) as library,
        library.working(1),
        served(library) as client,
    ):
        receipt = await library.documents.add_source(Source("note.md", TEXT.encode()))
        yield library, client, receipt.document_id


async def listen(client: httpx.AsyncClient) -> tuple[list[str], dict[str, Any]]:
    """Ask; return the sentences that were told before the answer, and the answer."""
    asked = (await client.post("/answers", json={"question": QUESTION, "wait": 0})).json()
    events = await read_events(client, asked["answer_id"])
    assert events[-1]["event"] == "answer"
    told = [event["data"]["sentence"] for event in events[:-1] if event["data"].get("sentence")]
    return told, events[-1]["data"]["answer"]


async def test_each_sentence_is_told_once_it_has_passed_its_check_and_a_purge_erases_all(
    tmp_path: Path,
) -> None:
    async with stocked(tmp_path / "home", write_and_judge) as (library, client, document_id):
        told, answer = await listen(client)
        assert f"{SENTENCE} [1]" in told
        assert not any("9000" in line or "猫の数" in line for line in told), told
        contradicted = [block for block in answer["blocks"] if block["kind"] == "contradicted"]
        assert [sentence["text"] for block in contradicted for sentence in block["sentences"]] == [
            FABLE,
            SPECULATION,
        ]
        await library.backup(tmp_path / "before.db")
        await library.documents.remove(document_id, purge=True)
        await library.backup(tmp_path / "after.db")
    before, after = ((tmp_path / name).read_bytes() for name in ("before.db", "after.db"))
    for words in (SENTENCE, FABLE, SPECULATION, QUOTATION):
        assert words.encode() in before and words.encode() not in after, words


async def test_an_answer_that_never_ends_is_not_told_unchecked(tmp_path: Path) -> None:
    """No sentence of it could be checked; the passage itself is shown."""
    async with stocked(tmp_path / "home", write_and_hang) as (_, client, _):
        told, answer = await listen(client)
    assert answer["model_uses"][-1]["fault"] == "timeout"
    assert QUOTATION in answer["text"]
    for words in (SENTENCE, FABLE, SPECULATION):
        assert words not in answer["text"] and not any(words in line for line in told), told
