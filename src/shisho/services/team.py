"""A shared library: users, groups, grants, quotas and the audit log."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection, Mapping, Sequence

from shisho.domain.corpus import LOCAL_OWNER
from shisho.domain.team import (
    MAX_PER_DAY,
    Access,
    AuditAct,
    AuditEntry,
    AuditOutcome,
    AuditVerb,
    CorpusGrant,
    CorpusKey,
    Grantee,
    GranteeKind,
    NewToken,
    Quota,
    QuotaResource,
    User,
    UserGroup,
    hash_secret,
    hash_token,
)
from shisho.errors import AccessDenied, InvalidParams, NotFound
from shisho.ports import Quotas, Users
from shisho.services.access import CorpusAccess, is_of_another

TOKEN_BYTES = 32
MAX_NAME = 200  # characters
LAST_ENTRY = 2**63 - 1  # the largest number that a database gives
MAX_ENTRIES = 1_000  # per page


class Team:
    """The users who share the library, their groups, grants and quotas.

    The library's administrator (its owner `local`) manages users and groups; a corpus is granted by its owner
    or by the administrator. A method raises AccessDenied if the visitor may not use it.

    `people`: the users of the setting `tokens`.
    """

    def __init__(self, access: CorpusAccess, users: Users, quotas: Quotas, people: Collection[str]) -> None:
        self._access = access
        self._users = users
        self._quotas = quotas
        self._people = people

    async def find_user(self, word: str) -> str | None:
        """Return the user of this token or cookie, or None."""
        return await self._users.find_by_hash(hash_secret(word))

    async def has_user(self, name: str) -> bool:
        """Return True for an active user."""
        return await self._users.has_user(name)

    async def list_users(self) -> Sequence[User]:
        """List all users, including removed ones."""
        self._check_admin()
        return await self._users.list_users()

    async def add_user(self, name: str, *, has_token: bool = True) -> NewToken | None:
        """Add a user. The token is returned once and stored nowhere.

        Without a token, the user is identified by a proxy's header. Raises Conflict if the name is in use.
        """
        await self._check_allowed(AuditVerb.LET_IN)
        name = check_name(name)
        if name in (LOCAL_OWNER, *self._people):
            raise InvalidParams("user.name_taken", name=name)
        token = secrets.token_urlsafe(TOKEN_BYTES) if has_token else ""
        await self._users.add(name, hash_token(token) if has_token else None)
        await self._record(AuditVerb.LET_IN, name)
        return NewToken(name, token) if has_token else None

    async def renew_token(self, name: str) -> NewToken:
        """Replace a user's token; the old one is revoked. Raises NotFound."""
        await self._check_allowed(AuditVerb.RENEW)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        await self._users.set_token(check_name(name), hash_token(token))
        await self._record(AuditVerb.RENEW, name)
        return NewToken(check_name(name), token)

    async def remove_user(self, name: str) -> None:
        """Remove a user's access; their library stays, and `restore_user` undoes it. Raises NotFound."""
        await self._check_allowed(AuditVerb.LET_OUT)
        await self._users.remove(check_name(name))
        await self._record(AuditVerb.LET_OUT, name)

    async def restore_user(self, name: str) -> None:
        """Restore a user's access. Raises NotFound."""
        await self._check_allowed(AuditVerb.LET_IN)
        await self._users.restore(check_name(name))
        await self._record(AuditVerb.LET_IN, name)

    async def list_groups(self) -> Sequence[UserGroup]:
        """List all groups with their members."""
        self._check_admin()
        return await self._users.list_groups()

    async def add_group(self, name: str, *members: str) -> int:
        """Create a group with members and return their number.

        Raises: Conflict if it exists; NotFound for an unknown user, and then no group is created.
        """
        await self._check_allowed(AuditVerb.FOUND)
        name = check_name(name)
        users = [await self._find_user(member) for member in members]
        await self._users.add_group(name)
        await self._record(AuditVerb.FOUND, name)
        return await self.join(name, *users) if users else 0

    async def remove_group(self, name: str) -> None:
        """Remove a group with its grants and shares. Raises NotFound."""
        await self._check_allowed(AuditVerb.DISSOLVE)
        name = check_name(name)
        await self._users.remove_group(name)
        await self._record(AuditVerb.DISSOLVE, name)

    async def join(self, group: str, *names: str) -> int:
        """Add users to a group and return how many are new. Raises NotFound."""
        await self._check_allowed(AuditVerb.JOIN)
        users = [await self._find_user(name) for name in names]
        group = await self._check_group(group)
        joined = sum([await self._users.join(group, user) for user in users])
        await self._record(AuditVerb.JOIN, group, *users)
        return joined

    async def leave(self, group: str, *names: str) -> int:
        """Remove users from a group and return how many were members.

        Raises NotFound for an unknown group.
        """
        await self._check_allowed(AuditVerb.LEAVE)
        users = [check_name(name) for name in names]
        group = await self._check_group(group)
        left = sum([await self._users.leave(group, user) for user in users])
        await self._record(AuditVerb.LEAVE, group, *users)
        return left

    async def list_grants(self) -> Sequence[CorpusGrant]:
        """List the grants of the visitor's corpora; for the administrator, of all."""
        return await self._access.grants.list_grants(None if self._is_admin else self._access.owner)

    async def grant(
        self, corpus: str, name: str, *, is_group: bool = False, is_writable: bool = False
    ) -> CorpusGrant:
        """Grant a user or a group read access to a corpus, or also write access, replacing an earlier grant.

        Raises: NotFound for an unknown corpus, user or group.
        """
        grantee = await self._find_grantee(name, is_group)
        access = Access.WRITE if is_writable else Access.READ
        granted = await self._access.grants.grant(await self._find_own(corpus), grantee, access)
        await self._record(AuditVerb.GRANT, corpus, grantee.name, access)
        return granted

    async def list_audit(
        self, actor: str | None = None, *, before: int | None = None, limit: int = 100
    ) -> Sequence[AuditEntry]:
        """List the audit log, newest first: of one user or of all, older than entry number `before`.

        Users other than the administrator see only their own actions.
        """
        check_page(before, limit)
        if actor is None and not self._is_admin:
            actor = self._access.owner
        if actor != self._access.owner:
            self._check_admin()
        return await self._access.audit.list_entries(actor, before, limit)

    async def revoke(self, corpus: str, name: str, *, is_group: bool = False) -> None:
        """Revoke a grant with immediate effect. Raises NotFound if there is none."""
        kind = GranteeKind.GROUP if is_group else GranteeKind.USER
        name = check_name(name)
        if not await self._access.grants.revoke(await self._find_own(corpus), Grantee(kind, name)):
            raise NotFound(
                "grant.not_found",
                corpus=corpus,
                name=name,
            )
        await self._record(AuditVerb.REVOKE, corpus, name)

    async def list_quotas(self) -> Sequence[Quota]:
        """List the visitor's quotas with today's usage; for the administrator, all."""
        return await self._quotas.list_quotas(None if self._is_admin else self._access.owner)

    async def set_quota(
        self, name: str, ceilings: Mapping[str, int | None], *, is_group: bool = False
    ) -> Sequence[Quota]:
        """Set how many `jobs`, `pages` and `tokens` a day a user, or a group's members together, may use.

        None leaves a quota unchanged. Returns all quotas of the grantee. Raises NotFound, InvalidParams.
        """
        await self._check_allowed(AuditVerb.LIMIT)
        chosen = check_ceilings(ceilings)
        grantee = await self._find_grantee(name, is_group)
        await self._quotas.set(grantee, chosen)
        amounts = (f"{resource}={per_day}" for resource, per_day in chosen.items())
        await self._record(AuditVerb.LIMIT, grantee.name, *amounts)
        return [quota for quota in await self._quotas.list_quotas() if quota.grantee == grantee]

    async def remove_quota(self, name: str, *, is_group: bool = False) -> None:
        """Remove the quotas of a user or a group. Raises NotFound if there were none."""
        await self._check_allowed(AuditVerb.UNLIMIT)
        kind = GranteeKind.GROUP if is_group else GranteeKind.USER
        name = check_name(name)
        if not await self._quotas.remove(Grantee(kind, name)):
            raise NotFound("quota.not_found", name=name)
        await self._record(AuditVerb.UNLIMIT, name)

    async def _check_allowed(self, verb: AuditVerb) -> None:
        """Raise AccessDenied for users other than the administrator, and record the attempt."""
        if not self._is_admin:
            refused = AuditAct(self._access.owner, verb, (), AuditOutcome.REFUSED, AccessDenied.code)
            await self._access.audit.record(refused)
        self._check_admin()

    async def _record(self, verb: AuditVerb, *subjects: str) -> None:
        """Record an action with all its subjects: a corpus and a user may have the same name."""
        await self._access.audit.record(AuditAct(self._access.owner, verb, subjects))

    async def _find_grantee(self, name: str, is_group: bool) -> Grantee:
        if not is_group:
            return Grantee(GranteeKind.USER, await self._find_user(name))
        return Grantee(GranteeKind.GROUP, await self._check_group(name))

    async def _check_group(self, name: str) -> str:
        """Return the name of an existing group. Raises NotFound."""
        name = check_name(name)
        if name not in {group.name for group in await self._users.list_groups()}:
            raise NotFound("group.not_found", name=name)
        return name

    async def _find_user(self, name: str) -> str:
        """Return the name of an active user. Raises NotFound."""
        name = check_name(name)
        if name in (LOCAL_OWNER, *self._people) or await self._users.has_user(name):
            return name
        raise NotFound("user.not_found", name=name)

    async def _find_own(self, corpus: str) -> CorpusKey:
        """Return the corpus that the visitor may grant. Raises NotFound."""
        if self._is_admin and is_of_another(corpus):
            for grant in await self._access.grants.list_grants():
                if grant.corpus.format_address(self._access.owner) == corpus:
                    return grant.corpus
            name, _, owner = corpus.partition("@")
            return CorpusKey(owner, name)
        return CorpusKey(self._access.owner, corpus)

    @property
    def _is_admin(self) -> bool:
        return self._access.owner == LOCAL_OWNER

    def _check_admin(self) -> None:
        if not self._is_admin:
            raise AccessDenied("team.admin_only")


