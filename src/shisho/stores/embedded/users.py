"""People who may come in and their groups, in SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import apsw

from shisho.domain.team import TokenHashes, User, UserGroup
from shisho.errors import Conflict, NotFound
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all, fetch_first
from shisho.stores.team_errors import group_is_missing, group_is_there, user_is_missing, user_is_there

# Everyone there is or was, with their groups.
USERS = """SELECT u.name, u.token_hash IS NOT NULL AS has_token, u.created_at, u.removed_at,
    (SELECT json_group_array(m.group_name) FROM group_members m WHERE m.user_name = u.name) AS groups
    FROM users u ORDER BY u.name"""
# A person may come in from now on.
ADD = "INSERT INTO users(name, token_hash, cookie_hash, created_at) VALUES (?, ?, ?, ?)"
# The token of a person who may come in.
SET_TOKEN = "UPDATE users SET token_hash = ?, cookie_hash = ? WHERE name = ? AND removed_at IS NULL"
# A person may come in no more.
REMOVE = "UPDATE users SET removed_at = ? WHERE name = ? AND removed_at IS NULL"
# A person who was removed may come in again.
RESTORE = "UPDATE users SET removed_at = NULL WHERE name = ? AND removed_at IS NOT NULL"
# Whose token or cookie this is.
BY_HASH = (
    "SELECT u.name FROM users u WHERE (u.token_hash = ?1 OR u.cookie_hash = ?1) AND u.removed_at IS NULL"
)
# A person who may come in.
PRESENT = "SELECT u.name FROM users u WHERE u.name = ? AND u.removed_at IS NULL"
# The groups, with their members.
GROUPS = """SELECT g.name,
    (SELECT json_group_array(m.user_name) FROM group_members m WHERE m.group_name = g.name) AS members
    FROM user_groups g ORDER BY g.name"""
# A new group.
ADD_GROUP = "INSERT INTO user_groups(name, created_at) VALUES (?, ?)"
# A group is no more.
REMOVE_GROUP = "DELETE FROM user_groups WHERE name = ?"
# Nothing is granted to a group that is no more.
FORGET_GRANTS = "DELETE FROM grants WHERE kind = 'group' AND grantee = ?"
# Nor has it a quota.
FORGET_QUOTAS = "DELETE FROM quotas WHERE kind = 'group' AND name = ?"
# Whether there is a group.
GROUP = "SELECT g.name FROM user_groups g WHERE g.name = ?"
# A user is a member.
JOIN = "INSERT INTO group_members(group_name, user_name) VALUES (?, ?) ON CONFLICT DO NOTHING"
# A user is no member any more.
LEAVE = "DELETE FROM group_members WHERE group_name = ? AND user_name = ?"


class EmbeddedUsers:
    """`ports.Users` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def users(self) -> Sequence[User]:
        def work(connection: apsw.Connection) -> list[User]:
            rows = fetch_all(connection.execute(USERS))
            return [
                User(row.name, _sorted(row.groups), bool(row.has_token), row.created_at, row.removed_at)
                for row in rows
            ]

        return await self._database.read(work)

    async def add(self, name: str, hashes: TokenHashes | None = None) -> User:
        now = self._clock.now()
        stored = (None, None) if hashes is None else (hashes.token, hashes.cookie)

        def work(connection: apsw.Connection) -> None:
            with _unless_there(user_is_there(name)):
                connection.execute(ADD, (name, *stored, now))

        await self._database.write(work)
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
        def work(connection: apsw.Connection) -> list[UserGroup]:
            return [
                UserGroup(row.name, _sorted(row.members)) for row in fetch_all(connection.execute(GROUPS))
            ]

        return await self._database.read(work)

    async def add_group(self, name: str) -> None:
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            with _unless_there(group_is_there(name)):
                connection.execute(ADD_GROUP, (name, now))

        await self._database.write(work)

    async def remove_group(self, name: str) -> None:
        def work(connection: apsw.Connection) -> None:
            connection.execute(REMOVE_GROUP, (name,))
            if connection.changes() == 0:
                raise group_is_missing(name)
            connection.execute(FORGET_GRANTS, (name,))
            connection.execute(FORGET_QUOTAS, (name,))

        await self._database.write(work)

    async def join(self, group: str, user: str) -> bool:
        def work(connection: apsw.Connection) -> bool:
            if fetch_first(connection.execute(GROUP, (group,))) is None:
                raise group_is_missing(group)
            connection.execute(JOIN, (group, user))
            return connection.changes() > 0

        return await self._database.write(work)

    async def leave(self, group: str, user: str) -> bool:
        def work(connection: apsw.Connection) -> bool:
            connection.execute(LEAVE, (group, user))
            return connection.changes() > 0

        return await self._database.write(work)

    async def _change(self, statement: str, values: tuple[str, ...], missing: NotFound) -> None:
        def work(connection: apsw.Connection) -> None:
            connection.execute(statement, values)
            if connection.changes() == 0:
                raise missing

        await self._database.write(work)

    async def _name(self, statement: str, value: str) -> str | None:
        row = await self._database.read(
            lambda connection: fetch_first(connection.execute(statement, (value,)))
        )
        return None if row is None else str(row.name)


@contextmanager
def _unless_there(error: Conflict) -> Iterator[None]:
    """Raise this error where a row of the same name stands already."""
    try:
        yield
    except apsw.ConstraintError as constraint:
        raise error from constraint


def _sorted(names: str) -> tuple[str, ...]:
    return tuple(sorted(json.loads(names)))
