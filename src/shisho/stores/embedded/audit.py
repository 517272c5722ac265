"""The record of who asked, saw and changed what, in SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from shisho.domain.audit import AuditEntry, AuditVerb
from shisho.domain.corpus import LOCAL_OWNER
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all

# Whether anybody was ever let in.
IS_SHARED = "SELECT EXISTS (SELECT 1 FROM users)"
# One act.
RECORD = "INSERT INTO audit(at, actor, verb, subjects) VALUES (?, ?, ?, ?)"
# The newest acts, of one actor or of all, before one.
ENTRIES = """SELECT a.seq, a.at, a.actor, a.verb, a.subjects FROM audit a
    WHERE (?1 IS NULL OR a.actor = ?1) AND (?2 IS NULL OR a.seq < ?2) ORDER BY a.seq DESC LIMIT ?3"""


class EmbeddedAudit:
    """`ports.AuditLog` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def record(self, actor: str, verb: AuditVerb, subjects: Sequence[str]) -> None:
        if actor == LOCAL_OWNER and not await self._database.read(_is_shared):
            return
        values = (self._clock.now(), actor, verb, json.dumps([*subjects], ensure_ascii=False))
        await self._database.write(lambda connection: connection.execute(RECORD, values) and None)

    async def list_entries(self, actor: str | None, before: int | None, limit: int) -> Sequence[AuditEntry]:
        rows = await self._database.read(
            lambda connection: fetch_all(connection.execute(ENTRIES, (actor, before, limit)))
        )
        return [
            AuditEntry(row.seq, row.at, row.actor, AuditVerb(row.verb), tuple(json.loads(row.subjects)))
            for row in rows
        ]


def _is_shared(connection: apsw.Connection) -> bool:
    return bool(connection.execute(IS_SHARED).get)
