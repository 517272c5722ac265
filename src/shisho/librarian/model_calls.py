"""Call models: reserve the cost of a call, limit its input to the context, and report each use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from shisho.domain.model import (
    FATAL_FAULTS,
    MAX_THINKING_TOKENS,
    ModelFault,
    ModelPrompt,
    ModelUsage,
    ModelUse,
)
from shisho.errors import ModelFailed
from shisho.language import estimate_tokens
from shisho.librarian.allowance import ModelAllowance, TokenMeter, UnmeteredTokens
from shisho.librarian.model_relatedness import Relatedness
from shisho.librarian.prompting import PromptFile, load_prompt
from shisho.ports import Llm
from shisho.records import dataclass
from shisho.telemetry import count

T = TypeVar("T")

SCHEMA_TOKENS = 600  # at most: providers put the schema into the prompt
MESSAGE_TOKENS = 100  # overhead that providers add to a message
MIN_PASSAGES = 200  # tokens
TOKEN_BYTES = 4  # of one unit of `estimate_tokens`, in UTF-8


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """The limits of one call: `context` in tokens of input and output together, `seconds`."""

    context: int
    seconds: float


class ModelCalls:
    """The models of the nodes, by the node's name, and the limits of one call.

    `meter` counts their cost. `relatedness`: how their goals and words are compared with the question.
    """

    def __init__(
        self,
        llms: Mapping[str, Llm],
        limits: ModelLimits,
        meter: TokenMeter | None = None,
        relatedness: Relatedness | None = None,
    ) -> None:
        self.relatedness = relatedness or Relatedness()
        self._llms = llms
        self._limits = limits
        self._meter = meter or UnmeteredTokens()
        self._failed: dict[str, ModelFault] = {}

    def with_meter(self, meter: TokenMeter) -> ModelCalls:
        """Return the same models for one question, with this meter and no recorded failures."""
        return ModelCalls(self._llms, self._limits, meter, self.relatedness)

    @property
    def context(self) -> int:
        """Return the context of the model in tokens, input and output together."""
        return self._limits.context

    def __contains__(self, node: str) -> bool:
        return node in self._llms

    def measure_room(self, prompt: PromptFile, values: Mapping[str, str]) -> int:
        """Return the context left after the prompt, in tokens.

        Longer input is rejected or silently truncated by servers.
        """
        fixed = (
            estimate_tokens(prompt.instructions)
            + estimate_tokens(prompt.text)
            + sum(map(estimate_tokens, values.values()))
        )
        thinking = max((llm.thinking_tokens for llm in self._llms.values()), default=0)
        besides = fixed + prompt.max_output_tokens + thinking + SCHEMA_TOKENS + MESSAGE_TOKENS
        return max(0, self._limits.context - besides)

    def measure_affordable(
        self, prompt: PromptFile, values: Mapping[str, str], allowance: ModelAllowance
    ) -> int:
        """Return the tokens besides these values that one call without a repair can afford."""
        once = _bound_cost(prompt, prompt.instructions + prompt.text + "".join(values.values()))
        return max(0, allowance.tokens_left - once) // TOKEN_BYTES

    async def ask(
        self,
        node: str,
        shape: type[T],
        allowance: ModelAllowance,
        values: Mapping[str, str],
        listen: Callable[[Any], None] | None = None,
        prompt: PromptFile | None = None,
        may_repair: bool = True,
    ) -> tuple[T | None, tuple[ModelUse, ...]]:
        """Return the model's reply, or None, and its use, unless the node has no model.

        `prompt`: the node's, with another limit of the reply. `may_repair`: an invalid reply is requested
        again.
        """
        llm = self._llms.get(node)
        if llm is None:
            return None, ()
        failed = self._failed.get(llm.name)
        prompt = prompt or load_prompt(node)
        instructions, text = prompt.render(**values)
        use = ModelUse(node, llm.name, prompt.sha256, ModelUsage())
        if failed is not None:
            return None, (replace(use, fault=failed),)
        once = _bound_cost(prompt, instructions + text) + llm.thinking_tokens
        # The repair also sends the invalid reply, or leaves room for thinking.
        twice = 2 * once + prompt.max_output_tokens + 2 * MESSAGE_TOKENS + MAX_THINKING_TOKENS
        repairs = 1
        reservation = allowance.reserve(2, twice) if may_repair else None
        if reservation is None:
            repairs = 0
            reservation = allowance.reserve(1, once)
        if reservation is None:
            return None, (replace(use, fault=ModelFault.BUDGET),)
        charge = await self._meter.take(reservation.tokens)
        if charge is None:
            allowance.settle(reservation, ModelUsage())
            return None, (replace(use, fault=ModelFault.QUOTA),)
        seconds = min(self._limits.seconds, allowance.seconds_left)
        sent = ModelPrompt(instructions, text, prompt.sha256, prompt.max_output_tokens, seconds, repairs)
        fault = ""
        usage = ModelUsage(1 + repairs, twice)  # the cost of a cancelled call is unknown
        try:
            reply = await llm.ask(sent, shape, listen, allowance.report_wait)
            usage = reply.usage
        except ModelFailed as error:
            usage = error.usage or ModelUsage(1)
            fault = error.fault
            if ModelFault(fault) in FATAL_FAULTS:
                self._failed[llm.name] = ModelFault(fault)
            return None, (replace(use, usage=usage, fault=ModelFault(fault)),)
        finally:
            allowance.settle(reservation, usage)
            await self._meter.release_unused(charge, reservation.tokens - usage.tokens)
            count("model_calls", max(1, usage.calls), node=node, fault=fault)
            count("model_tokens", usage.input_tokens, direction="read")
            count("model_tokens", usage.output_tokens, direction="written")
        return reply.value, (replace(use, usage=usage, reply=reply.text, repairs=reply.repairs),)


def _bound_cost(prompt: PromptFile, text: str) -> int:
    """Return the maximum cost of a call with this text: a token is at least one byte of UTF-8."""
    return len(text.encode("utf-8", "replace")) + SCHEMA_TOKENS + MESSAGE_TOKENS + prompt.max_output_tokens


def mark_unusable(uses: tuple[ModelUse, ...], reply: object) -> tuple[ModelUse, ...]:
    """Mark the uses of a reply that had the right shape but was unusable."""
    if reply is None:
        return uses
    return tuple(replace(use, fault=ModelFault.UNUSABLE) for use in uses)
