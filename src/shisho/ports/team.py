"""The users of a shared library, and their access to each other's corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import DocumentId
    from shisho.domain.team import (
        Access,
        AuditAct,
        AuditEntry,
        CorpusGrant,
        CorpusKey,
        Grantee,
        Quota,
        QuotaCharge,
        QuotaResource,
        ReachableCorpus,
        TaskShare,
        TokenHashes,
        User,
        UserGroup,
    )


class Users(Protocol):
    """The users, by the hashes of their tokens, and their groups."""

    async def list_users(self) -> Sequence[User]:
        """List users in order of their names, including removed ones."""

    async def add(self, name: str, hashes: TokenHashes | None = None) -> User:
        """Add a user. Raises Conflict if this name is or was in use."""

    async def set_token(self, name: str, hashes: TokenHashes) -> None:
        """Replace a user's token; the old one is revoked. Raises NotFound."""

    async def remove(self, name: str) -> None:
        """Remove a user's access; their library stays. Raises NotFound."""

    async def restore(self, name: str) -> None:
        """Restore the access of a removed user. Raises NotFound."""

    async def find_by_hash(self, digest: str) -> str | None:
        """Return the user whose token or cookie has this hash, or None if no active user has it."""

    async def has_user(self, name: str) -> bool:
        """Return True for an active user."""

    async def list_groups(self) -> Sequence[UserGroup]:
        """List groups in order of their names."""

    async def add_group(self, name: str) -> None:
        """Add a group. Raises Conflict if the name is in use."""

    async def remove_group(self, name: str) -> None:
        """Remove a group and its grants. Raises NotFound."""

    async def join(self, group: str, user: str) -> bool:
        """Add a user to a group. Returns False for a member. Raises NotFound for an unknown group."""

    async def leave(self, group: str, user: str) -> bool:
        """Remove a user from a group. Returns False if the user was not a member."""


class Grants(Protocol):
    """Grants of read or write access to corpora.

    Shelf and index check them on each call: a user passed as owner finds everything that they may read now.
    """

    async def grant(self, corpus: CorpusKey, grantee: Grantee, access: Access) -> CorpusGrant:
        """Grant access to a corpus, replacing the earlier grant. Raises NotFound for an unknown corpus."""

    async def revoke(self, corpus: CorpusKey, grantee: Grantee) -> bool:
        """Revoke a grant. Returns False if there was none."""

    async def list_grants(self, owner: str | None = None) -> Sequence[CorpusGrant]:
        """List all grants, or those of an owner's corpora, in order of corpus and grantee."""

    async def list_reachable(self, reader: str) -> Sequence[ReachableCorpus]:
        """List the corpora that a reader may search, including their own, each once."""

    async def select_readable(self, ids: Sequence[DocumentId], reader: str) -> frozenset[DocumentId]:
        """Return those documents, live or not, that are in corpora that the reader may search."""


class Quotas(Protocol):
    """Daily quotas of users, and of the members of groups together.

    All quotas that apply to a user are charged together or not at all. The day is that of the clock that all
    processes of the database share. The queue charges for jobs and pages in the transaction that accepts the
    work.
    """

    async def set(self, grantee: Grantee, ceilings: Mapping[QuotaResource, int]) -> None:
        """Set these quotas; others stay. Today's usage is kept; counting starts when a quota is first set."""

    async def remove(self, grantee: Grantee) -> bool:
        """Remove a grantee's quotas. Returns False if there were none."""

    async def list_quotas(self, user: str | None = None) -> Sequence[Quota]:
        """List all quotas, or those of a user, with today's usage, in order of kind, name and resource."""

    async def take(self, user: str, resource: QuotaResource, amount: int) -> QuotaCharge:
        """Charge an amount before it is used. Raises QuotaExhausted if a quota has no room."""

    async def release_unused(self, charge: QuotaCharge, amount: int) -> None:
        """Refund an unused amount if it is still the same day."""


class TaskShares(Protocol):
    """Tasks, and answers without a task, that members of groups may read."""

    async def share(self, shared_id: str, group: str, owner: str) -> bool:
        """Share with a group. Returns False if it is shared already. Raises NotFound for an unknown group."""

    async def unshare(self, shared_id: str, group: str, owner: str) -> bool:
        """Stop sharing. Returns False if this owner has not shared it with this group."""

    async def list_of_owner(self, owner: str, limit: int) -> Sequence[TaskShare]:
        """List the shares of an owner, newest first."""

    async def list_visible(self, user: str, limit: int) -> Sequence[TaskShare]:
        """List the shares of others with the groups of a user, newest first."""

    async def find(self, shared_id: str, user: str) -> TaskShare | None:
        """Return another user's share with a group of this user, or None."""


class AuditLog(Protocol):
    """An append-only log of the actions of users."""

    async def record(self, act: AuditAct) -> None:
        """Append an action.

        Nothing is recorded for a library with a single user: the owner's actions are recorded only after the
        first other user is added.
        """

    async def list_entries(self, actor: str | None, before: int | None, limit: int) -> Sequence[AuditEntry]:
        """Return entries of one actor or of all, newest first.

        `before`: only entries with a lower sequence number.
        """
