"""The stores of conversations and of assistants' sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.conversation import (
        ConversationRemoved,
        ConversationSummary,
        ConversationTurn,
        NewTurn,
    )
    from shisho.domain.corpus import Citation
    from shisho.domain.session import SessionFacts, StoredEvidence


class ConversationStore(Protocol):
    """Conversations and their turns.

    A turn is a run of the ledger. A conversation has the id of the run that started it.
    """

    async def add_turn(self, turn: NewTurn) -> None:
        """Add a run as the next turn; an existing turn stays unchanged. Raises NotFound."""

    async def find(self, prefix: str, owner: str) -> tuple[str, Sequence[ConversationTurn]]:
        """Return the id of a conversation and its turns, at least one, in one snapshot.

        By id, unique prefix or `last` (the one with the newest turn), or by the id of one of its answers,
        finished or not. Raises InvalidParams for a blank, NotFound.
        """

    async def list_newest(self, owner: str, before: int | None, limit: int) -> Sequence[ConversationSummary]:
        """List the owner's conversations, the one with the newest turn first.

        `before`: only conversations with a lower position.
        """

    async def list_turns(self, conversation_id: str) -> Sequence[ConversationTurn]:
        """Return all turns in order."""

    async def remove(self, conversation_id: str, runs: Sequence[str]) -> ConversationRemoved | None:
        """Erase a conversation with its turns, their runs and their answers; a missing one is not an error.

        Returns None and erases nothing if the conversation has turns of other runs than these.
        """


class SessionStore(Protocol):
    """Sessions and their accepted evidence.

    Quotations are cut from the stored text on each read, never stored.
    """

    async def begin(self, facts: SessionFacts) -> None:
        """Store a new session."""

    async def find_session(self, prefix: str, owner: str) -> SessionFacts:
        """Return a session by id, unique prefix or `last`. Raises InvalidParams for a blank, NotFound."""

    async def accept(
        self, session_id: str, goal_id: str, citation: Citation, score: float, round_: int
    ) -> int:
        """Accept a quotation for a goal and return its permanent number, from 1 in each session.

        The highest of its scores is kept.
        """

    async def list_evidence(self, session_id: str) -> Sequence[StoredEvidence]:
        """Return the accepted evidence by number, without quotations of purged documents."""
