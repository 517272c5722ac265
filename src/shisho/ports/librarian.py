"""Where the librarian's runs are written down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.codec import Payload
    from shisho.domain.conversation import NewTurn
    from shisho.domain.inquiry import Answer, Evidence, Inquiry, RunStep, StepText
    from shisho.domain.loop_state import LoopState


class Ledger(Protocol):
    """The record of a run, node by node, and its result."""

    async def begin(self, inquiry: Inquiry, turn: NewTurn | None = None) -> None:
        """Write down what a run is to answer, and in the same transaction the turn of a conversation that it
        is. A run begun earlier under this id stands as it was. Raises NotFound for an unknown
        conversation."""

    async def find_inquiry(self, run_id: str) -> Inquiry:
        """The facts that the run was begun with. Raises NotFound, or SourceRemoved after a purge of what
        it has read."""

    async def record(
        self,
        run_id: str,
        step: int,
        node: str,
        input_hash: str,
        output: Payload,
        texts: Sequence[StepText] = (),
    ) -> None:
        """Record a step that was taken, in place of one of the same number. A text that its document has at
        that place is stored as a reference. Raises NotFound if the run was removed."""

    async def find_step(self, run_id: str, step: int) -> RunStep | None:
        """Return a step already taken. Raises SourceRemoved if a text that it was shown was purged."""

    async def forget_from(self, run_id: str, step: int) -> None:
        """Drop this step and all after it: their input has changed."""

    async def list_steps(self, run_id: str) -> Sequence[RunStep]:
        """Return all steps of a run, in order. Raises SourceRemoved, as `find_step`."""

    async def save(self, answer: Answer, owner: str) -> None:
        """The answer and its evidence, in one transaction."""

    async def answer(self, prefix: str, owner: str) -> Answer:
        """By id, unique prefix or `last`. Raises InvalidParams for a blank, NotFound."""

    async def find_evidence(self, prefix: str, owner: str) -> Evidence:
        """By id or unique prefix. Raises InvalidParams for a blank, NotFound, or SourceRemoved after a
        purge."""

    async def find_run(self, prefix: str, owner: str) -> str:
        """By id or unique prefix, finished or not; `last` is the newest that is not finished: one without an
        answer, or with one that says STOPPED. Raises InvalidParams for a blank, NotFound."""


class PreparedInquiry(Protocol):
    """A run that the ledger has begun, for whoever takes it through the table of nodes."""

    @property
    def acts(self) -> Mapping[str, Callable[[LoopState], Awaitable[LoopState]]]:
        """The function of each node, by the node's name: from the state to the part of it that
        changes."""

    @property
    def start_state(self) -> LoopState:
        """The state that the run begins with."""

    async def finish(self, state: LoopState) -> Answer:
        """Save the answer of a state that has come to the end of the table."""
