"""The audit log in a database: who asked, saw and changed what."""

from __future__ import annotations

import json
from collections.abc import Sequence

from shisho.domain.corpus import LOCAL_OWNER
from shisho.domain.team import AuditAct, AuditEntry, AuditOutcome, AuditVerb
from shisho.domain.time import Instant
from shisho.ports import Clock
from shisho.stores.sql import Queries, QueryStore

# Check whether the library was ever shared with a user.
IS_SHARED = "SELECT 1 FROM users LIMIT 1"
# Record an act; acts of the library's owner are recorded only if the library was ever shared.
RECORD = """INSERT INTO audit(at, actor, verb, subjects, outcome, code)
    SELECT :at, :actor, :verb, :subjects, :outcome, :code
    WHERE :actor <> :local OR EXISTS (SELECT 1 FROM users)"""
# List the newest acts, of one actor or of all, before a given one.
ENTRIES = """SELECT a.seq, a.at, a.actor, a.verb, a.subjects, a.outcome, a.code FROM audit a
    WHERE (CAST(:actor AS text) IS NULL OR a.actor = :actor) AND (CAST(:before AS bigint) IS NULL OR a.seq < :before)
    ORDER BY a.seq DESC LIMIT :limit"""


class StoredAudit:
    """`ports.AuditLog` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def record(self, act: AuditAct) -> None:
        if act.actor != LOCAL_OWNER or await self._store.read(_is_shared):
            await self._store.write(lambda queries: record_act(queries, act, self._clock.now()))

    async def list_entries(self, actor: str | None, before: int | None, limit: int) -> Sequence[AuditEntry]:
        values = {"actor": actor, "before": before, "limit": limit}
        rows = await self._store.read(lambda queries: queries.fetch(ENTRIES, values))
        return [
            AuditEntry(
                seq=row.seq,
                at=row.at,
                actor=row.actor,
                verb=AuditVerb(row.verb),
                subjects=tuple(json.loads(row.subjects)),
                outcome=AuditOutcome(row.outcome),
                code=row.code,
            )
            for row in rows
        ]


def _is_shared(queries: Queries) -> bool:
    return bool(queries.fetch(IS_SHARED, {}))


def record_act(queries: Queries, act: AuditAct, now: Instant) -> None:
    """Record an act in the caller's transaction, which is that of the act if it is accepted."""
    values = {
        "at": now,
        "actor": act.actor,
        "verb": str(act.verb),
        "subjects": json.dumps([*act.subjects], ensure_ascii=False),
        "outcome": str(act.outcome),
        "code": act.code,
        "local": LOCAL_OWNER,
    }
    queries.fetch(RECORD, values)
