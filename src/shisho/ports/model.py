"""A language model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from shisho.domain.model import ModelPrompt, ModelReply

T = TypeVar("T")


class BorrowedModel(Protocol):
    """A model that somebody else asks for us."""

    @property
    def name(self) -> str:
        """As an answer names it."""

    async def reply(self, instructions: str, text: str, max_output_tokens: int) -> str:
        """Its words. Raises ModelFailed, which says how."""


class Llm(Protocol):
    """Gives replies of a shape that the caller chooses. Cancelling the call ends the request."""

    @property
    def name(self) -> str:
        """Provider and model, as an answer names them: `ollama/qwen3:8b`."""

    @property
    def thinking_tokens(self) -> int:
        """Tokens that it may think with beside each reply; 0 for one that was not seen to think."""

    async def ask(
        self,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None = None,
        report_wait: Callable[[float], None] | None = None,
    ) -> ModelReply[T]:
        """The reply as a `shape`: a dataclass, from which the model's JSON Schema is made. A reply of another
        shape is asked for again as often as the prompt allows, with what was wrong. `listen` hears each whole
        element of the shape's first field, a tuple, while the first reply arrives. `report_wait` hears the
        seconds of each wait before another try.

        Raises ModelFailed, which says how and what was used; ExtraMissing where the provider's package is not
        installed."""
