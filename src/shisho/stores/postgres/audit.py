"""The record of who asked, saw and changed what, in PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Sequence

from shisho.domain.audit import AuditEntry, AuditVerb
from shisho.domain.corpus import LOCAL_OWNER
from shisho.ports import Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_all

# One act; of the library's owner only where anybody was ever let in.
RECORD = """INSERT INTO audit(at, actor, verb, subjects)
    SELECT %(at)s, %(actor)s, %(verb)s, %(subjects)s
    WHERE %(actor)s <> %(local)s OR EXISTS (SELECT 1 FROM users)"""
# The newest acts, of one actor or of all, before one.
ENTRIES = """SELECT a.seq, a.at, a.actor, a.verb, a.subjects FROM audit a
    WHERE (%(actor)s::text IS NULL OR a.actor = %(actor)s) AND (%(before)s::bigint IS NULL OR a.seq < %(before)s)
    ORDER BY a.seq DESC LIMIT %(limit)s"""


class PostgresAudit:
    """`ports.AuditLog` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def record(self, actor: str, verb: AuditVerb, subjects: Sequence[str]) -> None:
        values = {
            "at": self._clock.now(),
            "actor": actor,
            "verb": str(verb),
            "subjects": json.dumps([*subjects], ensure_ascii=False),
            "local": LOCAL_OWNER,
        }

        def work(connection: Connection) -> None:
            change(connection, RECORD, values)

        await self._database.write(work)

    async def list_entries(self, actor: str | None, before: int | None, limit: int) -> Sequence[AuditEntry]:
        values = {"actor": actor, "before": before, "limit": limit}
        rows = await self._database.read(lambda connection: fetch_all(connection, ENTRIES, values))
        return [
            AuditEntry(row.seq, row.at, row.actor, AuditVerb(row.verb), tuple(json.loads(row.subjects)))
            for row in rows
        ]
