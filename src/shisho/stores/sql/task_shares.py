"""Shares of tasks with groups, in a database."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.team import TaskShare
from shisho.ports import Clock
from shisho.stores.nouns import Row
from shisho.stores.sql import Queries, QueryStore, fetch_first
from shisho.stores.sql.users import build_group_missing

# Lock a group against removal, if it exists.
GROUP = "SELECT g.name FROM user_groups g WHERE g.name = :group /*pg FOR SHARE */"
# Share something with a group.
SHARE = """INSERT INTO task_shares(shared_id, group_name, owner, shared_at) VALUES (:id, :group, :owner, :now)
    ON CONFLICT DO NOTHING RETURNING shared_id"""
# Stop sharing it.
UNSHARE = """DELETE FROM task_shares WHERE shared_id = :id AND group_name = :group AND owner = :owner
    RETURNING shared_id"""
# List what an owner has shared, newest first.
OF_OWNER = """SELECT s.shared_id, s.group_name, s.owner, s.shared_at FROM task_shares s WHERE s.owner = :user
    ORDER BY s.shared_at DESC, s.shared_id, s.group_name LIMIT :limit"""
# List what others have shared with the groups of a user, newest first.
VISIBLE = """SELECT s.shared_id, s.group_name, s.owner, s.shared_at FROM task_shares s
    JOIN group_members m ON m.group_name = s.group_name WHERE m.user_name = :user AND s.owner <> :user
    ORDER BY s.shared_at DESC, s.shared_id, s.group_name LIMIT :limit"""
# Check whether others have shared something with a group of a user.
FIND = """SELECT s.shared_id, s.group_name, s.owner, s.shared_at FROM task_shares s
    JOIN group_members m ON m.group_name = s.group_name
    WHERE s.shared_id = :id AND m.user_name = :user AND s.owner <> :user ORDER BY s.group_name LIMIT 1"""


class StoredTaskShares:
    """`ports.TaskShares` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def share(self, shared_id: str, group: str, owner: str) -> bool:
        values = {"id": shared_id, "group": group, "owner": owner, "now": self._clock.now()}

        def write(queries: Queries) -> bool:
            if not queries.fetch(GROUP, values):
                raise build_group_missing(group)
            return bool(queries.fetch(SHARE, values))

        return await self._store.write(write)

    async def unshare(self, shared_id: str, group: str, owner: str) -> bool:
        values = {"id": shared_id, "group": group, "owner": owner}
        return bool(await self._store.write(lambda queries: queries.fetch(UNSHARE, values)))

    async def list_of_owner(self, owner: str, limit: int) -> Sequence[TaskShare]:
        return await self._read(OF_OWNER, owner, limit)

    async def list_visible(self, user: str, limit: int) -> Sequence[TaskShare]:
        return await self._read(VISIBLE, user, limit)

    async def find(self, shared_id: str, user: str) -> TaskShare | None:
        values = {"id": shared_id, "user": user}
        row = await self._store.read(lambda queries: fetch_first(queries, FIND, values))
        return None if row is None else _share(row)

    async def _read(self, statement: str, user: str, limit: int) -> list[TaskShare]:
        values = {"user": user, "limit": limit}
        return [
            _share(row) for row in await self._store.read(lambda queries: queries.fetch(statement, values))
        ]


def _share(row: Row) -> TaskShare:
    return TaskShare(row.shared_id, row.group_name, row.owner, row.shared_at)
