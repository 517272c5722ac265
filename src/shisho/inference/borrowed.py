"""The port `Llm` over the model of a client, and over recorded replies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from shisho.domain.model import FAULT_REASONS, ModelFault, ModelPrompt, ModelReply, ModelUsage, ModelUse
from shisho.errors import ModelFailed
from shisho.inference.reply_schema import ElementReader, read_reply, reply_schema

T = TypeVar("T")

MAX_CHARS_A_TOKEN = 16  # no tokenizer makes a longer token
BYTES_A_TOKEN = 3
_INSTRUCTIONS = (
    "{instructions}\nReply with one JSON object of this JSON Schema, nothing before or after it:\n{schema}"
)
_REPAIR = "{text}\n\nYour reply before could not be used: {mistake}\nSend the whole JSON object."


class BorrowedLlm:
    """A model behind `reply`, which takes instructions, text and a token limit, and may raise ModelFailed.

    The schema is part of the prompt, and nothing is streamed. Tokens are estimated from bytes, because the
    client does not report them.
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
        kind: type = shape
        schema = json.dumps(reply_schema(kind), ensure_ascii=False)
        instructions = _INSTRUCTIONS.format(instructions=prompt.instructions, schema=schema)
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
                        raise _make_failure(self.name, ModelFault.TOO_LONG, usage)
                    try:
                        value = read_reply(reply, shape)
                    except ValueError as error:
                        text = _REPAIR.format(text=prompt.text, mistake=error)
                        continue
                    for element in ElementReader(shape).feed(reply) if listen else ():
                        listen(element)  # type: ignore[misc]
                    return ModelReply(value, reply, usage, repairs)
        except TimeoutError:
            raise _make_failure(self.name, ModelFault.TIMEOUT, usage + under_way) from None
        except ModelFailed as error:
            raise _make_failure(
                self.name, ModelFault(error.fault), usage + (error.usage or ModelUsage())
            ) from None
        raise _make_failure(self.name, ModelFault.MALFORMED, usage)


def _estimate_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


_RELATED = ("strategy", "plan")  # nodes whose replies an embedder compared with the question


class RecordedLlm:
    """A replay of recorded uses in order; a failed use fails again.

    Calls that the budget prevented are not part of the record.
    """

    def __init__(self, uses: Iterable[ModelUse]) -> None:
        self._uses = [use for use in uses if use.fault is not ModelFault.BUDGET]
        self._next = iter(self._uses)

    @property
    def name(self) -> str:
        return self._uses[0].model if self._uses else "none"

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
        """Return the next recorded reply. A call without a record fails as FAILED."""
        use = next(self._next, None)
        if use is None:
            raise _make_failure(self.name, ModelFault.FAILED, ModelUsage())
        if not use.reply or (use.fault is ModelFault.UNUSABLE and use.node in _RELATED):
            raise _make_failure(self.name, use.fault or ModelFault.FAILED, use.usage)
        try:
            value = read_reply(use.reply, shape)
        except ValueError:  # the shape has changed since
            raise _make_failure(self.name, ModelFault.MALFORMED, use.usage) from None
        if listen:
            for element in ElementReader(shape).feed(use.reply):
                listen(element)
        return ModelReply(value, use.reply, use.usage, use.repairs)


def _make_failure(model: str, fault: ModelFault, usage: ModelUsage) -> ModelFailed:
    return ModelFailed(
        "model.reply_unusable",
        model=model,
        why=FAULT_REASONS[fault],
        fault=str(fault),
        usage=usage,
    )
