"""A model that somebody else asks for us: what a call costs that comes to nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from shisho.domain.model import ModelFault
from shisho.errors import ModelFailed
from shisho.inference.borrowed import BorrowedLlm
from tests.inference.providing import PAGE, Page, page_json, prompt_of


@pytest.mark.parametrize("replies", [(), ('{"lines": 1}',)], ids=["the first", "the repair"])
async def test_a_call_that_is_broken_off_costs_what_was_sent(replies: tuple[str, ...]) -> None:
    sent: list[str] = []

    async def reply(instructions: str, text: str, max_output_tokens: int) -> str:
        sent.append(instructions + text)
        if len(sent) > len(replies):
            await asyncio.Event().wait()
        return replies[len(sent) - 1]

    with pytest.raises(ModelFailed) as failed:
        await BorrowedLlm("client/m", reply).ask(prompt_of(0.5), Page)
    usage = failed.value.usage
    assert failed.value.fault == ModelFault.TIMEOUT and usage.calls == len(replies) + 1 == len(sent)
    assert usage.input_tokens == sum(-(-len(text.encode()) // 3) for text in sent)
    assert usage.output_tokens == sum(-(-len(text.encode()) // 3) for text in replies)


async def test_a_reply_costs_what_was_sent_and_what_it_says() -> None:
    async def reply(instructions: str, text: str, max_output_tokens: int) -> str:
        return page_json()

    told = await BorrowedLlm("client/m", reply).ask(replace(prompt_of(), repairs=0), Page)
    assert told.value == PAGE and told.usage.calls == 1
    assert told.usage.input_tokens > 0 and told.usage.output_tokens == -(-len(page_json().encode()) // 3)
