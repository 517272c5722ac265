"""The port of the owner's opinions on sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.find import ExcludedSources
    from shisho.domain.inquiry import Evidence


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
