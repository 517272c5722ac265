"""Users and their groups, in a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from shisho.domain.team import TokenHashes, User, UserGroup
from shisho.errors import Conflict, NotFound, ShishoError
from shisho.ports import Clock
from shisho.stores.nouns import Row
from shisho.stores.sql import Queries, QueryStore, fetch_first

# List all users, including removed ones, with a row for each of their groups.
USERS = """SELECT u.name, u.token_hash IS NOT NULL AS has_token, u.created_at, u.removed_at, m.group_name
    FROM users u LEFT JOIN group_members m ON m.user_name = u.name ORDER BY u.name, m.group_name"""
# Add a user, unless one with this name exists or was removed.
ADD = """INSERT INTO users(name, token_hash, cookie_hash, created_at) VALUES (:name, :token, :cookie, :now)
    ON CONFLICT DO NOTHING RETURNING name"""
# Set the token of an active user.
SET_TOKEN = """UPDATE users SET token_hash = :token, cookie_hash = :cookie WHERE name = :name AND removed_at IS NULL
    RETURNING name"""
# Remove a user.
REMOVE = "UPDATE users SET removed_at = :now WHERE name = :name AND removed_at IS NULL RETURNING name"
# Restore a removed user.
RESTORE = "UPDATE users SET removed_at = NULL WHERE name = :name AND removed_at IS NOT NULL RETURNING name"
# Find the user with this token or cookie.
BY_HASH = """SELECT u.name FROM users u
    WHERE (u.token_hash = :digest OR u.cookie_hash = :digest) AND u.removed_at IS NULL"""
# Find an active user.
PRESENT = "SELECT u.name FROM users u WHERE u.name = :name AND u.removed_at IS NULL"
# List the groups, with a row for each of their members.
GROUPS = """SELECT g.name, m.user_name FROM user_groups g LEFT JOIN group_members m ON m.group_name = g.name
    ORDER BY g.name, m.user_name"""
# Add a group, unless one with this name exists.
ADD_GROUP = """INSERT INTO user_groups(name, created_at) VALUES (:name, :now)
    ON CONFLICT DO NOTHING RETURNING name"""
# Remove a group.
REMOVE_GROUP = "DELETE FROM user_groups WHERE name = :name RETURNING name"
# Delete the grants of a removed group.
FORGET_GRANTS = "DELETE FROM grants WHERE kind = 'group' AND grantee = :name"
# Delete its quotas.
FORGET_QUOTAS = "DELETE FROM quotas WHERE kind = 'group' AND name = :name"
# Lock a group against removal while a member is added.
GROUP = "SELECT g.name FROM user_groups g WHERE g.name = :group /*pg FOR SHARE */"
# Add a member.
JOIN = """INSERT INTO group_members(group_name, user_name) VALUES (:group, :user)
    ON CONFLICT DO NOTHING RETURNING user_name"""
# Remove a member.
LEAVE = "DELETE FROM group_members WHERE group_name = :group AND user_name = :user RETURNING user_name"


class StoredUsers:
    """`ports.Users` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def list_users(self) -> Sequence[User]:
        rows = await self._store.read(lambda queries: queries.fetch(USERS, {}))
        return [_build_user([*group]) for _, group in groupby(rows, key=lambda row: row.name)]

    async def add(self, name: str, hashes: TokenHashes | None = None) -> User:
        now = self._clock.now()
        await self._change(ADD, {"name": name, "now": now, **_pack_hashes(hashes)}, build_user_exists(name))
        return User(name, (), hashes is not None, now)

    async def set_token(self, name: str, hashes: TokenHashes) -> None:
        await self._change(SET_TOKEN, {"name": name, **_pack_hashes(hashes)}, build_user_missing(name))

    async def remove(self, name: str) -> None:
        await self._change(REMOVE, {"name": name, "now": self._clock.now()}, build_user_missing(name))

    async def restore(self, name: str) -> None:
        await self._change(RESTORE, {"name": name}, build_user_missing(name))

    async def find_by_hash(self, digest: str) -> str | None:
        row = await self._read_first(BY_HASH, {"digest": digest})
        return None if row is None else str(row.name)

    async def has_user(self, name: str) -> bool:
        return await self._read_first(PRESENT, {"name": name}) is not None

    async def list_groups(self) -> Sequence[UserGroup]:
        rows = await self._store.read(lambda queries: queries.fetch(GROUPS, {}))
        members = groupby(rows, key=lambda row: row.name)
        return [UserGroup(name, _sort_names(row.user_name for row in group)) for name, group in members]

    async def add_group(self, name: str) -> None:
        await self._change(ADD_GROUP, {"name": name, "now": self._clock.now()}, build_group_exists(name))

    async def remove_group(self, name: str) -> None:
        values = {"name": name}

        def write(queries: Queries) -> None:
            if not queries.fetch(REMOVE_GROUP, values):
                raise build_group_missing(name)
            queries.fetch(FORGET_GRANTS, values)
            queries.fetch(FORGET_QUOTAS, values)

        await self._store.write(write)

    async def join(self, group: str, user: str) -> bool:
        values = {"group": group, "user": user}

        def write(queries: Queries) -> bool:
            if not queries.fetch(GROUP, values):
                raise build_group_missing(group)
            return bool(queries.fetch(JOIN, values))

        return await self._store.write(write)

    async def leave(self, group: str, user: str) -> bool:
        values = {"group": group, "user": user}
        return bool(await self._store.write(lambda queries: queries.fetch(LEAVE, values)))

    async def _change(self, statement: str, values: Mapping[str, str | None], refusal: ShishoError) -> None:
        """Change one row; raise `refusal` if the statement matches none."""

        def write(queries: Queries) -> None:
            if not queries.fetch(statement, values):
                raise refusal

        await self._store.write(write)

    async def _read_first(self, statement: str, values: Mapping[str, str]) -> Row | None:
        return await self._store.read(lambda queries: fetch_first(queries, statement, values))


def _pack_hashes(hashes: TokenHashes | None) -> dict[str, str | None]:
    if hashes is None:
        return {"token": None, "cookie": None}
    return {"token": hashes.token, "cookie": hashes.cookie}


def _build_user(rows: Sequence[Row]) -> User:
    row = rows[0]
    groups = _sort_names(row.group_name for row in rows)
    return User(row.name, groups, bool(row.has_token), row.created_at, row.removed_at)


def _sort_names(names: Iterable[str | None]) -> tuple[str, ...]:
    """Sort names without the None of an outer join."""
    return tuple(sorted(name for name in names if name is not None))


def build_user_exists(name: str) -> Conflict:
    return Conflict(
        "user.exists",
        name=name,
    )


def build_user_missing(name: str) -> NotFound:
    return NotFound("user.not_found", name=name)


def build_group_exists(name: str) -> Conflict:
    return Conflict("group.exists", name=name)


def build_group_missing(name: str) -> NotFound:
    return NotFound("group.not_found", name=name)
