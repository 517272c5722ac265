"""The owner's opinions on sources, in SQLite, and the sources that answers exclude."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.domain.corpus import WEB_CORPUS, DocumentId, PassageId
from shisho.domain.find import ExcludedSources
from shisho.domain.inquiry import Evidence
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all
from shisho.stores.nouns import passage_id

# Find live pages of blocked domains. The host is between `://` and the next slash; a dot before it and a
# colon after it restrict suffix matches to whole labels. Opinions are the outer loop (CROSS JOIN keeps the
# order): usually there are none, and a scan of all documents would be in vain.
BLOCKED = """SELECT d.id AS document_id FROM opinions o CROSS JOIN documents d ON o.owner = d.owner
    WHERE o.owner = :owner AND o.kind = 'domain' AND d.state = 'live' AND d.source LIKE 'http%://%' AND
        '.' || lower(substr(substr(d.source, instr(d.source, '://') + 3), 1,
            instr(substr(d.source, instr(d.source, '://') + 3) || '/', '/') - 1)) || ':' LIKE '%.' || o.target || ':%'"""
# Find pages that only cancelled jobs fetched. Documents in the owner's other corpora were wanted there.
CANCELLED = """SELECT p.document_id FROM provenance p JOIN jobs j ON j.id = p.job_id
    JOIN documents d ON d.id = p.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE d.owner = :owner AND d.state = 'live' AND c.name = :corpus
    GROUP BY p.document_id HAVING min(j.state = 'cancelled') = 1"""
# Find the passages that rejected evidence quotes.
REJECTED = """SELECT p.id FROM opinions o JOIN passages p ON p.document_id = o.document_id
    WHERE o.owner = :owner AND o.kind = 'evidence' AND p.start < o."end" AND p."end" > o.start"""

# List the blocked domains of an owner.
DOMAINS = "SELECT target FROM opinions WHERE owner = ? AND kind = 'domain' ORDER BY target"
# Record an opinion, unless it exists.
SAY = """INSERT INTO opinions(owner, kind, target, document_id, start, "end", at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
# Withdraw an opinion.
UNSAY = "DELETE FROM opinions WHERE owner = ? AND kind = ? AND target = ?"


class EmbeddedOpinions:
    """`ports.Opinions` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def block(self, owner: str, domain: str) -> None:
        await self._say((owner, "domain", domain, None, None, None, self._clock.now()))

    async def unblock(self, owner: str, domain: str) -> None:
        await self._unsay((owner, "domain", domain))

    async def reject(self, owner: str, evidence: Evidence) -> None:
        row = (
            owner,
            "evidence",
            evidence.id,
            evidence.document_id,
            evidence.start,
            evidence.end,
            self._clock.now(),
        )
        await self._say(row)

    async def restore(self, owner: str, evidence: Evidence) -> None:
        await self._unsay((owner, "evidence", evidence.id))

    async def list_blocked(self, owner: str) -> Sequence[str]:
        rows = await self._database.read(lambda connection: fetch_all(connection.execute(DOMAINS, (owner,))))
        return [row.target for row in rows]

    async def list_left_out(self, owner: str) -> ExcludedSources:
        def work(connection: apsw.Connection) -> ExcludedSources:
            values = {"owner": owner}
            documents = fetch_all(connection.execute(BLOCKED, values))
            documents += fetch_all(connection.execute(CANCELLED, values | {"corpus": WEB_CORPUS}))
            passages = fetch_all(connection.execute(REJECTED, values))
            return ExcludedSources(
                tuple(sorted({DocumentId(row.document_id) for row in documents})),
                tuple(sorted({PassageId(passage_id(row.id)) for row in passages})),
            )

        return await self._database.read(work)

    async def _say(self, row: tuple[str | int | None, ...]) -> None:
        await self._database.write(lambda connection: connection.execute(SAY, row) and None)

    async def _unsay(self, key: tuple[str, str, str]) -> None:
        await self._database.write(lambda connection: connection.execute(UNSAY, key) and None)
