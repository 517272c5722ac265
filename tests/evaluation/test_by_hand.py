"""The bench of forty questions with a person as the model: its bars, its tables, and recorded requests."""

from __future__ import annotations

import importlib
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
from shisho.testing.providers.script import ProviderRequest

BENCH = Path(__file__).parents[2] / "bench"
# What a cell of two columns is in a page, and in what is stored of it.
SPANNED = '<table><tr><th rowspan="2">時間帯</th><th colspan="2">料金</th></tr><tr><th>1時間</th><th>4時間</th></tr></table>'


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bench, which is a folder of programs."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("by_hand")


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
