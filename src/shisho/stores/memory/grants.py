"""Grants, which say who may read or write whose corpus, in one process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from shisho.domain.corpus import DocumentId
from shisho.domain.team import Access, CorpusGrant, CorpusKey, Grantee, GranteeKind, ReachableCorpus
from shisho.domain.time import from_epoch
from shisho.errors import NotFound
from shisho.stores.memory.shelf import MemoryShelf
from shisho.stores.memory.users import MemoryUsers


class MemoryGrants:
    """`ports.Grants` in a dictionary, beside the shelf that asks it."""

    def __init__(self, shelf: MemoryShelf, users: MemoryUsers) -> None:
        self._shelf = shelf
        self._users = users
        self._grants: dict[tuple[CorpusKey, Grantee], CorpusGrant] = {}
        self._times = count()
        users.on_group_removed.append(self._forget)
        shelf.access_of = self.access_of

    async def grant(self, corpus: CorpusKey, grantee: Grantee, access: Access) -> CorpusGrant:
        if corpus not in self._shelf.corpus_keys:
            raise NotFound("There is no corpus {corpus}.", corpus=corpus.name)
        granted = CorpusGrant(corpus, grantee, access, from_epoch(next(self._times)))
        self._grants[corpus, grantee] = granted
        return granted

    async def revoke(self, corpus: CorpusKey, grantee: Grantee) -> bool:
        return self._grants.pop((corpus, grantee), None) is not None

    async def list_grants(self, owner: str | None = None) -> Sequence[CorpusGrant]:
        granted = [self._grants[key] for key in sorted(self._grants)]
        return [grant for grant in granted if owner in (None, grant.corpus.owner)]

    async def list_reachable(self, reader: str) -> Sequence[ReachableCorpus]:
        reached = [(corpus, self.access_of(corpus, reader)) for corpus in sorted(self._shelf.corpus_keys)]
        return [ReachableCorpus(corpus, access) for corpus, access in reached if access is not None]

    async def select_readable(self, ids: Sequence[DocumentId], reader: str) -> frozenset[DocumentId]:
        documents = (await self._shelf.fetch_documents(ids)).values()
        return frozenset(
            document.id
            for document in documents
            if self.access_of(CorpusKey(document.owner, document.corpus), reader)
        )

    def access_of(self, corpus: CorpusKey, reader: str) -> Access | None:
        """The most that a reader may do with a corpus; None: nothing."""
        if corpus.owner == reader:
            return Access.OWN
        mine = [Grantee(GranteeKind.USER, reader)]
        mine += [Grantee(GranteeKind.GROUP, group) for group in self._users.groups_of(reader)]
        granted = [grant for grantee in mine if (grant := self._grants.get((corpus, grantee)))]
        return max((grant.access for grant in granted), default=None)

    def _forget(self, group: str) -> None:
        gone = Grantee(GranteeKind.GROUP, group)
        self._grants = {key: grant for key, grant in self._grants.items() if grant.grantee != gone}
