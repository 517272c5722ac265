"""Where the sessions of assistants are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import Citation
    from shisho.domain.session import SessionFacts, StoredEvidence


class SessionBook(Protocol):
    """Sessions and the evidence that stands in them. Quotations are cut from the stored text anew each time,
    never kept."""

    async def begin(self, facts: SessionFacts) -> None:
        """Store a new session."""

    async def find_session(self, prefix: str, owner: str) -> SessionFacts:
        """By id, unique prefix or `last`. Raises InvalidParams for a blank, NotFound."""

    async def accept(
        self, session_id: str, goal_id: str, citation: Citation, score: float, round_: int
    ) -> int:
        """The number of this quotation for this goal, from 1 in each session, now and ever after. Of its
        scores the highest stands."""

    async def list_evidence(self, session_id: str) -> Sequence[StoredEvidence]:
        """The evidence that stands, by number; what quotes a purged document is gone from it."""
