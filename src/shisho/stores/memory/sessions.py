"""The passages that search sessions have shown, in one process."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import RoundRecord


class MemorySessions:
    """`ports.SessionLog` in a dictionary."""

    def __init__(self) -> None:
        self._rounds: dict[str, list[RoundRecord]] = {}

    async def rounds(self, session_id: str) -> Sequence[RoundRecord]:
        return tuple(self._rounds.get(session_id, ()))

    async def add(self, session_id: str, record: RoundRecord) -> None:
        self._rounds.setdefault(session_id, []).append(record)
