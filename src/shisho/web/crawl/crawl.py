"""The crawl loop: concurrent visits, delayed hosts, and no worker blocked by a long wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from shisho.domain.find import DiscoveredUrl
from shisho.errors import BudgetExhausted
from shisho.ports import Clock
from shisho.web.crawl.frontier import AT_ONCE, Frontier
from shisho.web.http.pacing import RetryLater

SHORT = 2.0  # seconds that a worker may wait for a host


@dataclass(slots=True)
class Crawl:
    """One pass over a frontier.

    `visit` handles a hit and its errors; `enough` ends the pass early; no visit starts while `room` or more
    are running. After one finds the budget spent, no other starts, and those already paid for finish.
    """

    frontier: Frontier
    visit: Callable[[DiscoveredUrl], Coroutine[Any, Any, None]]
    enough: Callable[[], bool]
    clock: Clock
    room: Callable[[], int] = lambda: AT_ONCE
    _ready: dict[str, float] = field(default_factory=dict)
    _visits: dict[asyncio.Task[None], DiscoveredUrl] = field(default_factory=dict)
    _spent: BudgetExhausted | None = None

    async def run(self) -> float | None:
        """Visit all hits that can be visited.

        Returns None if all are done, else the seconds after which the rest may be visited. Raises
        BudgetExhausted.
        """
        try:
            while True:
                wait = self._begin()
                if self._visits:
                    await self._await_visits(wait)
                elif self._spent is not None:
                    raise self._spent
                elif wait is None or wait > SHORT:
                    return wait
                else:
                    await asyncio.sleep(wait)
        finally:
            for visit in self._visits:
                visit.cancel()
            await asyncio.gather(*self._visits, return_exceptions=True)

    def _begin(self) -> float | None:
        """Start the visits that may start now. Returns the seconds until the next one may."""
        if self._spent is not None or self.enough():
            return None
        while len(self._visits) < self.room():
            hit = self.frontier.take(self.clock.monotonic(), self._list_busy(), self._ready)
            if hit is None:
                break
            self._visits[asyncio.create_task(self.visit(hit))] = hit
        else:
            return None
        at = self.frontier.find_next_time(self._list_busy(), self._ready)
        return None if at is None else max(0.0, at - self.clock.monotonic())

    async def _await_visits(self, wait: float | None) -> None:
        """Wait until a visit ends or the timeout passes, and handle finished visits."""
        done, _ = await asyncio.wait(self._visits, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
        for visit in done:
            hit = self._visits.pop(visit)
            try:
                visit.result()
            except RetryLater as later:
                host = later.host or self.frontier.get_next_host(hit)
                self._ready[host] = self.clock.monotonic() + later.seconds
                self.frontier.put_back(hit, host)
            except BudgetExhausted as error:
                self._spent = error

    def _list_busy(self) -> list[str]:
        return [self.frontier.get_next_host(hit) for hit in self._visits.values()]
