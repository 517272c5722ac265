"""The passages that search sessions have shown, in one process."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import DocumentId, RoundRecord


class MemorySessions:
    """`ports.SessionLog` in a dictionary."""

    def __init__(self) -> None:
        self._rounds: dict[str, list[RoundRecord]] = {}

    async def list_rounds(self, session_id: str) -> Sequence[RoundRecord]:
        return tuple(self._rounds.get(session_id, ()))

    async def add(self, session_id: str, record: RoundRecord) -> None:
        self._rounds.setdefault(session_id, []).append(record)

    def forget(self, session_id: str) -> None:
        """Erase what a session was shown."""
        self._rounds.pop(session_id, None)

    def sessions_shown(self, document_id: DocumentId) -> list[str]:
        """The sessions that were shown something of a document."""
        return [
            session_id
            for session_id, rounds in self._rounds.items()
            if any(_shows(record, document_id) for record in rounds)
        ]


def _shows(record: RoundRecord, document_id: DocumentId) -> bool:
    return any(shown.document_id == document_id for shown in record.shown)
