"""A language model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from shisho.domain.model import ModelPrompt, ModelReply

T = TypeVar("T")


class BorrowedModel(Protocol):
    """A model that belongs to the caller, such as the one of an MCP client."""

    @property
    def name(self) -> str:
        """Return the model's name as shown in answers."""

    async def reply(self, instructions: str, text: str, max_output_tokens: int) -> str:
        """Return the model's text. Raises ModelFailed with the reason."""


class Llm(Protocol):
    """A language model with structured output. Cancelling a call ends the request."""

    @property
    def name(self) -> str:
        """Return provider and model as shown in answers: `ollama/qwen3:8b`."""

    @property
    def thinking_tokens(self) -> int:
        """Return the tokens that the model may use for thinking in each reply.

        0 if it was never seen to think.
        """

    async def ask(
        self,
        prompt: ModelPrompt,
        shape: type[T],
        listen: Callable[[Any], None] | None = None,
        report_wait: Callable[[float], None] | None = None,
    ) -> ModelReply[T]:
        """Return the reply as a `shape`: a dataclass, from which the model's JSON Schema is generated.

        An invalid reply is requested again, with the error, as often as the prompt allows. `listen` receives
        each complete element of the shape's first field, a tuple, while the first reply arrives.
        `report_wait` receives the seconds of each wait before a retry.

        Raises: ModelFailed with the reason and the usage; ExtraMissing if the provider's package is not
        installed.
        """
