"""The owner's opinions on sources, and the sources that answers exclude."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import WEB_CORPUS, DocumentId, PassageId
from shisho.domain.discovered_url import ExcludedSources
from shisho.domain.inquiry import Evidence
from shisho.ports import Clock
from shisho.stores.nouns import passage_id
from shisho.stores.sql import Queries, QueryStore

# Find live pages of blocked domains. The host is between `://` and the next slash; a dot before it and a
# colon after it restrict suffix matches to whole labels. Opinions are the outer loop (SQLite keeps the order
# of a CROSS JOIN): usually they are few.
BLOCKED = """SELECT d.id AS document_id FROM opinions o CROSS JOIN documents d
    WHERE o.owner = :owner AND o.kind = 'domain' AND d.owner = :owner AND d.state = 'live' AND d.source LIKE 'http%://%' AND
        instr('.' || lower(substr(substr(d.source, instr(d.source, '://') + 3), 1,
            instr(substr(d.source, instr(d.source, '://') + 3) || '/', '/') - 1)) || ':', '.' || o.target || ':') > 0"""
# Find pages that only cancelled jobs fetched. Documents in the owner's other corpora were wanted there.
CANCELLED = """SELECT p.document_id FROM provenance p JOIN jobs j ON j.id = p.job_id
    JOIN documents d ON d.id = p.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE d.owner = :owner AND d.state = 'live' AND c.name = :corpus
    GROUP BY p.document_id HAVING count(*) FILTER (WHERE j.state <> 'cancelled') = 0"""
# Find the passages that rejected evidence quotes.
REJECTED = """SELECT p.id FROM opinions o JOIN passages p ON p.document_id = o.document_id
    WHERE o.owner = :owner AND o.kind = 'evidence' AND p.start < o."end" AND p."end" > o.start"""
# List the blocked domains of an owner.
DOMAINS = "SELECT target FROM opinions WHERE owner = :owner AND kind = 'domain' ORDER BY target"
# Record an opinion, unless it exists.
INSERT_OPINION = """INSERT INTO opinions(owner, kind, target, document_id, start, "end", at)
    VALUES (:owner, :kind, :target, :document_id, :start, :end, :now) ON CONFLICT DO NOTHING"""
# Withdraw an opinion.
DELETE_OPINION = "DELETE FROM opinions WHERE owner = :owner AND kind = :kind AND target = :target"


class StoredOpinions:
    """`ports.Opinions` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def block(self, owner: str, domain: str) -> None:
        await self._store_opinion(owner, "domain", domain)

    async def unblock(self, owner: str, domain: str) -> None:
        await self._remove(owner, "domain", domain)

    async def reject(self, owner: str, evidence: Evidence) -> None:
        span = (evidence.document_id, evidence.start, evidence.end)
        await self._store_opinion(owner, "evidence", evidence.id, *span)

    async def restore(self, owner: str, evidence: Evidence) -> None:
        await self._remove(owner, "evidence", evidence.id)

    async def list_blocked(self, owner: str) -> Sequence[str]:
        rows = await self._store.read(lambda queries: queries.fetch(DOMAINS, {"owner": owner}))
        return [row.target for row in rows]

    async def list_left_out(self, owner: str) -> ExcludedSources:
        values = {"owner": owner, "corpus": WEB_CORPUS}

        def read(queries: Queries) -> ExcludedSources:
            # Most owners block no domain, so that no document is scanned.
            documents = queries.fetch(BLOCKED, values) if queries.fetch(DOMAINS, values) else []
            documents += queries.fetch(CANCELLED, values)
            passages = queries.fetch(REJECTED, values)
            return ExcludedSources(
                tuple(sorted({DocumentId(row.document_id) for row in documents})),
                tuple(sorted({PassageId(passage_id(row.id)) for row in passages})),
            )

        return await self._store.read(read)

    async def _store_opinion(
        self,
        owner: str,
        kind: str,
        target: str,
        document_id: DocumentId | None = None,
        start: int | None = None,
        end: int | None = None,
    ) -> None:
        values = {"owner": owner, "kind": kind, "target": target, "now": self._clock.now()}
        span = {"document_id": document_id, "start": start, "end": end}
        await self._store.write(lambda queries: queries.change(INSERT_OPINION, values | span))

    async def _remove(self, owner: str, kind: str, target: str) -> None:
        values = {"owner": owner, "kind": kind, "target": target}
        await self._store.write(lambda queries: queries.change(DELETE_OPINION, values))
