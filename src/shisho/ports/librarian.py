"""The ledger of the librarian's runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.codec import Payload
    from shisho.domain.conversation import NewTurn
    from shisho.domain.inquiry import Answer, Evidence, Inquiry, RunStep, StepText
    from shisho.domain.loop_state import LoopState
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
        """Drop the steps of finished runs that were begun before this moment. Their answers stay, and can no
        longer be replayed. Returns how many steps were dropped."""

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
