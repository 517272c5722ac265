"""The passages that search sessions have shown, in SQLite: one transaction per round."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.domain.corpus import RoundRecord, ShownRecord
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.round_records import list_shown_values, round_records, write_pending

# List the rounds of a session.
ROUNDS = """SELECT round, ranked, in_scope, exhausted, pending FROM session_rounds
    WHERE session_id = ? ORDER BY round"""
# List the passages that a session has shown.
SHOWN = """SELECT round, number, passage_id, document_id, match FROM session_passages
    WHERE session_id = ? ORDER BY number"""
# Add a round.
ADD_ROUND = """INSERT INTO session_rounds(session_id, round, ranked, in_scope, exhausted, pending)
    VALUES (?, ?, ?, ?, ?, ?)"""
# Update a round after another page was shown.
UPDATE_ROUND = "UPDATE session_rounds SET exhausted = ?, pending = ? WHERE session_id = ? AND round = ?"
# Add a passage that a round has shown.
ADD_SHOWN = """INSERT INTO session_passages(session_id, number, round, passage_id, document_id, match)
    VALUES (?, ?, ?, ?, ?, ?)"""


class EmbeddedSessions:
    """`ports.SessionLog` over one SQLite file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_rounds(self, session_id: str) -> Sequence[RoundRecord]:
        def work(connection: apsw.Connection) -> list[RoundRecord]:
            shown = rows.fetch_all(connection.execute(SHOWN, (session_id,)))
            return round_records(rows.fetch_all(connection.execute(ROUNDS, (session_id,))), shown)

        return await self._database.read(work)

    async def add(self, session_id: str, record: RoundRecord) -> None:
        facts = (session_id, record.round, record.ranked, record.in_scope)
        await self._write(
            session_id,
            record,
            record.shown,
            ADD_ROUND,
            (*facts, int(record.exhausted), write_pending(record)),
        )

    async def update(self, session_id: str, record: RoundRecord, page: Sequence[ShownRecord]) -> None:
        values = (int(record.exhausted), write_pending(record), session_id, record.round)
        await self._write(session_id, record, page, UPDATE_ROUND, values)

    async def _write(
        self,
        session_id: str,
        record: RoundRecord,
        page: Sequence[ShownRecord],
        statement: str,
        values: tuple[str | int, ...],
    ) -> None:
        shown_rows = [list_shown_values(session_id, record.round, passage) for passage in page]

        def work(connection: apsw.Connection) -> None:
            connection.execute(statement, values)
            connection.executemany(ADD_SHOWN, shown_rows)

        await self._database.write(work)
