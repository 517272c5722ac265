"""Forty questions over real documents, answered by the replies that somebody wrote to them as the model, and
judged by the verdicts that somebody gave: the whole way from the documents to the answer, without a model."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shisho.testing.providers.recorded import (
    NOT_RECORDED,
    RecordedReplies,
    RecordedReply,
    outline_reply,
    request_key,
    save_reply,
    steady_text,
)
from shisho.testing.providers.script import ProviderReply, ProviderRequest
from shisho.testing.providers.server import FakeProvider
from tests.faults.children import LONG
from tests.shared import shared

BENCH = Path(__file__).parents[2] / "bench"
RECORDED = Path(__file__).with_name("by_hand.jsonl.gz")
# Of each kind some: worked out, concluded, from several rows, contradicted, not published, not there; and of
# the library of documents a fact, a list, a difference, and two that nothing there answers.
CHOSEN = (
    *("lit-4", "lit-26", "lit-34", "lit-40", "lit-46", "lit-50", "lit-58", "lit-56", "lit-104"),
    *("a-fact-05", "a-how-03", "a-cmp-03", "a-none-05", "a-none-33"),
)
WHOLE = 0.9  # of the questions are replayed whole: a prompt or a ranking that changes asks others anew
NO_VERDICT = ProviderReply('{"verdicts": []}')
# What a cell of two columns is in a page, and in what is stored of it.
SPANNED = '<table><tr><th rowspan="2">時間帯</th><th colspan="2">料金</th></tr><tr><th>1時間</th><th>4時間</th></tr></table>'


class Replies:
    """The recorded replies, and the judge's verdicts. A judge of sentences who was not asked about just these
    says nothing of them. `drifts`: what nobody has replied to, and how it differs from what they did."""

    def __init__(self, path: Path) -> None:
        self._recorded = RecordedReplies(path)
        self.drifts: list[str] = []

    def __call__(self, request: ProviderRequest) -> ProviderReply:
        reply = self._recorded(request)
        if reply.status == NO_VERDICT.status:
            return reply
        if "verdicts" in request.schema.get("properties", {}):
            return NO_VERDICT
        self.drifts.append(self._recorded.explain(request))
        return reply

    async def ask(self, kind: str, key: str, asked: str, schema: Mapping[str, Any]) -> str:
        reply = self._recorded.find(key)
        if reply is None:
            self.drifts.append(f"{kind}: not judged")
            raise LookupError(kind)
        return reply


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bench, which is a folder of programs."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("by_hand")


async def replayed(by_hand: Any, question: Any, path: Path) -> tuple[Any, list[str]]:
    """The question's result, judged; None where something was asked that nobody had replied to."""
    replies = Replies(path)
    async with FakeProvider(replies) as provider:
        settings = {
            "web": "off",
            "model": "openai/by-hand",
            "model_url": provider.url("openai"),
            "preset": "balanced",
        }
        answer, fabricated = await question.ask(settings)
    result = by_hand.HandResult(question, answer, fabricated)
    if replies.drifts:
        return None, replies.drifts
    try:
        return await by_hand.judged(result, replies), []
    except LookupError:
        return None, replies.drifts


# Slow: a library for each question that has passages of its own, and one of all the documents.
@pytest.mark.floors
async def test_what_somebody_replied_is_answered_again_and_every_bar_holds(
    tmp_path: Path, by_hand: Any
) -> None:
    path = tmp_path / "recordings.jsonl"
    path.write_bytes(gzip.decompress(RECORDED.read_bytes()))
    root = shared("eval-answers").parent
    shared("pdf", "ja")
    everything = [*by_hand.passage_questions(root), *await by_hand.page_questions(root)]
    questions = [question for question in everything if LONG or question.id in CHOSEN]
    assert len(everything) == 40 and len(questions) == (40 if LONG else len(CHOSEN))
    outcomes = [await replayed(by_hand, question, path) for question in questions]
    results = [result for result, _ in outcomes if result is not None]
    pairs = zip(questions, outcomes, strict=True)
    drifts = "\n\n".join("\n".join((f"{question.id}:", *told)) for question, (_, told) in pairs if told)
    assert len(results) >= WHOLE * len(questions), (
        f"play them again: python bench/by_hand.py FOLDER\n{drifts}"
    )
    figures = by_hand.list_figures(results)
    assert len(figures) == 8 and all(figure.whole for figure in figures)
    assert [figure for figure in figures if not figure.holds] == []
    texts = "\n".join(result.answer.text for result in results)
    assert "165円 × 8 = 1,320円" in texts and "22.0% + 2.0% + 32.0% = 56%" in texts


def test_a_bar_that_is_missed_is_told(by_hand: Any) -> None:
    assert by_hand.Figure("", 3, 100, most=0.03).holds and not by_hand.Figure("", 4, 100, most=0.03).holds
    assert by_hand.Figure("", 19, 20, least=0.95).holds and not by_hand.Figure("", 18, 20, least=0.95).holds
    assert not by_hand.Figure("", 1, 1_000, most=0).holds


@pytest.mark.parametrize(
    ("snippet", "source", "stands"),
    [
        ("時間帯\t料金\t料金", SPANNED, True),
        ("時間帯\t1時間\t4時間", SPANNED, True),
        ("時間帯\t料金\t2時間", SPANNED, False),
        ("時間帯\t料金\t料金", SPANNED.replace("span", ""), False),
        ("時間帯\n1時間\t4時間", SPANNED, True),
    ],
)
def test_a_cell_that_spans_others_stands_in_each(
    by_hand: Any, snippet: str, source: str, stands: bool
) -> None:
    assert by_hand.stands_in_source(snippet, source) is stands


def test_a_request_that_has_changed_is_shown_beside_the_recorded_one(tmp_path: Path) -> None:
    """With the hashes of what documents say, not their words."""
    text = "Question: 猫は何を好むか\n⟦{fence} passage 1 | 猫\n{said}\n⟦{fence} end of passage 1"
    before, after = (
        ProviderRequest("openai", "m", "Pick.", (text.format(fence=fence * 16, said=said),), {}, {}, {})
        for fence, said in (("a", "猫は魚を好む。"), ("b", "猫は肉を好む。"))
    )
    path = tmp_path / "recordings.jsonl"
    asked = steady_text(f"Pick.\n\n{before.text}")
    save_reply(path, outline_reply(RecordedReply(request_key(before), asked, "{}")))
    replies = RecordedReplies(path)
    assert replies(before).text == "{}" and replies.explain(before) == ""
    assert replies(after).status == NOT_RECORDED and replies.find(request_key(after)) is None
    told = replies.explain(after)
    assert told.count("passage 1") == 2 and "Question" not in told
    assert not any(word in path.read_text("utf-8") + told for word in ("魚", "肉"))
