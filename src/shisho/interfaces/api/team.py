"""Verbs over the users of a shared library, for programs of its owner: routes without tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from shisho.domain.team import (
    MAX_PER_DAY,
    Access,
    AuditEntry,
    CorpusGrant,
    GranteeKind,
    Quota,
    QuotaResource,
    User,
    UserGroup,
)
from shisho.domain.time import Instant
from shisho.interfaces.api.operations import Effect, Verb
from shisho.interfaces.api.replies import Id, Limit, Name
from shisho.records import dataclass
from shisho.services import Library

Amount = Annotated[int | None, Field(ge=0, le=MAX_PER_DAY, description="per day; null: unchanged")]
IsGroup = Annotated[bool, Field(description="the name is a group's")]
Members = Annotated[list[Name], Field(max_length=200)]
Place = Annotated[
    str | None,
    Field(pattern=r"^[0-9]{1,18}$", description="`cursor` of the previous reply, for older entries"),
]


@dataclass(frozen=True, slots=True)
class UserList:
    """Users, including removed ones."""

    users: tuple[User, ...]


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token, shown only once; null for a user whom a proxy authenticates."""

    user: str
    token: str | None


@dataclass(frozen=True, slots=True)
class GroupList:
    """The groups, with their members."""

    groups: tuple[UserGroup, ...]


@dataclass(frozen=True, slots=True)
class GrantRow:
    """A corpus of an owner is granted to a user or a group."""

    corpus: str
    owner: str
    kind: GranteeKind
    name: str
    access: Access
    granted_at: Instant


@dataclass(frozen=True, slots=True)
class GrantList:
    """Grants of corpora."""

    grants: tuple[GrantRow, ...]


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """The daily quota of a user or a group, and today's use."""

    kind: GranteeKind
    name: str
    resource: QuotaResource
    per_day: int
    used: int
    free_at: Instant


@dataclass(frozen=True, slots=True)
class QuotaList:
    """Quotas."""

    quotas: tuple[QuotaRow, ...]


@dataclass(frozen=True, slots=True)
class AuditPage:
    """A page of the audit log, newest first."""

    entries: tuple[AuditEntry, ...]
    cursor: str | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A task, or an answer without a task, that is shared with a group."""

    id: str
    group: str
    owner: str
    shared_at: Instant


@dataclass(frozen=True, slots=True)
class ShareList:
    """Your shares, and those of others with your groups."""

    shares: tuple[ShareRow, ...]


async def list_users(library: Library) -> UserList:
    """List users with their groups, including removed users. Administrators only."""
    return UserList(tuple(await library.team.list_users()))


async def add_user(
    library: Library,
    name: Name,
    has_token: Annotated[bool, Field(description="false: a proxy authenticates the user")] = True,
) -> IssuedToken:
    """Add a user. The token is shown only once. Administrators only."""
    member = await library.team.add_user(name, has_token=has_token)
    return IssuedToken(name, None) if member is None else IssuedToken(member.user, member.token)


async def renew_token(library: Library, name: Name) -> IssuedToken:
    """Replace a user's token. The previous one stops working at once. Administrators only."""
    member = await library.team.renew_token(name)
    return IssuedToken(member.user, member.token)


async def remove_user(library: Library, name: Name) -> UserList:
    """Remove a user. Their library is kept. Administrators only."""
    await library.team.remove_user(name)
    return await list_users(library)


async def restore_user(library: Library, name: Name) -> UserList:
    """Restore a removed user. Administrators only."""
    await library.team.restore_user(name)
    return await list_users(library)


async def list_groups(library: Library) -> GroupList:
    """List groups with their members. Administrators only."""
    return GroupList(tuple(await library.team.list_groups()))


async def add_group(library: Library, name: Name, members: Members = []) -> GroupList:  # noqa: B006
    """Create a group of users. Administrators only."""
    await library.team.add_group(name, *members)
    return await list_groups(library)


async def remove_group(library: Library, name: Name) -> GroupList:
    """Remove a group with its grants and shares. Administrators only."""
    await library.team.remove_group(name)
    return await list_groups(library)


async def add_members(library: Library, name: Name, members: Members) -> GroupList:
    """Add users to a group. Administrators only."""
    await library.team.join(name, *members)
    return await list_groups(library)


async def remove_member(library: Library, name: Name, member: Name) -> GroupList:
    """Remove a user from a group. Administrators only."""
    await library.team.leave(name, member)
    return await list_groups(library)


async def list_grants(library: Library) -> GrantList:
    """List the grants of your corpora; administrators see all grants."""
    return GrantList(tuple(map(_grant_row, await library.team.list_grants())))


async def add_grant(
    library: Library,
    corpus: Annotated[Name, Field(description="one of yours; for administrators also NAME@OWNER")],
    name: Name,
    is_group: IsGroup = False,
    is_writable: Annotated[bool, Field(description="also allow adding and removing documents")] = False,
) -> GrantList:
    """Let a user or a group read a corpus. A new grant replaces the previous one."""
    await library.team.grant(corpus, name, is_group=is_group, is_writable=is_writable)
    return await list_grants(library)


async def remove_grant(library: Library, corpus: Name, name: Name, is_group: IsGroup = False) -> GrantList:
    """Revoke a grant. It takes effect at once."""
    await library.team.revoke(corpus, name, is_group=is_group)
    return await list_grants(library)


