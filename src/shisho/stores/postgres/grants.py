"""Grants in PostgreSQL: who may read or write which corpus.

The view `readable_corpora` lists the corpora that a reader may search; every statement about scopes uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import DocumentId
from shisho.domain.team import Access, CorpusGrant, CorpusKey, Grantee, GranteeKind, ReachableCorpus
from shisho.errors import NotFound
from shisho.ports import Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_all

# Grant access to an existing corpus, replacing an earlier grant.
GRANT = """INSERT INTO grants(corpus_id, kind, grantee, access, granted_at)
    SELECT c.id, %s, %s, %s, %s FROM corpora c WHERE c.owner = %s AND c.name = %s
    ON CONFLICT (corpus_id, kind, grantee) DO UPDATE SET access = excluded.access, granted_at = excluded.granted_at"""
# Revoke a grant.
REVOKE = """DELETE FROM grants g USING corpora c
    WHERE c.id = g.corpus_id AND g.kind = %s AND g.grantee = %s AND c.owner = %s AND c.name = %s"""
# List all grants, or those of an owner's corpora.
GRANTS = """SELECT c.owner, c.name, g.kind, g.grantee, g.access, g.granted_at FROM grants g
    JOIN corpora c ON c.id = g.corpus_id WHERE %(owner)s::text IS NULL OR c.owner = %(owner)s
    ORDER BY c.owner COLLATE "C", c.name COLLATE "C", g.kind, g.grantee"""
# List the corpora that a reader may search. If access is granted in several ways, the strongest counts
# (alphabetically, write > read); a reader's own corpora appear once.
REACHABLE = """SELECT c.owner, c.name, max(r.access COLLATE "C") AS access
    FROM readable_corpora r JOIN corpora c ON c.id = r.corpus_id
    WHERE r.reader = %s GROUP BY c.owner, c.name ORDER BY c.owner COLLATE "C", c.name COLLATE "C\""""
# Select the documents that a reader may open.
READABLE = """SELECT d.id FROM documents d WHERE d.id = ANY(%s)
    AND d.corpus_id IN (SELECT r.corpus_id FROM readable_corpora r WHERE r.reader = %s)"""


class PostgresGrants:
    """`ports.Grants` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def grant(self, corpus: CorpusKey, grantee: Grantee, access: Access) -> CorpusGrant:
        now = self._clock.now()
        values = (str(grantee.kind), grantee.name, str(access), now, *corpus)
        if not await self._changed(GRANT, values):
            raise NotFound("grant.unknown_corpus", corpus=corpus.name)
        return CorpusGrant(corpus, grantee, access, now)

    async def revoke(self, corpus: CorpusKey, grantee: Grantee) -> bool:
        return await self._changed(REVOKE, (str(grantee.kind), grantee.name, *corpus)) > 0

    async def list_grants(self, owner: str | None = None) -> Sequence[CorpusGrant]:
        rows = await self._database.read(lambda connection: fetch_all(connection, GRANTS, {"owner": owner}))
        return [
            CorpusGrant(
                CorpusKey(row.owner, row.name),
                Grantee(GranteeKind(row.kind), row.grantee),
                Access(row.access),
                row.granted_at,
            )
            for row in rows
        ]

    async def list_reachable(self, reader: str) -> Sequence[ReachableCorpus]:
        rows = await self._database.read(lambda connection: fetch_all(connection, REACHABLE, (reader,)))
        return [ReachableCorpus(CorpusKey(row.owner, row.name), Access(row.access)) for row in rows]

    async def select_readable(self, ids: Sequence[DocumentId], reader: str) -> frozenset[DocumentId]:
        values = ([*ids], reader)
        rows = await self._database.read(lambda connection: fetch_all(connection, READABLE, values))
        return frozenset(DocumentId(row.id) for row in rows)

    async def _changed(self, statement: str, values: tuple[str, ...]) -> int:
        def work(connection: Connection) -> int:
            return change(connection, statement, values)

        return await self._database.write(work)
