"""The librarian's ledger, its language model, and the owner's opinions on sources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from shisho.domain.codec import Payload
    from shisho.domain.conversation import NewTurn
    from shisho.domain.discovered_url import ExcludedSources
    from shisho.domain.inquiry import Answer, Evidence, Inquiry, RunStep, StepText
    from shisho.domain.loop_state import LoopState
    from shisho.domain.model import ModelPrompt, ModelReply
    from shisho.domain.time import Instant


class Ledger(Protocol):
    """The record of a run, step by step, and its result."""

    async def begin(self, inquiry: Inquiry, turn: NewTurn | None = None) -> None:
        """Record the inquiry of a run and, in the same transaction, its turn of a conversation.

        A run that was begun earlier under this id stays unchanged. Raises NotFound for an unknown
        conversation.
        """

    async def find_inquiry(self, run_id: str) -> Inquiry:
        """Return the inquiry of a run.

        Raises NotFound, or SourceRemoved if a source that it read was purged.
        """

    async def record(
        self,
        run_id: str,
        step: int,
        node: str,
        input_hash: str,
        output: Payload,
        texts: Sequence[StepText] = (),
    ) -> None:
        """Record a step, replacing one of the same number.

        A text that its document has at that offset is stored as a reference. Raises NotFound if the run was
        removed.
        """

    async def find_step(self, run_id: str, step: int) -> RunStep | None:
        """Return a completed step. Raises SourceRemoved if a text in its input was purged."""

    async def forget_from(self, run_id: str, step: int) -> None:
        """Delete this step and all later ones: their input has changed."""

    async def list_steps(self, run_id: str) -> Sequence[RunStep]:
        """Return all steps of a run, in order. Raises SourceRemoved, as `find_step`."""

    async def expire_steps(self, before: Instant) -> int:
        """Drop the steps of finished runs that began before this moment, and return their number.

        The answers stay, but can no longer be replayed.
        """

    async def save(self, answer: Answer, owner: str) -> None:
        """Save the answer and its evidence in one transaction."""

    async def answer(self, prefix: str, owner: str) -> Answer:
        """Return an answer by id, unique prefix or `last`. Raises InvalidParams for a blank, NotFound."""

    async def find_evidence(self, prefix: str, owner: str) -> Evidence:
        """Return evidence by id or unique prefix.

        Raises: InvalidParams for a blank, NotFound, or SourceRemoved after a purge.
        """

    async def find_run(self, prefix: str, owner: str) -> str:
        """Return the id of a run, finished or not, by id or unique prefix.

        `last` is the newest unfinished run: one without an answer, or with an answer marked STOPPED. Raises
        InvalidParams for a blank, NotFound.
        """


class PreparedInquiry(Protocol):
    """A run that the ledger has begun, ready for the executor of its table of nodes."""

    @property
    def acts(self) -> Mapping[str, Callable[[LoopState], Awaitable[LoopState]]]:
        """Map each node's name to its function, from the state to the part of it that changes."""

    @property
    def start_state(self) -> LoopState:
        """Return the initial state of the run."""

    async def finish(self, state: LoopState) -> Answer:
        """Save the answer of a final state."""


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


class Opinions(Protocol):
    """The owner's opinions on sources, and the sources that answers therefore exclude.

    All methods are idempotent.
    """

    async def block(self, owner: str, domain: str) -> None:
        """Exclude pages of this domain and its subdomains from answers."""

    async def unblock(self, owner: str, domain: str) -> None:
        """Undo `block`."""

    async def reject(self, owner: str, evidence: Evidence) -> None:
        """Exclude the passages that this evidence quotes from answers."""

    async def restore(self, owner: str, evidence: Evidence) -> None:
        """Undo `reject`."""

    async def list_blocked(self, owner: str) -> Sequence[str]:
        """Return the blocked domains, in order."""

    async def list_left_out(self, owner: str) -> ExcludedSources:
        """Return the sources that answers exclude now, each kind in order."""
