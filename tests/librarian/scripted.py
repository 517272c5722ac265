"""A language model that replies what a test says, for what has to do with the librarian alone. What has to do
with providers is tested over their wire formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from shisho.domain.model import ModelFault, ModelPrompt, ModelReply, ModelUsage
from shisho.errors import ModelFailed
from shisho.librarian.model_calls import ModelLimits
from shisho.librarian.model_policy import ModelPolicy
from shisho.librarian.model_replies import AnswerReply, BlockReply, SentenceReply

T = TypeVar("T")
Reply = Callable[[ModelPrompt, type], "tuple[Any, ModelUsage]"]
NODES = ("strategy", "plan", "evaluate", "answer", "judge")
LIMITS = ModelLimits(8_192, 60.0)


@dataclass
class ScriptedLlm:
    """`reply` gives the value and what it cost; a ModelFault for a value is raised as one."""

    reply: Reply
    name: str = "test/scripted"
    thinking_tokens: int = 0
    prompts: list[ModelPrompt] = field(default_factory=list)

    async def ask(
        self,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None = None,
        report_wait: Callable[[float], None] | None = None,
    ) -> ModelReply[T]:
        self.prompts.append(prompt)
        value, usage = self.reply(prompt, shape)
        if isinstance(value, ModelFault):
            raise ModelFailed("It failed: {fault}.", fault=str(value), usage=usage)
        return ModelReply(value, repr(value), usage)


def write_paragraph(sentences: Sequence[SentenceReply]) -> AnswerReply:
    """An answer of one paragraph."""
    return AnswerReply((BlockReply(sentences=tuple(sentences)),))


def policy_of(llm: ScriptedLlm, limits: ModelLimits = LIMITS) -> ModelPolicy:
    return ModelPolicy(dict.fromkeys(NODES, llm), limits)
