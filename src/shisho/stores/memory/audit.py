"""The record of who asked, saw and changed what, in one process."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.audit import AuditEntry, AuditVerb
from shisho.domain.corpus import LOCAL_OWNER
from shisho.domain.time import from_epoch
from shisho.stores.memory.users import MemoryUsers


class MemoryAudit:
    """`ports.AuditLog` in a list."""

    def __init__(self, users: MemoryUsers) -> None:
        self._users = users
        self._entries: list[AuditEntry] = []

    async def record(self, actor: str, verb: AuditVerb, subjects: Sequence[str]) -> None:
        if actor == LOCAL_OWNER and not await self._users.list_users():
            return
        seq = len(self._entries) + 1
        self._entries.append(AuditEntry(seq, from_epoch(seq), actor, verb, tuple(subjects)))

    async def list_entries(self, actor: str | None, before: int | None, limit: int) -> Sequence[AuditEntry]:
        chosen = [
            entry
            for entry in reversed(self._entries)
            if actor in (None, entry.actor) and (before is None or entry.seq < before)
        ]
        return chosen[:limit]
