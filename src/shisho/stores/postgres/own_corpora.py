"""Who may read what in PostgreSQL as long as nothing is granted there: each their own corpora."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.corpus import DocumentId
from shisho.domain.team import (
    Access,
    CorpusGrant,
    CorpusKey,
    Grantee,
    ReachableCorpus,
    TokenHashes,
    User,
    UserGroup,
)
from shisho.errors import InvalidParams, NotFound
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.rows import every

# What a reader may search. Of several ways the one counts that lets do most: by name, write > read > own.
REACHABLE = """SELECT c.owner, c.name, max(r.access) AS access FROM readable_corpora r JOIN corpora c ON c.id = r.corpus_id
    WHERE r.reader = %s GROUP BY c.owner, c.name ORDER BY c.owner, c.name"""
# Those of some documents that a reader may open.
READABLE = """SELECT d.id FROM documents d WHERE d.id = ANY(%s)
    AND d.corpus_id IN (SELECT r.corpus_id FROM readable_corpora r WHERE r.reader = %s)"""


class OwnCorpora:
    """`ports.Grants` over PostgreSQL, without grants."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def grant(self, corpus: CorpusKey, grantee: Grantee, access: Access) -> CorpusGrant:
        raise _only_at_home()

    async def revoke(self, corpus: CorpusKey, grantee: Grantee) -> bool:
        return False

    async def grants(self, owner: str | None = None) -> Sequence[CorpusGrant]:
        return ()

    async def reachable(self, reader: str) -> Sequence[ReachableCorpus]:
        rows = await self._database.read(lambda connection: every(connection, REACHABLE, (reader,)))
        return [ReachableCorpus(CorpusKey(row.owner, row.name), Access(row.access)) for row in rows]

    async def readable(self, ids: Sequence[DocumentId], reader: str) -> frozenset[DocumentId]:
        values = ([*ids], reader)
        rows = await self._database.read(lambda connection: every(connection, READABLE, values))
        return frozenset(DocumentId(row.id) for row in rows)


class NoUsers:
    """`ports.Users`: nobody but those whom the settings name."""

    async def users(self) -> Sequence[User]:
        return ()

    async def add(self, name: str, hashes: TokenHashes | None = None) -> User:
        raise _only_at_home()

    async def set_token(self, name: str, hashes: TokenHashes) -> None:
        raise _nobody(name)

    async def remove(self, name: str) -> None:
        raise _nobody(name)

    async def restore(self, name: str) -> None:
        raise _nobody(name)

    async def find_by_hash(self, digest: str) -> str | None:
        return None

    async def has_user(self, name: str) -> bool:
        return False

    async def groups(self) -> Sequence[UserGroup]:
        return ()

    async def add_group(self, name: str) -> None:
        raise _only_at_home()

    async def remove_group(self, name: str) -> None:
        raise _nobody(name)

    async def join(self, group: str, user: str) -> bool:
        raise _nobody(group)

    async def leave(self, group: str, user: str) -> bool:
        return False


def _only_at_home() -> InvalidParams:
    return InvalidParams("People, groups and grants are kept in a home so far, not in PostgreSQL.")


def _nobody(name: str) -> NotFound:
    return NotFound("There is nobody, and no group, of the name {name}.", name=name)
