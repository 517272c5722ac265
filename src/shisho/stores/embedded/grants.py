"""Grants in SQLite: who may read or write which corpus.

The view `readable_corpora` lists the corpora that a reader may search; every statement about scopes uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from shisho.domain.corpus import DocumentId
from shisho.domain.team import Access, CorpusGrant, CorpusKey, Grantee, GranteeKind, ReachableCorpus
from shisho.errors import NotFound
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import ANY_OF, Row, bind_list, fetch_all, fetch_first

# Find the key of a corpus.
CORPUS = "SELECT c.id FROM corpora c WHERE c.owner = ? AND c.name = ?"
# Grant access to a corpus, replacing an earlier grant.
GRANT = """INSERT INTO grants(corpus_id, kind, grantee, access, granted_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET access = excluded.access, granted_at = excluded.granted_at"""
# Revoke a grant.
REVOKE = """DELETE FROM grants WHERE kind = ? AND grantee = ?
    AND corpus_id = (SELECT c.id FROM corpora c WHERE c.owner = ? AND c.name = ?)"""
# List all grants, or those of an owner's corpora.
GRANTS = """SELECT c.owner, c.name, g.kind, g.grantee, g.access, g.granted_at FROM grants g
    JOIN corpora c ON c.id = g.corpus_id WHERE ?1 IS NULL OR c.owner = ?1 ORDER BY c.owner, c.name, g.kind, g.grantee"""
# List the corpora that a reader may search. If access is granted in several ways, the strongest counts
# (alphabetically, write > read > own); a reader's own corpora appear once.
REACHABLE = """SELECT c.owner, c.name, max(r.access) AS access FROM readable_corpora r JOIN corpora c ON c.id = r.corpus_id
    WHERE r.reader = ? GROUP BY c.id ORDER BY c.owner, c.name"""
# Select the documents that a reader may open.
READABLE = f"""SELECT d.id FROM documents d WHERE d.id IN {ANY_OF}
    AND d.corpus_id IN (SELECT r.corpus_id FROM readable_corpora r WHERE r.reader = ?)"""


class EmbeddedGrants:
    """`ports.Grants` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def grant(self, corpus: CorpusKey, grantee: Grantee, access: Access) -> CorpusGrant:
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            row = fetch_first(connection.execute(CORPUS, corpus))
            if row is None:
                raise NotFound("grant.unknown_corpus", corpus=corpus.name)
            connection.execute(GRANT, (row.id, grantee.kind, grantee.name, access, now))

        await self._database.write(work)
        return CorpusGrant(corpus, grantee, access, now)

    async def revoke(self, corpus: CorpusKey, grantee: Grantee) -> bool:
        def work(connection: apsw.Connection) -> bool:
            connection.execute(REVOKE, (grantee.kind, grantee.name, *corpus))
            return connection.changes() > 0

        return await self._database.write(work)

    async def list_grants(self, owner: str | None = None) -> Sequence[CorpusGrant]:
        def work(connection: apsw.Connection) -> list[CorpusGrant]:
            return [_grant(row) for row in fetch_all(connection.execute(GRANTS, (owner,)))]

        return await self._database.read(work)

    async def list_reachable(self, reader: str) -> Sequence[ReachableCorpus]:
        def work(connection: apsw.Connection) -> list[ReachableCorpus]:
            rows = fetch_all(connection.execute(REACHABLE, (reader,)))
            return [ReachableCorpus(CorpusKey(row.owner, row.name), Access(row.access)) for row in rows]

        return await self._database.read(work)

    async def select_readable(self, ids: Sequence[DocumentId], reader: str) -> frozenset[DocumentId]:
        def work(connection: apsw.Connection) -> frozenset[DocumentId]:
            rows = fetch_all(connection.execute(READABLE, (bind_list(ids), reader)))
            return frozenset(DocumentId(row.id) for row in rows)

        return await self._database.read(work)


def _grant(row: Row) -> CorpusGrant:
    """Build a grant from the columns of `GRANTS`."""
    grantee = Grantee(GranteeKind(row.kind), row.grantee)
    return CorpusGrant(CorpusKey(row.owner, row.name), grantee, Access(row.access), row.granted_at)
