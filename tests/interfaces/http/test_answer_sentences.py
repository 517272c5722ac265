"""The lines of a model's answer as they are written, over server-sent events; and their erasure."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from shisho.bootstrap.desk import open_desk
from shisho.domain.corpus import Source
from shisho.testing.providers.script import ProviderReply, ProviderRequest
from shisho.testing.providers.server import FakeProvider
from tests.flows.test_model_answers import QUESTION, SENTENCE, TEXT, kind, well
from tests.interfaces.http.rooms import read_events, served

FABLE = "決定係数は9000である。"


def write_and_hang(request: ProviderRequest) -> ProviderReply:
    """Two checked lines, one that is false, and then nothing more for as long as anybody waits."""
    if kind(request) != "blocks":
        return well(request)
    lines = [{"text": text, "cites": [1]} for text in (SENTENCE, FABLE)]
    lines += [{"text": "猫は魚を好む。" * 40, "cites": [1]}]
    return replace(ProviderReply(json.dumps({"sentences": lines}, ensure_ascii=False)), hangs=True)


async def test_each_line_is_told_once_it_has_passed_its_check_and_a_purge_erases_it(tmp_path: Path) -> None:
    """The model never ends its reply: what was whole and true was told before."""
    async with (
        FakeProvider(write_and_hang) as provider,
        open_desk(
            home=tmp_path / "home",
            web="off",
            model="ollama/m-1",
            model_url=provider.url("ollama"),
            model_seconds=3.0,
        ) as desk,
        desk.working(1),
        served(desk) as client,
    ):
        receipt = await desk.add_source(Source("note.md", TEXT.encode()))
        asked = (await client.post("/answers", json={"question": QUESTION, "wait": 0})).json()
        events = await read_events(client, asked["answer_id"])
        told = [event["data"]["sentence"] for event in events[:-1] if event["data"].get("sentence")]
        assert told[0] == f"{SENTENCE} [1]" and all("9000" not in line for line in told)
        assert events[-1]["event"] == "answer"
        answer = events[-1]["data"]["answer"]
        assert answer["model_uses"][-1]["fault"] == "timeout"
        await desk.backup(tmp_path / "before.db")
        await desk.remove(receipt.document_id, purge=True)
        await desk.backup(tmp_path / "after.db")
    assert SENTENCE.encode() in (tmp_path / "before.db").read_bytes()
    assert SENTENCE.encode() not in (tmp_path / "after.db").read_bytes()
