"""The port `Llm` over the official clients of four providers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Hashable
from contextlib import aclosing
from dataclasses import replace
from math import inf
from typing import Any, Generic, TypeVar, cast

from shisho.domain.model import (
    FAULT_REASONS,
    MAX_THINKING_TOKENS,
    ModelFault,
    ModelPrompt,
    ModelReply,
    ModelUsage,
)
from shisho.errors import ModelFailed, ShishoError
from shisho.inference.provider_faults import (
    NOT_TAKEN,
    RETRIED,
    classify_fault,
    find_unknown_parts,
    retry_after,
)
from shisho.inference.providers import Messages, ModelAccess, ModelCall, ModelDelta, open_client
from shisho.inference.reply_schema import ElementReader, has_only_thinking, read_reply, reply_schema

T = TypeVar("T")

TRIES = 2  # of one call that the provider rejects temporarily
WAIT_S = 1.0  # before the next try, unless the provider gives a delay
CHARS_A_TOKEN = 16  # no tokenizer makes a longer token; a longer reply is stopped
REPAIRED_CHARS = 4_000  # of an invalid reply that are shown to the model again
CONTEXT_SHARE = 4  # thinking gets at most this part of a local model's context
_REPAIR = (
    "Your reply cannot be used: {mistake}\nSend the whole reply again: one JSON object of the given schema, "
    "nothing before or after it."
)
_IN_WORDS = "Reply with one JSON object of this JSON Schema, nothing before or after it:\n{schema}"
_CUT = "it was cut off for its length. Be shorter."
_REFUSALS = ("content_filter", "safety", "refusal", "blocklist", "prohibited_content")
_FORM = "response_format"
_LENGTHS = ("length", "max_tokens", "model_context_window_exceeded")

# Errors of some clients for a broken stream, and for a web page in place of a stream.
_WHILE_STREAMING = {
    (ModelFault.UNREACHABLE, True): ModelFault.CUT_OFF,
    (ModelFault.MALFORMED, False): ModelFault.WRONG_ADDRESS,
}

ReportWait = Callable[[float], None]


class _Unsupported(Exception):
    """The server rejects these optional parts of a call."""

    def __init__(self, parts: frozenset[str]) -> None:
        self.parts = parts


class _Reply:
    """A reply during streaming."""

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._parts: list[str] = []
        self._chars = 0
        self._input_tokens = 0
        self._output_tokens = 0
        self.has_begun = False
        self.has_thinking = False
        self.is_refusal = False
        self.ending = ""

    def add(self, delta: ModelDelta) -> str:
        """Add a delta and return its text.

        Raises: OverflowError if the reply exceeds its token limit.
        """
        self.has_begun = True
        self._parts.append(delta.text)
        self._chars += len(delta.text) + len(delta.thinking)
        if self._chars > CHARS_A_TOKEN * self._max_tokens:
            raise OverflowError
        self.has_thinking |= bool(delta.thinking)
        self.is_refusal |= delta.is_refusal or delta.ending.lower() in _REFUSALS
        self.ending = delta.ending.lower() or self.ending
        # Negative counts would add tokens to the budget and the quota.
        self._input_tokens = max(self._input_tokens, delta.input_tokens)
        self._output_tokens = max(self._output_tokens, delta.output_tokens)
        return delta.text

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def is_cut(self) -> bool:
        return self.ending in _LENGTHS

    @property
    def is_only_thinking(self) -> bool:
        return has_only_thinking(self.text) or (self.has_thinking and not self.text.strip())

    def count_usage(self, sent: Messages) -> ModelUsage:
        """Return the provider's token counts, or else an estimate of three bytes to a token.

        Many providers only count in the last delta, which is missing if a reply is stopped early.
        """
        sent_bytes = sum(len(text.encode("utf-8", "replace")) for _, text in sent)
        received = -(-len(self.text.encode("utf-8", "replace")) // 3)
        written = self._output_tokens if self.ending else max(self._output_tokens, received)
        return ModelUsage(
            1,
            self._input_tokens or -(-sent_bytes // 3),
            written or (self._max_tokens if self.is_cut else received),
        )


class ChatLlm:
    """A model of a provider. Replies are always streamed, so that an endless one can be stopped."""

    def __init__(self, access: ModelAccess) -> None:
        self._access = access
        self._is_thinking = False

    @property
    def name(self) -> str:
        return self._access.name

    @property
    def sends_schema(self) -> bool:
        """True unless the server has rejected a JSON Schema."""
        return self._access.can_send(_FORM)

    @property
    def thinking_tokens(self) -> int:
        """The tokens reserved for thinking besides the reply: 0 until the model is seen to think."""
        return min(MAX_THINKING_TOKENS, self._access.context // CONTEXT_SHARE) if self._is_thinking else 0

    async def ask(
        self,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None = None,
        report_wait: ReportWait | None = None,
    ) -> ModelReply[T]:
        """Ask as the port defines."""
        exchange = _Exchange(self, prompt, shape, listen, report_wait)
        try:
            # The outermost time limit: it ends a wait before another try, too.
            async with asyncio.timeout(prompt.seconds) as limit:
                exchange.ends_at = limit.when() or 0.0
                return await self._ask(exchange, prompt)
        except TimeoutError:
            raise exchange.fail(ModelFault.TIMEOUT, exchange.estimate_usage()) from None

    async def _ask(self, exchange: _Exchange[T], prompt: ModelPrompt) -> ModelReply[T]:
        """Call the model, and omit the parts that the server rejects, in later calls too."""
        access = self._access
        while True:
            try:
                reply = await exchange.run(access)
            except _Unsupported as error:
                access = replace(access, unknown_parts=access.unknown_parts | error.parts)
            else:
                parts = self._access.unknown_parts | access.unknown_parts
                self._access = replace(self._access, unknown_parts=parts)
                return reply

    def remember_thinking(self) -> None:
        """Reserve tokens for thinking in later calls."""
        self._is_thinking = True


class _Exchange(Generic[T]):
    """One call of the port: the messages sent so far, the usage, and the reply in progress."""

    def __init__(
        self,
        llm: ChatLlm,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None,
        report_wait: ReportWait | None,
    ) -> None:
        self._llm = llm
        self._prompt = prompt
        self._shape = shape
        self._listen = listen
        self._report_wait = report_wait
        self._messages: Messages = []
        self._usage = ModelUsage()
        self._under_way: _Reply | None = None
        self._optional_parts = frozenset[str]()
        self.ends_at = inf
        """By the clock of the event loop."""

    async def run(self, access: ModelAccess) -> ModelReply[T]:
        """Send the prompt and parse the reply, with repairs.

        Raises: _Unsupported for rejected optional parts, before any delta arrives.
        """
        prompt = self._prompt
        self._optional_parts = access.optional_parts
        schema = reply_schema(cast("Hashable", self._shape))
        instructions = prompt.instructions
        if not access.can_send(_FORM):
            in_words = json.dumps(schema, ensure_ascii=False)
            instructions = f"{instructions}\n\n{_IN_WORDS.format(schema=in_words)}"
        self._messages = [("system", instructions), ("human", prompt.text)]
        fault = ModelFault.MALFORMED
        reader = ElementReader(self._shape) if self._listen else None
        for repairs in range(1 + prompt.repairs):
            reply = _Reply(prompt.max_output_tokens + self._llm.thinking_tokens)
            await self._receive(access, schema if access.can_send(_FORM) else None, reply, reader)
            reader = None  # a repaired reply repeats everything
            self._usage += reply.count_usage(self._messages)
            self._optional_parts = frozenset()  # the server accepted all of them
            if reply.has_thinking or has_only_thinking(reply.text):
                self._llm.remember_thinking()
            if reply.is_refusal:
                raise self.fail(ModelFault.REFUSED)
            if not reply.has_begun:
                raise self.fail(ModelFault.WRONG_ADDRESS)
            try:
                return ModelReply(read_reply(reply.text, self._shape), reply.text, self._usage, repairs)
            except ValueError as error:
                fault = _judge(reply)
                mistake = _REPAIR.format(mistake=_CUT if reply.is_cut else error)
                if fault is not ModelFault.ONLY_THINKING:  # else only allow tokens for thinking
                    self._messages += [("ai", reply.text[:REPAIRED_CHARS] or "{}"), ("human", mistake)]
        raise self.fail(fault)

    async def _receive(
        self,
        access: ModelAccess,
        schema: dict[str, Any] | None,
        reply: _Reply,
        reader: ElementReader | None,
    ) -> None:
        """Stream the reply. A call that the provider rejects temporarily is retried."""
        tokens = self._prompt.max_output_tokens + self._llm.thinking_tokens
        call = ModelCall(self._messages, schema, tokens, self._prompt.seconds)
        for tries_left in reversed(range(TRIES)):
            self._under_way = reply
            try:
                stream = await asyncio.to_thread(open_client, access, self._prompt.seconds)
                async with aclosing(stream(call)) as deltas:
                    async for delta in deltas:
                        text = reply.add(delta)
                        if reader and self._listen:
                            for element in reader.feed(text):
                                self._listen(element)
                self._under_way = None
                return
            except OverflowError:
                raise self.fail(ModelFault.TOO_LONG, reply.count_usage(self._messages)) from None
            except (TimeoutError, ShishoError):
                raise
            except Exception as error:
                fault = classify_fault(error)
                fault = _WHILE_STREAMING.get((fault, reply.has_begun), fault)
                wait = retry_after(error)
                unsupported = find_unknown_parts(error) & self._optional_parts
            self._under_way = None
            if fault is ModelFault.REJECTED and unsupported and not reply.has_begun:
                self._usage += ModelUsage(1)
                raise _Unsupported(unsupported)
            wait_s = WAIT_S if wait is None else wait
            is_too_long = asyncio.get_running_loop().time() + wait_s >= self.ends_at
            if fault not in RETRIED or reply.text or not tries_left or is_too_long:
                is_free = fault in NOT_TAKEN and not reply.has_begun
                raise self.fail(fault, ModelUsage(1) if is_free else reply.count_usage(self._messages))
            if self._report_wait and wait_s:
                self._report_wait(wait_s)
            await asyncio.sleep(wait_s)

    def estimate_usage(self) -> ModelUsage:
        """Estimate the usage of a stopped call.

        All input that was sent, and the output received so far.
        """
        return ModelUsage(1) if self._under_way is None else self._under_way.count_usage(self._messages)

    def fail(self, fault: ModelFault, besides: ModelUsage = ModelUsage()) -> ModelFailed:  # noqa: B008
        return ModelFailed(
            "model.reply_unusable",
            model=self._llm.name,
            why=FAULT_REASONS[fault],
            fault=str(fault),
            usage=self._usage + besides,
        )


def _judge(reply: _Reply) -> ModelFault:
    """Return the fault of a reply that does not match the shape."""
    if reply.is_only_thinking:
        return ModelFault.ONLY_THINKING
    if reply.is_cut:
        return ModelFault.TRUNCATED
    return ModelFault.MALFORMED if reply.ending else ModelFault.CUT_OFF