def check_page(before: int | None, limit: int) -> None:
    """Raise InvalidParams for an impossible entry number or page size."""
    if not 0 <= (before or 0) <= LAST_ENTRY:
        raise InvalidParams("audit.bad_number", last=LAST_ENTRY)
    if not 1 <= limit <= MAX_ENTRIES:
        raise InvalidParams("audit.bad_limit", most=MAX_ENTRIES)


def check_ceilings(ceilings: Mapping[str, int | None]) -> Mapping[QuotaResource, int]:
    """Return daily ceilings by resource.

    Raises InvalidParams for none, an unknown name or a negative amount.
    """
    chosen = {name: amount for name, amount in ceilings.items() if amount is not None}
    known = {resource.value for resource in QuotaResource}
    if (
        not chosen
        or not known.issuperset(chosen)
        or not all(0 <= most <= MAX_PER_DAY for most in chosen.values())
    ):
        raise InvalidParams(
            "quota.bad_amount",
            most=MAX_PER_DAY,
        )
    return {QuotaResource(name): amount for name, amount in chosen.items()}


def check_name(name: str) -> str:
    """Return the normalized name of a user or a group. Raises InvalidParams."""
    name = unicodedata.normalize("NFC", name).strip()
    if not name or len(name) > MAX_NAME or not name.isprintable() or " " in name or ":" in name:
        raise InvalidParams(
            "team.bad_name",
            name=name,
            most=MAX_NAME,
        )
    return name
