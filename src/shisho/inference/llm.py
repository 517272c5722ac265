"""The port `Llm` over the chat models of LangChain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from math import inf
from typing import Any, TypeVar

from langsmith import tracing_context

from shisho.domain.model import FAULT_REASONS, ModelFault, ModelPrompt, ModelReply, ModelUsage
from shisho.errors import ModelFailed
from shisho.inference.provider_faults import NOT_TAKEN, RETRIED, fault_of, find_unknown_parts, retry_after
from shisho.inference.providers import ModelAccess, build_chat_model
from shisho.inference.reply_schema import ElementReader, read_reply, reply_schema

T = TypeVar("T")

TRIES = 2  # of one call that the provider does not take
WAIT_S = 1.0  # before the next one, where the provider does not say how long
CHARS_A_TOKEN = 16  # no tokenizer makes a token of more; a reply that goes on is broken off
REPAIRED_CHARS = 4_000  # of a broken reply are shown to the model again
_REPAIR = (
    "Your reply cannot be used: {mistake}\nSend the whole reply again: one JSON object of the given schema, "
    "nothing before or after it."
)
_IN_WORDS = "Reply with one JSON object of this JSON Schema, nothing before or after it:\n{schema}"
_CUT = "it was cut off for its length. Be shorter."
_REFUSALS = ("content_filter", "safety", "refusal", "blocklist", "prohibited_content")
_FORM = "response_format"
_LENGTHS = ("length", "max_tokens", "model_context_window_exceeded")

Messages = list[tuple[str, str]]


class _Unsupported(Exception):
    """The server does not know these parts of a call."""

    def __init__(self, parts: frozenset[str]) -> None:
        self.parts = parts


class _Reply:
    """A reply while it arrives."""

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._parts: list[str] = []
        self._chars = 0
        self.whole: Any = None
        self.ending = ""

    def add(self, chunk: Any) -> str:
        """Raises OverflowError where the reply is longer than any of its tokens could be."""
        text = str(chunk.text)
        self._parts.append(text)
        self._chars += len(text)
        if self._chars > CHARS_A_TOKEN * self._max_tokens:
            raise OverflowError
        self.whole = chunk if self.whole is None else self.whole + chunk
        facts = chunk.response_metadata
        reasons = (facts.get(name) for name in ("finish_reason", "done_reason", "stop_reason"))
        self.ending = next((str(reason).lower() for reason in reasons if reason), self.ending)
        return text

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def is_refusal(self) -> bool:
        """OpenAI's way where a schema was asked for: words of their own, and an ending like any other."""
        return self.whole is not None and bool(self.whole.additional_kwargs.get("refusal"))

    def usage(self, sent: Messages) -> ModelUsage:
        """As the provider counted; where it does not, by bytes, three to a token. Many count with the last
        chunk alone: of a reply that was broken off it never comes, nor of one that was cut for its length,
        which has used all that it was given."""
        counted = getattr(self.whole, "usage_metadata", None) or {}
        read_tokens, written_tokens = (
            _read_count(counted, name) for name in ("input_tokens", "output_tokens")
        )
        sent_bytes = sum(len(text.encode("utf-8", "replace")) for _, text in sent)
        received_bytes = len(self.text.encode("utf-8", "replace"))
        if not self.ending:
            written_tokens = max(written_tokens, -(-received_bytes // 3))
        estimate = self._max_tokens if self.ending in _LENGTHS else -(-received_bytes // 3)
        return ModelUsage(1, read_tokens or -(-sent_bytes // 3), written_tokens or estimate)


def _read_count(counted: Mapping[str, Any], name: str) -> int:
    """0 where nothing was counted. Less than nothing would give tokens to the budget and the quota."""
    return max(0, int(counted.get(name) or 0))


class ChatLlm:
    """A model of a provider. Replies are always streamed, so that one which does not end is broken off."""

    def __init__(self, access: ModelAccess) -> None:
        self._access = access

    @property
    def name(self) -> str:
        return self._access.name

    async def ask(
        self, prompt: ModelPrompt, shape: type[T], listen: Callable[[Any], None] | None = None
    ) -> ModelReply[T]:
        """As the port says. Nothing is sent to a tracing service, whatever the environment says."""
        exchange = _Exchange(self.name)
        try:
            # The time limit outermost: it ends a wait for a turn to try again, too.
            async with asyncio.timeout(prompt.seconds) as limit:
                exchange.ends_at = limit.when() or 0.0
                with tracing_context(enabled=False):
                    return await self._ask(exchange, prompt, shape, listen)
        except TimeoutError:
            raise exchange.failed(ModelFault.TIMEOUT, exchange.usage_under_way()) from None

    async def _ask(
        self,
        exchange: _Exchange,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None,
    ) -> ModelReply[T]:
        """Without the parts that the server has said not to know, which later calls leave out as well."""
        access = self._access
        while True:
            chat = await asyncio.to_thread(_held_to, access, prompt, shape)
            worded = _worded(prompt, shape) if _FORM in access.unknown_parts else prompt
            try:
                reply = await exchange.run(chat, worded, shape, listen, access.optional_parts)
            except _Unsupported as error:
                access = replace(access, unknown_parts=access.unknown_parts | error.parts)
            else:
                parts = self._access.unknown_parts | access.unknown_parts
                self._access = replace(self._access, unknown_parts=parts)
                return reply


def _held_to(access: ModelAccess, prompt: ModelPrompt, shape: type) -> Any:
    """The chat model, held to the shape. What `with_structured_output` makes runs model and parser as tasks
    that outlive a cancelled stream, so the model is taken out of it, with what was bound to it."""
    chat = build_chat_model(access, prompt.max_output_tokens, prompt.seconds)
    if _FORM in access.unknown_parts:
        return chat
    structured: Any = chat.with_structured_output(reply_schema(shape), method="json_schema", include_raw=True)
    return structured.first.steps__["raw"]


def _worded(prompt: ModelPrompt, shape: type) -> ModelPrompt:
    """With the shape in words, for a server that holds no reply to it."""
    schema = json.dumps(reply_schema(shape), ensure_ascii=False)
    return replace(prompt, instructions=f"{prompt.instructions}\n\n{_IN_WORDS.format(schema=schema)}")


class _Exchange:
    """One call of the port: the messages sent so far, what was used, and the reply that is waited for."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._messages: Messages = []
        self._usage = ModelUsage()
        self._under_way: _Reply | None = None
        self._optional_parts = frozenset[str]()
        self.ends_at = inf
        """By the clock of the event loop."""

    async def run(
        self,
        chat: Any,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None,
        optional_parts: frozenset[str],
    ) -> ModelReply[T]:
        """Raises _Unsupported for optional parts that are not known, before anything has come."""
        self._optional_parts = optional_parts
        self._messages = [("system", prompt.instructions), ("human", prompt.text)]
        fault = ModelFault.MALFORMED
        reader = ElementReader(shape) if listen else None
        for repairs in range(1 + prompt.repairs):
            reply = _Reply(prompt.max_output_tokens)
            await self._receive(chat, reply, reader, listen)
            reader = None  # a repaired reply says all of it again
            self._usage += reply.usage(self._messages)
            self._optional_parts = frozenset()  # it was taken with all of them
            if reply.ending in _REFUSALS or reply.is_refusal:
                raise self.failed(ModelFault.REFUSED)
            try:
                return ModelReply(read_reply(reply.text, shape), reply.text, self._usage, repairs)
            except ValueError as error:
                is_cut = reply.ending in _LENGTHS
                fault = ModelFault.TRUNCATED if is_cut else ModelFault.MALFORMED
                mistake = _REPAIR.format(mistake=_CUT if is_cut else error)
                self._messages += [("ai", reply.text[:REPAIRED_CHARS] or "{}"), ("human", mistake)]
        raise self.failed(fault)

    async def _receive(
        self,
        chat: Any,
        reply: _Reply,
        reader: ElementReader | None,
        listen: Callable[[Any], None] | None,
    ) -> None:
        """Fill the reply. A call that the provider does not take is made again."""
        for tries_left in reversed(range(TRIES)):
            self._under_way = reply
            try:
                async with aclosing(chat.astream(self._messages)) as chunks:
                    async for chunk in chunks:
                        text = reply.add(chunk)
                        if reader and listen:
                            for element in reader.feed(text):
                                listen(element)
                self._under_way = None
                return
            except OverflowError:
                raise self.failed(ModelFault.TOO_LONG, reply.usage(self._messages)) from None
            except TimeoutError:
                raise
            except Exception as error:
                fault = fault_of(error)
                wait = retry_after(error)
                unsupported = find_unknown_parts(error) & self._optional_parts
            self._under_way = None
            if fault is ModelFault.REJECTED and unsupported and reply.whole is None:
                self._usage += ModelUsage(1)
                raise _Unsupported(unsupported)
            if fault is ModelFault.TRUNCATED:
                reply.ending = "length"
                return
            wait_s = WAIT_S if wait is None else wait
            is_too_long = asyncio.get_running_loop().time() + wait_s >= self.ends_at
            if fault not in RETRIED or reply.text or not tries_left or is_too_long:
                is_free = fault in NOT_TAKEN and reply.whole is None
                raise self.failed(fault, ModelUsage(1) if is_free else reply.usage(self._messages))
            await asyncio.sleep(wait_s)

    def usage_under_way(self) -> ModelUsage:
        """Of a call that is broken off: the provider has read what was sent, and wrote what has come."""
        return ModelUsage(1) if self._under_way is None else self._under_way.usage(self._messages)

    def failed(self, fault: ModelFault, besides: ModelUsage = ModelUsage()) -> ModelFailed:  # noqa: B008
        return ModelFailed(
            "The model {model} gave no reply that can be used: {why}.",
            model=self._model,
            why=FAULT_REASONS[fault],
            fault=str(fault),
            usage=self._usage + besides,
        )
