"""The record of who asked, saw and changed what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.audit import AuditAct, AuditEntry


class AuditLog(Protocol):
    """Only ever added to."""

    async def record(self, act: AuditAct) -> None:
        """Who uses the library alone leaves no record: of its owner's acts none is kept before somebody was
        let in."""

    async def list_entries(self, actor: str | None, before: int | None, limit: int) -> Sequence[AuditEntry]:
        """The newest first: of one actor or of all, older than the one with this `seq`."""
