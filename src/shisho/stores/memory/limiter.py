"""The pace of resources, in one process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from shisho.domain.pace import ResourcePace, acquire, release, status
from shisho.domain.politeness import Limit, LimiterStatus, Permit
from shisho.domain.time import to_epoch
from shisho.ports import Clock


class MemoryLimiter:
    """`ports.Limiter` in dictionaries."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paces: dict[str, ResourcePace] = {}
        self._used: defaultdict[tuple[str, str], int] = defaultdict(int)

    async def acquire(self, resource: str, limit: Limit, ticket: str) -> Permit:
        pace, leave = acquire(self._now(resource), limit, ticket)
        self._keep(resource, pace)
        return leave

    async def release(self, resource: str, limit: Limit, ticket: str, *, after_s: float = 0.0) -> None:
        self._keep(resource, release(self._now(resource), limit, ticket, after_s))

    async def read_status(self, limits: Mapping[str, Limit]) -> Mapping[str, LimiterStatus]:
        return {resource: status(self._now(resource), limit) for resource, limit in limits.items()}

    def _now(self, resource: str) -> ResourcePace:
        wall = to_epoch(self._clock.now())
        pace = self._paces.get(resource, ResourcePace()).advance(wall, self._clock.monotonic())
        return replace(pace, used=self._used[resource, pace.day])

    def _keep(self, resource: str, pace: ResourcePace) -> None:
        self._paces[resource] = pace
        self._used[resource, pace.day] = pace.used
