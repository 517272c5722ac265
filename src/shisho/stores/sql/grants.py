"""Grants: who may read or write which corpus.

The view `readable_corpora` lists the corpora that a reader may search; every statement about scopes uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import DocumentId
from shisho.domain.team import Access, CorpusGrant, CorpusKey, Grantee, GranteeKind, ReachableCorpus
from shisho.errors import NotFound
from shisho.ports import Clock
from shisho.stores.nouns import Row
from shisho.stores.sql import QueryStore

# Grant access to an existing corpus, replacing an earlier grant.
GRANT = """INSERT INTO grants(corpus_id, kind, grantee, access, granted_at)
    SELECT c.id, :kind, :grantee, :access, :now FROM corpora c WHERE c.owner = :owner AND c.name = :name
    ON CONFLICT (corpus_id, kind, grantee) DO UPDATE SET access = excluded.access, granted_at = excluded.granted_at"""
# Revoke a grant.
REVOKE = """DELETE FROM grants WHERE kind = :kind AND grantee = :grantee
    AND corpus_id = (SELECT c.id FROM corpora c WHERE c.owner = :owner AND c.name = :name)"""
# List all grants, or those of an owner's corpora.
GRANTS = """SELECT c.owner, c.name, g.kind, g.grantee, g.access, g.granted_at FROM grants g
    JOIN corpora c ON c.id = g.corpus_id WHERE CAST(:owner AS text) IS NULL OR c.owner = :owner
    ORDER BY c.owner /*pg COLLATE "C" */, c.name /*pg COLLATE "C" */, g.kind, g.grantee"""
# List the corpora that a reader may search. If access is granted in several ways, the strongest counts
# (alphabetically, write > read > own); a reader's own corpora appear once.
REACHABLE = """SELECT c.owner, c.name, max(r.access /*pg COLLATE "C" */) AS access
    FROM readable_corpora r JOIN corpora c ON c.id = r.corpus_id WHERE r.reader = :reader
    GROUP BY c.id, c.owner, c.name ORDER BY c.owner /*pg COLLATE "C" */, c.name /*pg COLLATE "C" */"""
# Select the documents that a reader may open.
READABLE = """SELECT d.id FROM documents d WHERE d.id IN (SELECT value FROM json_each(:ids))
    AND d.corpus_id IN (SELECT r.corpus_id FROM readable_corpora r WHERE r.reader = :reader)"""


class StoredGrants:
    """`ports.Grants` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def grant(self, corpus: CorpusKey, grantee: Grantee, access: Access) -> CorpusGrant:
        now = self._clock.now()
        values = _bind_key(corpus, grantee) | {"access": str(access), "now": now}
        if not await self._store.write(lambda queries: queries.change(GRANT, values)):
            raise NotFound("grant.unknown_corpus", corpus=corpus.name)
        return CorpusGrant(corpus, grantee, access, now)

    async def revoke(self, corpus: CorpusKey, grantee: Grantee) -> bool:
        values = _bind_key(corpus, grantee)
        return await self._store.write(lambda queries: queries.change(REVOKE, values)) > 0

    async def list_grants(self, owner: str | None = None) -> Sequence[CorpusGrant]:
        rows = await self._store.read(lambda queries: queries.fetch(GRANTS, {"owner": owner}))
        return [_grant(row) for row in rows]

    async def list_reachable(self, reader: str) -> Sequence[ReachableCorpus]:
        rows = await self._store.read(lambda queries: queries.fetch(REACHABLE, {"reader": reader}))
        return [ReachableCorpus(CorpusKey(row.owner, row.name), Access(row.access)) for row in rows]

    async def select_readable(self, ids: Sequence[DocumentId], reader: str) -> frozenset[DocumentId]:
        values = {"ids": [*ids], "reader": reader}
        rows = await self._store.read(lambda queries: queries.fetch(READABLE, values))
        return frozenset(DocumentId(row.id) for row in rows)


def _bind_key(corpus: CorpusKey, grantee: Grantee) -> dict[str, str]:
    return {
        "owner": corpus.owner,
        "name": corpus.name,
        "kind": str(grantee.kind),
        "grantee": grantee.name,
    }


def _grant(row: Row) -> CorpusGrant:
    """Build a grant from the columns of `GRANTS`."""
    grantee = Grantee(GranteeKind(row.kind), row.grantee)
    return CorpusGrant(CorpusKey(row.owner, row.name), grantee, Access(row.access), row.granted_at)
