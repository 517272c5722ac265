"""The owner's opinions on sources, in PostgreSQL, and the sources that answers exclude."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import WEB_CORPUS, DocumentId, PassageId
from shisho.domain.find import ExcludedSources
from shisho.domain.inquiry import Evidence
from shisho.ports import Clock
from shisho.stores.nouns import passage_id
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_all, fetch_first

# Find live pages of blocked domains. The host is between `://` and the next slash; a dot before it and a
# colon after it restrict suffix matches to whole labels.
BLOCKED = """SELECT d.id AS document_id FROM documents d JOIN opinions o ON o.owner = d.owner AND o.kind = 'domain'
    WHERE d.owner = %(owner)s AND d.state = 'live' AND d.source ILIKE 'http%%://%%' AND
        strpos('.' || lower(split_part(split_part(d.source, '://', 2), '/', 1)) || ':', '.' || o.target || ':') > 0"""
# Find pages that only cancelled jobs fetched. Documents in the owner's other corpora were wanted there.
CANCELLED = """SELECT p.document_id FROM provenance p JOIN jobs j ON j.id = p.job_id
    JOIN documents d ON d.id = p.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE d.owner = %(owner)s AND d.state = 'live' AND c.name = %(corpus)s
    GROUP BY p.document_id HAVING bool_and(j.state = 'cancelled')"""
# Find the passages that rejected evidence quotes.
REJECTED = """SELECT p.id FROM opinions o JOIN passages p ON p.document_id = o.document_id
    WHERE o.owner = %(owner)s AND o.kind = 'evidence' AND p.start < o."end" AND p."end" > o.start"""
# Check whether an owner has blocked any domain: most have not, so no document is scanned.
BLOCKS = "SELECT EXISTS (SELECT 1 FROM opinions WHERE owner = %(owner)s AND kind = 'domain') AS any"

# List the blocked domains of an owner.
DOMAINS = "SELECT target FROM opinions WHERE owner = %s AND kind = 'domain' ORDER BY target"
# Record an opinion, unless it exists.
SAY = """INSERT INTO opinions(owner, kind, target, document_id, start, "end", at) VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT DO NOTHING"""
# Withdraw an opinion.
UNSAY = "DELETE FROM opinions WHERE owner = %s AND kind = %s AND target = %s"


class PostgresOpinions:
    """`ports.Opinions` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def block(self, owner: str, domain: str) -> None:
        await self._say(owner, "domain", domain, None, None, None)

    async def unblock(self, owner: str, domain: str) -> None:
        await self._unsay(owner, "domain", domain)

    async def reject(self, owner: str, evidence: Evidence) -> None:
        span = (evidence.document_id, evidence.start, evidence.end)
        await self._say(owner, "evidence", evidence.id, *span)

    async def restore(self, owner: str, evidence: Evidence) -> None:
        await self._unsay(owner, "evidence", evidence.id)

    async def list_blocked(self, owner: str) -> Sequence[str]:
        rows = await self._database.read(lambda connection: fetch_all(connection, DOMAINS, (owner,)))
        return [row.target for row in rows]

    async def list_left_out(self, owner: str) -> ExcludedSources:
        values = {"owner": owner, "corpus": WEB_CORPUS}

        def work(connection: Connection) -> ExcludedSources:
            blocks = fetch_first(connection, BLOCKS, values)
            documents = fetch_all(connection, BLOCKED, values) if blocks is not None and blocks.any else []
            documents += fetch_all(connection, CANCELLED, values)
            passages = fetch_all(connection, REJECTED, values)
            return ExcludedSources(
                tuple(sorted({DocumentId(row.document_id) for row in documents})),
                tuple(sorted({PassageId(passage_id(row.id)) for row in passages})),
            )

        return await self._database.read(work)

    async def _say(self, *values: str | int | None) -> None:
        dated = (*values, self._clock.now())
        await self._database.write(lambda connection: change(connection, SAY, dated))

    async def _unsay(self, *key: str) -> None:
        await self._database.write(lambda connection: change(connection, UNSAY, key))
