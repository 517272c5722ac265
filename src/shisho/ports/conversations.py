"""Where it is written down which question followed which."""

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


class Conversations(Protocol):
    """Conversations and their turns. A turn is a run of the ledger; the conversation that it begins bears the
    run's id."""

    async def add_turn(self, turn: NewTurn) -> None:
        """Add a run as the next turn. A run that is a turn already stays what it is. Raises NotFound."""

    async def find(self, prefix: str, owner: str) -> tuple[str, Sequence[ConversationTurn]]:
        """Return the id of a conversation and its turns, at least one, as of one moment: by id, unique prefix
        or `last` (the one with the newest turn), or by the id of one of its answers, finished or not. Raises
        InvalidParams for a blank, NotFound."""

    async def list_newest(self, owner: str, before: int | None, limit: int) -> Sequence[ConversationSummary]:
        """The owner's conversations, the one with the newest turn first; `before`: only those of a lower
        place."""

    async def list_turns(self, conversation_id: str) -> Sequence[ConversationTurn]:
        """All turns in their order."""

    async def remove(self, conversation_id: str, runs: Sequence[str]) -> ConversationRemoved | None:
        """Erase a conversation with its turns, their runs and their answers; one that is gone is gone. None,
        and nothing erased, if it has turns of other runs than these."""
