"""People who may come in and their groups, in one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from shisho.domain.team import TokenHashes, User, UserGroup
from shisho.domain.time import Instant, from_epoch
from shisho.stores.team_errors import group_is_missing, group_is_there, user_is_missing, user_is_there


@dataclass(frozen=True, slots=True)
class UserRow:
    """A person as they are stored."""

    created_at: Instant
    hashes: TokenHashes | None
    removed_at: Instant | None = None


class MemoryUsers:
    """`ports.Users` in dictionaries."""

    def __init__(self) -> None:
        self._users: dict[str, UserRow] = {}
        self._groups: dict[str, set[str]] = {}
        self._times = count()
        self.on_group_removed: list[Callable[[str], None]] = []

    async def list_users(self) -> Sequence[User]:
        return [
            User(name, self.groups_of(name), row.hashes is not None, row.created_at, row.removed_at)
            for name, row in sorted(self._users.items())
        ]

    async def add(self, name: str, hashes: TokenHashes | None = None) -> User:
        if name in self._users:
            raise user_is_there(name)
        self._users[name] = UserRow(self._now(), hashes)
        return User(name, (), hashes is not None, self._users[name].created_at)

    async def set_token(self, name: str, hashes: TokenHashes) -> None:
        self._users[name] = replace(self._row(name, is_present=True), hashes=hashes)

    async def remove(self, name: str) -> None:
        self._users[name] = replace(self._row(name, is_present=True), removed_at=self._now())

    async def restore(self, name: str) -> None:
        self._users[name] = replace(self._row(name, is_present=False), removed_at=None)

    async def find_by_hash(self, digest: str) -> str | None:
        for name, row in self._users.items():
            if row.hashes and digest in (row.hashes.token, row.hashes.cookie) and row.removed_at is None:
                return name
        return None

    async def has_user(self, name: str) -> bool:
        return name in self._users and self._users[name].removed_at is None

    async def list_groups(self) -> Sequence[UserGroup]:
        return [UserGroup(name, tuple(sorted(members))) for name, members in sorted(self._groups.items())]

    async def add_group(self, name: str) -> None:
        if name in self._groups:
            raise group_is_there(name)
        self._groups[name] = set()

    async def remove_group(self, name: str) -> None:
        if self._groups.pop(name, None) is None:
            raise group_is_missing(name)
        for forget in self.on_group_removed:
            forget(name)

    async def join(self, group: str, user: str) -> bool:
        if group not in self._groups:
            raise group_is_missing(group)
        is_new = user not in self._groups[group]
        self._groups[group].add(user)
        return is_new

    async def leave(self, group: str, user: str) -> bool:
        is_member = user in self._groups.get(group, ())
        self._groups.get(group, set()).discard(user)
        return is_member

    def groups_of(self, user: str) -> tuple[str, ...]:
        """The groups of a user, in order."""
        return tuple(sorted(name for name, members in self._groups.items() if user in members))

    def _row(self, name: str, *, is_present: bool) -> UserRow:
        row = self._users.get(name)
        if row is None or (row.removed_at is None) is not is_present:
            raise user_is_missing(name)
        return row

    def _now(self) -> Instant:
        return from_epoch(next(self._times))
