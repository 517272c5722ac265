"""People who may come in and their groups, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.team import TokenHashes, User, UserGroup
from shisho.errors import ShishoError
from shisho.ports import Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_all, fetch_first
from shisho.stores.team_errors import group_is_missing, group_is_there, user_is_missing, user_is_there

# Everyone there is or was, with their groups.
USERS = """SELECT u.name, u.token_hash IS NOT NULL AS has_token, u.created_at, u.removed_at,
    ARRAY(SELECT m.group_name FROM group_members m WHERE m.user_name = u.name ORDER BY m.group_name) AS groups
    FROM users u ORDER BY u.name"""
# A person may come in from now on, unless there is or was one of this name.
ADD = "INSERT INTO users(name, token_hash, cookie_hash, created_at) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
# The token of a person who may come in.
SET_TOKEN = "UPDATE users SET token_hash = %s, cookie_hash = %s WHERE name = %s AND removed_at IS NULL"
# A person may come in no more.
REMOVE = "UPDATE users SET removed_at = %s WHERE name = %s AND removed_at IS NULL"
# A person who was removed may come in again.
RESTORE = "UPDATE users SET removed_at = NULL WHERE name = %s AND removed_at IS NOT NULL"
# Whose token or cookie this is.
BY_HASH = """SELECT u.name FROM users u
    WHERE (u.token_hash = %(value)s OR u.cookie_hash = %(value)s) AND u.removed_at IS NULL"""
# A person who may come in.
PRESENT = "SELECT u.name FROM users u WHERE u.name = %(value)s AND u.removed_at IS NULL"
# The groups, with their members.
GROUPS = """SELECT g.name,
    ARRAY(SELECT m.user_name FROM group_members m WHERE m.group_name = g.name ORDER BY m.user_name) AS members
    FROM user_groups g ORDER BY g.name"""
# A new group, unless there is one of this name.
ADD_GROUP = "INSERT INTO user_groups(name, created_at) VALUES (%s, %s) ON CONFLICT DO NOTHING"
# A group is no more, nothing is granted to it, and it has no quota.
REMOVE_GROUP = """WITH gone AS (DELETE FROM user_groups WHERE name = %(value)s RETURNING name),
    forgotten AS (DELETE FROM grants WHERE kind = 'group' AND grantee = %(value)s),
    unbound AS (DELETE FROM quotas WHERE kind = 'group' AND name = %(value)s)
    SELECT name FROM gone"""
# A group is held while a member comes, so that it is not removed meanwhile.
GROUP = "SELECT g.name FROM user_groups g WHERE g.name = %s FOR SHARE"
# A user is a member.
JOIN = "INSERT INTO group_members(group_name, user_name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
# A user is no member any more.
LEAVE = "DELETE FROM group_members WHERE group_name = %s AND user_name = %s"


class PostgresUsers:
    """`ports.Users` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def users(self) -> Sequence[User]:
        rows = await self._database.read(lambda connection: fetch_all(connection, USERS))
        return [
            User(row.name, tuple(row.groups), row.has_token, row.created_at, row.removed_at) for row in rows
        ]

    async def add(self, name: str, hashes: TokenHashes | None = None) -> User:
        now = self._clock.now()
        stored = (None, None) if hashes is None else (hashes.token, hashes.cookie)
        await self._change(ADD, (name, *stored, now), user_is_there(name))
        return User(name, (), hashes is not None, now)

    async def set_token(self, name: str, hashes: TokenHashes) -> None:
        await self._change(SET_TOKEN, (hashes.token, hashes.cookie, name), user_is_missing(name))

    async def remove(self, name: str) -> None:
        await self._change(REMOVE, (self._clock.now(), name), user_is_missing(name))

    async def restore(self, name: str) -> None:
        await self._change(RESTORE, (name,), user_is_missing(name))

    async def find_by_hash(self, digest: str) -> str | None:
        return await self._name(BY_HASH, digest)

    async def has_user(self, name: str) -> bool:
        return await self._name(PRESENT, name) is not None

    async def groups(self) -> Sequence[UserGroup]:
        rows = await self._database.read(lambda connection: fetch_all(connection, GROUPS))
        return [UserGroup(row.name, tuple(row.members)) for row in rows]

    async def add_group(self, name: str) -> None:
        await self._change(ADD_GROUP, (name, self._clock.now()), group_is_there(name))

    async def remove_group(self, name: str) -> None:
        def work(connection: Connection) -> None:
            if fetch_first(connection, REMOVE_GROUP, {"value": name}) is None:
                raise group_is_missing(name)

        await self._database.write(work)

    async def join(self, group: str, user: str) -> bool:
        def work(connection: Connection) -> bool:
            if fetch_first(connection, GROUP, (group,)) is None:
                raise group_is_missing(group)
            return change(connection, JOIN, (group, user)) > 0

        return await self._database.write(work)

    async def leave(self, group: str, user: str) -> bool:
        def work(connection: Connection) -> bool:
            return change(connection, LEAVE, (group, user)) > 0

        return await self._database.write(work)

    async def _change(self, statement: str, values: tuple[str | None, ...], unless: ShishoError) -> None:
        def work(connection: Connection) -> None:
            if change(connection, statement, values) == 0:
                raise unless

        await self._database.write(work)

    async def _name(self, statement: str, value: str) -> str | None:
        row = await self._database.read(
            lambda connection: fetch_first(connection, statement, {"value": value})
        )
        return None if row is None else str(row.name)
