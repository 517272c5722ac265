"""The audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.audit import AuditAct, AuditEntry


class AuditLog(Protocol):
    """An append-only log of the actions of users."""

    async def record(self, act: AuditAct) -> None:
        """Append an action.

        Nothing is recorded for a library with a single user: the owner's actions are recorded only after the
        first other user is added.
        """

    async def list_entries(self, actor: str | None, before: int | None, limit: int) -> Sequence[AuditEntry]:
        """Return entries of one actor or of all, newest first.

        `before`: only entries with a lower sequence number.
        """
