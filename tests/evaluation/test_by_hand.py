"""Questions with passages of their own, answered by the replies that somebody wrote to them: the whole way
from the passages to the answer, without a model."""

from __future__ import annotations

import gzip
import importlib
from pathlib import Path
from typing import Any

import pytest

from shisho.domain.inquiry import AnswerLevel, SupportOutcome
from shisho.testing.providers.recorded import RecordedReplies
from shisho.testing.providers.script import ProviderReply, ProviderRequest
from shisho.testing.providers.server import FakeProvider
from tests.faults.children import LONG
from tests.shared import shared

BENCH = Path(__file__).parents[2] / "bench"
RECORDED = Path(__file__).with_name("by_hand.jsonl.gz")
# Of each kind some: worked out, concluded, from several rows, contradicted, not published, not there.
CHOSEN = (
    ["0", "4", "8", "18", "22", "26", "28", "34", "40", "46", "56", "58", "104"]
    if LONG
    else ["4", "26", "34", "46", "58", "104"]
)
NO_VERDICT = ProviderReply('{"verdicts": []}')
WHOLE = (
    10 if LONG else 5
)  # of the questions are replayed whole: a prompt or a ranking that changes asks others anew


class Replies:
    """The recorded replies. A judge who was not asked about just these sentences says nothing of them."""

    def __init__(self, path: Path) -> None:
        self.recorded = RecordedReplies(path)

    def __call__(self, request: ProviderRequest) -> ProviderReply:
        if "verdicts" not in request.schema.get("properties", {}):
            return self.recorded(request)
        reply = self.recorded(request)
        return reply if reply.status == NO_VERDICT.status else NO_VERDICT


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bench, which is a folder of programs."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("by_hand")


async def replayed(by_hand: Any, question: Any, path: Path) -> Any:
    """The question's result; None where something was asked that nobody had replied to."""
    replies = Replies(path)
    async with FakeProvider(replies) as provider:
        settings = {
            "web": "off",
            "model": "openai/by-hand",
            "model_url": provider.url("openai"),
            "preset": "balanced",
        }
        answer, fabricated = await question.ask(settings)
    asked_anew = [
        request
        for request in replies.recorded.unknown_requests
        if "verdicts" not in request.schema.get("properties", {})
    ]
    return None if asked_anew else by_hand.HandResult(question, answer, fabricated)


# Slow: a library for each question, as each has its own passages.
async def test_what_somebody_replied_is_answered_again(tmp_path: Path, by_hand: Any) -> None:
    path = tmp_path / "recordings.jsonl"
    path.write_bytes(gzip.decompress(RECORDED.read_bytes()))
    questions = [
        question
        for question in by_hand.passage_questions(shared("eval-answers").parent)
        if question.id.removeprefix("lit-") in CHOSEN
    ]
    outcomes = [await replayed(by_hand, question, path) for question in questions]
    results = [result for result in outcomes if result is not None]
    assert len(results) >= WHOLE, "play them again: python bench/by_hand.py FOLDER"
    assert sum(result.fabricated for result in results) == 0
    assert all(map(by_hand.is_right_by_rules, results))
    for result in results:
        is_answered = result.answer.level is AnswerLevel.ANSWERED
        assert is_answered is result.question.is_answerable
        if result.question.is_answerable:
            assert by_hand.cites_gold(result) == by_hand.citations(result) > 0
    supports = [sentence.support for result in results for sentence in result.answer.sentences]
    assert supports.count(SupportOutcome.ALTERED) <= 2
    texts = "\n".join(result.answer.text for result in results)
    assert "165円 × 8 = 1,320円" in texts and "22.0% + 2.0% + 32.0% = 56%" in texts
