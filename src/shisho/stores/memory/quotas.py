"""Quotas of a day, in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shisho.domain.quota import Quota, QuotaCharge, QuotaResource
from shisho.domain.team import Grantee, GranteeKind
from shisho.ports import Clock
from shisho.stores.memory.users import MemoryUsers
from shisho.stores.quota_errors import check_room

DAY_DIGITS = 10  # of an instant
QuotaKey = tuple[Grantee, QuotaResource]


class MemoryQuotas:
    """`ports.Quotas` in a dictionary."""

    def __init__(self, users: MemoryUsers, clock: Clock) -> None:
        self._users = users
        self._clock = clock
        self._quotas: dict[QuotaKey, Quota] = {}
        users.on_group_removed.append(self._forget)

    async def set(self, grantee: Grantee, ceilings: Mapping[QuotaResource, int]) -> None:
        for resource, per_day in ceilings.items():
            stored = self._quotas.get((grantee, resource))
            quota = stored or Quota(grantee, resource, per_day, 0, "")
            self._quotas[grantee, resource] = replace(quota, per_day=per_day)

    async def remove(self, grantee: Grantee) -> bool:
        keys = [key for key in self._quotas if key[0] == grantee]
        for key in keys:
            del self._quotas[key]
        return bool(keys)

    async def list_quotas(self, user: str | None = None) -> Sequence[Quota]:
        keys = sorted(self._quotas if user is None else self._binding(user))
        return [self._quotas[key].begin_day(self._today()) for key in keys]

    async def take(self, user: str, resource: QuotaResource, amount: int) -> QuotaCharge:
        return self.charge(user, resource, amount)

    async def give_back(self, charge: QuotaCharge, amount: int) -> None:
        for charged in charge.charged:
            key = (charged.grantee, charged.resource)
            quota = self._quotas.get(key)
            if quota is not None and quota.day == charged.day:
                self._quotas[key] = replace(quota, used=max(0, quota.used - amount))

    def charge(self, user: str, resource: QuotaResource, amount: int) -> QuotaCharge:
        """As `stores.quotas.charge_quotas`."""
        if amount <= 0:
            return QuotaCharge((), 0)
        keys = [key for key in self._binding(user) if key[1] is resource]
        quotas = [self._quotas[key].begin_day(self._today()) for key in sorted(keys)]
        check_room(quotas, amount, self._clock.steady())
        charged = tuple(replace(quota, used=quota.used + amount) for quota in quotas)
        self._quotas |= {(quota.grantee, resource): quota for quota in charged}
        return QuotaCharge(charged, amount)

    def _binding(self, user: str) -> list[QuotaKey]:
        groups = [Grantee(GranteeKind.GROUP, group) for group in self._users.groups_of(user)]
        grantees = {Grantee(GranteeKind.USER, user), *groups}
        return [key for key in self._quotas if key[0] in grantees]

    def _forget(self, group: str) -> None:
        gone = Grantee(GranteeKind.GROUP, group)
        self._quotas = {key: quota for key, quota in self._quotas.items() if key[0] != gone}

    def _today(self) -> str:
        return self._clock.steady()[:DAY_DIGITS]
