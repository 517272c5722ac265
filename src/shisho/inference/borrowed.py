"""The port `Llm` over the client's model.

The schema is part of the prompt, nothing is streamed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from shisho.domain.model import FAULT_REASONS, ModelFault, ModelPrompt, ModelReply, ModelUsage
from shisho.errors import ModelFailed
from shisho.inference.reply_schema import ElementReader, read_reply, reply_schema

T = TypeVar("T")

MAX_CHARS_A_TOKEN = 16  # no tokenizer makes a longer token
BYTES_A_TOKEN = 3
_HELD = (
    "{instructions}\nReply with one JSON object of this JSON Schema, nothing before or after it:\n{schema}"
)
_REPAIR = "{text}\n\nYour reply before could not be used: {mistake}\nSend the whole JSON object."


class BorrowedLlm:
    """A model behind `reply`, which takes instructions, text and a token limit, and may raise ModelFailed.

    Tokens are estimated from bytes, because the client does not report them.
    """

    def __init__(self, name: str, reply: Callable[[str, str, int], Awaitable[str]]) -> None:
        self._name = name
        self._reply = reply

    @property
    def name(self) -> str:
        return self._name

    @property
    def thinking_tokens(self) -> int:
        return 0

    async def ask(
        self,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None = None,
        report_wait: Callable[[float], None] | None = None,
    ) -> ModelReply[T]:
        """Ask as the port defines."""
        schema = json.dumps(_describe_schema(shape), ensure_ascii=False)
        instructions = _HELD.format(instructions=prompt.instructions, schema=schema)
        text = prompt.text
        usage = ModelUsage()
        under_way = ModelUsage()
        try:
            async with asyncio.timeout(prompt.seconds):
                for repairs in range(1 + prompt.repairs):
                    under_way = ModelUsage(1, _estimate_tokens(instructions + text))
                    reply = await self._reply(instructions, text, prompt.max_output_tokens)
                    usage += under_way + ModelUsage(output_tokens=_estimate_tokens(reply))
                    if len(reply) > MAX_CHARS_A_TOKEN * prompt.max_output_tokens:
                        raise self._make_failure(ModelFault.TOO_LONG, usage)
                    try:
                        value = read_reply(reply, shape)
                    except ValueError as error:
                        text = _REPAIR.format(text=prompt.text, mistake=error)
                        continue
                    for element in ElementReader(shape).feed(reply) if listen else ():
                        listen(element)  # type: ignore[misc]
                    return ModelReply(value, reply, usage, repairs)
        except TimeoutError:
            raise self._make_failure(ModelFault.TIMEOUT, usage + under_way) from None
        except ModelFailed as error:
            raise self._make_failure(ModelFault(error.fault), usage + (error.usage or ModelUsage())) from None
        raise self._make_failure(ModelFault.MALFORMED, usage)

    def _make_failure(self, fault: ModelFault, usage: ModelUsage) -> ModelFailed:
        return ModelFailed(
            "model.reply_unusable",
            model=self.name,
            why=FAULT_REASONS[fault],
            fault=str(fault),
            usage=usage,
        )


def _describe_schema(shape: type) -> dict[str, Any]:
    return reply_schema(shape)


def _estimate_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)
