"""The store of assistants' sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import Citation
    from shisho.domain.session import SessionFacts, StoredEvidence


class SessionBook(Protocol):
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
