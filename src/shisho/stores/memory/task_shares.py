"""Shares of tasks with groups, in one process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from shisho.domain.team import TaskShare
from shisho.domain.time import from_epoch
from shisho.stores.memory.users import MemoryUsers
from shisho.stores.team_errors import group_is_missing


class MemoryTaskShares:
    """`ports.TaskShares` in a dictionary."""

    def __init__(self, users: MemoryUsers) -> None:
        self._users = users
        self._shares: dict[tuple[str, str], TaskShare] = {}
        self._times = count()
        users.on_group_removed.append(self._forget)

    async def share(self, shared_id: str, group: str, owner: str) -> bool:
        if group not in {known.name for known in await self._users.list_groups()}:
            raise group_is_missing(group)
        if (shared_id, group) in self._shares:
            return False
        self._shares[shared_id, group] = TaskShare(shared_id, group, owner, from_epoch(next(self._times)))
        return True

    async def unshare(self, shared_id: str, group: str, owner: str) -> bool:
        share = self._shares.get((shared_id, group))
        if share is None or share.owner != owner:
            return False
        del self._shares[shared_id, group]
        return True

    async def list_of_owner(self, owner: str, limit: int) -> Sequence[TaskShare]:
        return [share for share in self._newest() if share.owner == owner][:limit]

    async def list_visible(self, user: str, limit: int) -> Sequence[TaskShare]:
        groups = self._users.groups_of(user)
        return [share for share in self._newest() if share.group in groups and share.owner != user][:limit]

    async def find(self, shared_id: str, user: str) -> TaskShare | None:
        visible = await self.list_visible(user, len(self._shares))
        fitting = sorted(share for share in visible if share.shared_id == shared_id)
        return next(iter(fitting), None)

    def _newest(self) -> list[TaskShare]:
        return sorted(self._shares.values(), key=lambda share: share.shared_at, reverse=True)

    def _forget(self, group: str) -> None:
        self._shares = {key: share for key, share in self._shares.items() if share.group != group}
