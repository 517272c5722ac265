"""The passages that search sessions have shown, in PostgreSQL: one transaction per round."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import RoundRecord, ShownRecord
from shisho.stores.postgres import rows
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.round_records import list_shown_values, round_records, write_pending

# List the rounds of a session.
ROUNDS = """SELECT round, ranked, in_scope, exhausted, pending FROM session_rounds
    WHERE session_id = %s ORDER BY round"""
# List the passages that a session has shown.
SHOWN = """SELECT round, number, passage_id, document_id, match FROM session_passages
    WHERE session_id = %s ORDER BY number"""
# Add a round.
ADD_ROUND = """INSERT INTO session_rounds(session_id, round, ranked, in_scope, exhausted, pending)
    VALUES (%s, %s, %s, %s, %s, %s)"""
# Update a round after another page was shown.
UPDATE_ROUND = "UPDATE session_rounds SET exhausted = %s, pending = %s WHERE session_id = %s AND round = %s"
# Add the passages that a round has shown.
ADD_SHOWN = "COPY session_passages(session_id, number, round, passage_id, document_id, match) FROM STDIN"


class PostgresSessions:
    """`ports.SessionLog` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def list_rounds(self, session_id: str) -> Sequence[RoundRecord]:
        def work(connection: Connection) -> list[RoundRecord]:
            passage_rows = rows.fetch_all(connection, SHOWN, (session_id,))
            return round_records(rows.fetch_all(connection, ROUNDS, (session_id,)), passage_rows)

        return await self._database.read(work)

    async def add(self, session_id: str, record: RoundRecord) -> None:
        facts = (session_id, record.round, record.ranked, record.in_scope)
        await self._write(
            session_id, record, record.shown, ADD_ROUND, (*facts, record.exhausted, write_pending(record))
        )

    async def update(self, session_id: str, record: RoundRecord, page: Sequence[ShownRecord]) -> None:
        values = (record.exhausted, write_pending(record), session_id, record.round)
        await self._write(session_id, record, page, UPDATE_ROUND, values)

    async def _write(
        self,
        session_id: str,
        record: RoundRecord,
        page: Sequence[ShownRecord],
        statement: str,
        values: tuple[str | int, ...],
    ) -> None:
        passage_rows = [list_shown_values(session_id, record.round, passage) for passage in page]

        def work(connection: Connection) -> None:
            rows.change(connection, statement, values)
            rows.copy(connection, ADD_SHOWN, passage_rows)

        await self._database.write(work)
