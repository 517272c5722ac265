"""The port `Llm` over recorded replies: nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from shisho.domain.model import FAULT_REASONS, ModelFault, ModelPrompt, ModelReply, ModelUsage, ModelUse
from shisho.errors import ModelFailed
from shisho.inference.reply_schema import ElementReader, read_reply

T = TypeVar("T")
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
