"""People who share a library: who there is, and who may read or write whose corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import DocumentId
    from shisho.domain.quota import Quota, QuotaCharge, QuotaResource
    from shisho.domain.team import (
        Access,
        CorpusGrant,
        CorpusKey,
        Grantee,
        ReachableCorpus,
        TaskShare,
        TokenHashes,
        User,
        UserGroup,
    )


class Users(Protocol):
    """The people who may come in, by the hashes of their tokens, and their groups."""

    async def list_users(self) -> Sequence[User]:
        """In order of their names, those who were removed too."""

    async def add(self, name: str, hashes: TokenHashes | None = None) -> User:
        """Let a person in. Raises Conflict where there is, or was, one of this name."""

    async def set_token(self, name: str, hashes: TokenHashes) -> None:
        """The token of a person from now on; the one before opens nothing more. Raises NotFound."""

    async def remove(self, name: str) -> None:
        """Let a person in no more; their library stays. Raises NotFound."""

    async def restore(self, name: str) -> None:
        """Let a person in again who was removed. Raises NotFound."""

    async def find_by_hash(self, digest: str) -> str | None:
        """Whose token or cookie has this hash; None where it is nobody's who may come in."""

    async def has_user(self, name: str) -> bool:
        """True where this person may come in."""

    async def list_groups(self) -> Sequence[UserGroup]:
        """In order of their names."""

    async def add_group(self, name: str) -> None:
        """Raises Conflict where there is one of this name."""

    async def remove_group(self, name: str) -> None:
        """A group is no more, and nothing is granted to it. Raises NotFound."""

    async def join(self, group: str, user: str) -> bool:
        """False where the user was a member already. Raises NotFound for a group that is not there."""

    async def leave(self, group: str, user: str) -> bool:
        """False where the user was no member."""


class Grants(Protocol):
    """Grants: who may read or write whose corpus. Shelf and index ask it themselves: whoever is named there
    as owner finds what they may read, in the state of the moment."""

    async def grant(self, corpus: CorpusKey, grantee: Grantee, access: Access) -> CorpusGrant:
        """Grant a corpus; what was granted to them of it before no longer counts. Raises NotFound where there
        is no such corpus."""

    async def revoke(self, corpus: CorpusKey, grantee: Grantee) -> bool:
        """False where nothing was granted."""

    async def list_grants(self, owner: str | None = None) -> Sequence[CorpusGrant]:
        """All, or those of an owner's corpora, in order of corpus and grantee."""

    async def list_reachable(self, reader: str) -> Sequence[ReachableCorpus]:
        """The corpora that a reader may search, their own too, each once."""

    async def select_readable(self, ids: Sequence[DocumentId], reader: str) -> frozenset[DocumentId]:
        """Those of some documents, live or not, that stand in corpora which the reader may search."""


class Quotas(Protocol):
    """Quotas of what users, and the members of groups together, may use on a day. All quotas that bind a user
    are charged at once, or none; the day is that of the clock which all processes of the database have in
    common. The queue charges for jobs and pages in the transaction that takes the work."""

    async def set(self, grantee: Grantee, ceilings: Mapping[QuotaResource, int]) -> None:
        """Set these; others stay. What was used today stays counted; it is counted from when a quota is first
        set."""

    async def remove(self, grantee: Grantee) -> bool:
        """False where there was none."""

    async def list_quotas(self, user: str | None = None) -> Sequence[Quota]:
        """All, or those that bind a user, with what was used today, in order of kind, name and resource."""

    async def take(self, user: str, resource: QuotaResource, amount: int) -> QuotaCharge:
        """Set aside before it is used. Raises QuotaExhausted where one has no room."""

    async def give_back(self, charge: QuotaCharge, amount: int) -> None:
        """What was taken and not used, where it is still the same day."""


class TaskShares(Protocol):
    """Tasks, and answers that no task has made, which members of groups may read."""

    async def share(self, shared_id: str, group: str, owner: str) -> bool:
        """False where it was shared with this group already. Raises NotFound for a group that is not
        there."""

    async def unshare(self, shared_id: str, group: str, owner: str) -> bool:
        """False where this owner has not shared it with this group."""

    async def list_of_owner(self, owner: str, limit: int) -> Sequence[TaskShare]:
        """List what somebody has shared, the newest first."""

    async def list_visible(self, user: str, limit: int) -> Sequence[TaskShare]:
        """List what others have shared with the groups of a user, the newest first."""

    async def find(self, shared_id: str, user: str) -> TaskShare | None:
        """What another has shared with a group of this user; None where nobody has."""