async def list_quotas(library: Library) -> QuotaList:
    """List your quotas with today's use; administrators see all quotas."""
    return _make_quota_list(await library.team.list_quotas())


async def set_quota(
    library: Library,
    name: Name,
    is_group: IsGroup = False,
    jobs: Amount = None,
    pages: Amount = None,
    tokens: Amount = None,
) -> QuotaList:
    """Set the daily quota of a user, or of a group's members together. Administrators only."""
    ceilings = {"jobs": jobs, "pages": pages, "tokens": tokens}
    return _make_quota_list(await library.team.set_quota(name, ceilings, is_group=is_group))


async def remove_quota(library: Library, name: Name, is_group: IsGroup = False) -> QuotaList:
    """Remove the quotas of a user or a group. Administrators only."""
    await library.team.remove_quota(name, is_group=is_group)
    return await list_quotas(library)


async def list_audit(
    library: Library,
    actor: Annotated[Name | None, Field(description="only this user's actions")] = None,
    cursor: Place = None,
    limit: Limit = 100,
) -> AuditPage:
    """List the audit log, newest first: actions and ids, no text.

    Users see their own actions, administrators see all.
    """
    before = None if cursor is None else int(cursor)
    entries = tuple(await library.team.list_audit(actor, before=before, limit=limit + 1))
    more = len(entries) > limit
    page = entries[:limit]
    return AuditPage(page, str(page[-1].seq) if more else None, more)


async def list_shares(library: Library) -> ShareList:
    """List your shares, then those of others with your groups, newest first."""
    return ShareList(tuple(ShareRow(*share) for share in await library.tasks.list_shares()))


async def share_task(library: Library, task_id: Id, group: Name) -> ShareList:
    """Share a task's status and answer with one of your groups.

    Quotations from documents that a member may not read are hidden from that member.
    """
    await library.tasks.share(task_id, group)
    return await list_shares(library)


async def unshare_task(library: Library, task_id: Id, group: Name) -> ShareList:
    """Stop sharing a task with a group."""
    await library.tasks.unshare(task_id, group)
    return await list_shares(library)


def _grant_row(grant: CorpusGrant) -> GrantRow:
    return GrantRow(
        grant.corpus.name,
        grant.corpus.owner,
        grant.grantee.kind,
        grant.grantee.name,
        grant.access,
        grant.granted_at,
    )


def _make_quota_list(quotas: Iterable[Quota]) -> QuotaList:
    return QuotaList(
        tuple(
            QuotaRow(
                quota.grantee.kind,
                quota.grantee.name,
                quota.resource,
                quota.per_day,
                quota.used,
                quota.free_at,
            )
            for quota in quotas
        )
    )


USER = "/team/users/{name}"
GROUP = "/team/groups/{name}"
VERBS = (
    Verb(list_users, UserList, "Users", ("GET", "/team/users"), Effect("read")),
    Verb(add_user, IssuedToken, "Add a user", ("POST", "/team/users"), Effect("add", again=False)),
    Verb(
        renew_token, IssuedToken, "Replace a token", ("POST", f"{USER}/token"), Effect("change", again=False)
    ),
    Verb(remove_user, UserList, "Remove a user", ("DELETE", USER), Effect("change")),
    Verb(restore_user, UserList, "Restore a user", ("POST", f"{USER}/restore"), Effect("change")),
    Verb(list_groups, GroupList, "Groups", ("GET", "/team/groups"), Effect("read")),
    Verb(add_group, GroupList, "Create a group", ("POST", "/team/groups"), Effect("add")),
    Verb(remove_group, GroupList, "Remove a group", ("DELETE", GROUP), Effect("destroy")),
    Verb(add_members, GroupList, "Add users to a group", ("POST", f"{GROUP}/members"), Effect("change")),
    Verb(
        remove_member,
        GroupList,
        "Remove a user from a group",
        ("DELETE", f"{GROUP}/members/{{member}}"),
        Effect("change"),
    ),
    Verb(list_grants, GrantList, "Grants", ("GET", "/team/grants"), Effect("read")),
    Verb(add_grant, GrantList, "Grant a corpus", ("POST", "/team/grants"), Effect("change")),
    Verb(remove_grant, GrantList, "Revoke a grant", ("DELETE", "/team/grants"), Effect("change")),
    Verb(list_quotas, QuotaList, "Quotas", ("GET", "/team/quotas"), Effect("read")),
    Verb(set_quota, QuotaList, "Set a quota", ("POST", "/team/quotas"), Effect("change")),
    Verb(remove_quota, QuotaList, "Remove a quota", ("DELETE", "/team/quotas"), Effect("change")),
    Verb(list_audit, AuditPage, "Audit", ("GET", "/team/audit"), Effect("read")),
    Verb(list_shares, ShareList, "Shared tasks", ("GET", "/team/shares"), Effect("read")),
    Verb(share_task, ShareList, "Share a task", ("POST", "/tasks/{task_id}/shares"), Effect("change")),
    Verb(
        unshare_task,
        ShareList,
        "Stop sharing a task",
        ("DELETE", "/tasks/{task_id}/shares/{group}"),
        Effect("change"),
    ),
)
