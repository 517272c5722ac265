"""Replies as models write them: what stands around the JSON that was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from shisho.inference.reply_schema import ElementReader, read_reply
from shisho.testing.model_providers import ProviderReply
from tests.inference.providing import LINES, PAGE, Page, ask_once, page_json

DRAFT = '{"lines": [{"text": "下書き。", "cites": [9]}]}'
THOUGHT = f'<think>\nThe shape is {{"lines": [...]}}. A draft: {DRAFT}\n</think>\n\n'


@dataclass(frozen=True)
class Sought:
    """Where to look next."""

    focus: str


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{page_json()}\n```",
        f"Sure, here is {{the JSON}}:\n{page_json()}\nI hope {{this}} helps. }}",
        f"{THOUGHT}{page_json()}",
        f"{THOUGHT}```json\n{page_json()}\n```",
        f"{DRAFT.replace('9', '1')}\nNo, better:\n{page_json()}",
        f"{page_json()}\n{page_json()}",
    ],
    ids=["fence", "prose with braces", "thinking", "thinking and fence", "corrected", "twice"],
)
def test_what_stands_around_a_reply_is_left_out(reply: str) -> None:
    assert read_reply(reply, Page) == PAGE


def test_a_line_break_inside_a_string_is_taken_as_it_is() -> None:
    assert read_reply('{"focus": "言葉\nで言える"}', Sought) == Sought("言葉\nで言える")


def test_a_reply_that_quotes_the_end_of_thinking_is_whole() -> None:
    assert read_reply('{"focus": "その後に</think>と書く。"}', Sought) == Sought("その後に</think>と書く。")


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        "",
        "決定係数とは…",
        "{" * 100_000,
        '{"focus": ' * 50_000,
        '{"focus": ' + "[" * 100_000,
        '{"focus": ' + "9" * 10_000 + "}",
        '<think>{"focus": "G1"} and so on',
        '{"focus": "\\ud800"}',
        '["focus"]',
    ],
    ids=[
        "empty",
        "no JSON",
        "braces",
        "deep",
        "deep list",
        "long number",
        "only thought",
        "surrogate",
        "list",
    ],
)
def test_what_is_no_reply_is_refused_in_words(reply: str) -> None:
    with pytest.raises(ValueError, match=r"no JSON object|focus|hex escape"):
        read_reply(reply, Sought)


async def test_no_draft_of_a_thought_is_heard() -> None:
    heard: list[Any] = []
    reply, _ = await ask_once("openai", ProviderReply(THOUGHT + page_json(), delta_chars=3), heard.append)
    assert reply.value == PAGE and heard == list(LINES)


def test_a_depth_that_cannot_be_read_ends_the_reading() -> None:
    deep = '{"lines": [{"text": "一。", "cites": [1]}, {"text": ' + "[" * 100_000
    assert [line.text for line in ElementReader(Page).feed(deep)] == ["一。"]


def test_half_of_a_pair_of_surrogates_is_not_heard() -> None:
    half = '{"lines": [{"text": "\\ud83d", "cites": [1]}]}'
    assert [*ElementReader(Page).feed(half)] == []
