"""What search sessions have shown, in SQLite: one transaction a round."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.domain.corpus import DocumentId, RoundRecord, ShownRecord
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database


class EmbeddedSessions:
    """`ports.SessionLog` over one SQLite file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rounds(self, session_id: str) -> Sequence[RoundRecord]:
        def work(connection: apsw.Connection) -> list[RoundRecord]:
            query = "SELECT round, ranked, in_scope, exhausted FROM session_rounds WHERE session_id = ? ORDER BY round"
            heads = rows.every(connection.execute(query, (session_id,)))
            query = """SELECT round, number, passage_id, document_id, match FROM session_passages
                WHERE session_id = ? ORDER BY number"""
            shown = [
                (round_, ShownRecord(number, rows.passage_id(passage), DocumentId(document), match))
                for round_, number, passage, document, match in rows.every(connection.execute(query, (session_id,)))
            ]
            return [
                RoundRecord(round_, ranked, in_scope, bool(exhausted), tuple(one for at, one in shown if at == round_))
                for round_, ranked, in_scope, exhausted in heads
            ]

        return await self._database.read(work)

    async def add(self, session_id: str, record: RoundRecord) -> None:
        head = (session_id, record.round, record.ranked, record.in_scope, int(record.exhausted))
        shown = [
            (session_id, one.number, record.round, rows.passage_number(one.passage_id), one.document_id, one.match)
            for one in record.shown
        ]

        def work(connection: apsw.Connection) -> None:
            connection.execute("INSERT INTO session_rounds VALUES (?, ?, ?, ?, ?)", head)
            connection.executemany("INSERT INTO session_passages VALUES (?, ?, ?, ?, ?, ?)", shown)

        await self._database.write(work)
