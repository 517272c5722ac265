"""Crawling of web pages: the frontier, robots.txt, one visit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import field
from typing import Any
from urllib.parse import urlsplit

from shisho.domain.discovered_url import DiscoveredUrl
from shisho.errors import BudgetExhausted
from shisho.ports import Clock
from shisho.records import dataclass
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


AT_ONCE = 4


class Frontier:
    """The unvisited hits of a search, best first; `hits` come in that order.

    `visited`: canonical URLs that the task need not visit again. `barred`: hits of blocked domains, never
    returned.
    """

    def __init__(
        self,
        hits: Iterable[DiscoveredUrl],
        visited: Collection[str] = (),
        blocked: Collection[str] = (),
        at_once: int = AT_ONCE,
    ) -> None:
        unmet: dict[str, DiscoveredUrl] = {}
        for hit in hits:
            if hit.canonical_url not in visited:
                unmet.setdefault(hit.canonical_url, hit)
        self._at_once = at_once
        self._led: dict[str, str] = {}
        self.barred = tuple(hit for hit in unmet.values() if is_within(get_host(hit), blocked))
        self._left = [hit for hit in unmet.values() if not is_within(get_host(hit), blocked)]

    @property
    def left(self) -> tuple[DiscoveredUrl, ...]:
        """The hits that were not taken yet, best first."""
        return tuple(self._left)

    def take(self, now: float, busy: Collection[str], ready_at: Mapping[str, float]) -> DiscoveredUrl | None:
        """Take the best hit that may be visited now; None if nothing is left, or all must wait.

        `busy`: hosts with a running visit, one entry per visit. `ready_at`: when a host may be requested
        again, by the same clock as `now`; other hosts may be requested at once.
        """
        if len(busy) >= self._at_once:
            return None
        for at, hit in enumerate(self._left):
            host = self.get_next_host(hit)
            if host not in busy and ready_at.get(host, now) <= now:
                return self._left.pop(at)
        return None

    def close(self) -> None:
        """Drop all remaining hits, because enough was found."""
        self._left.clear()

    def get_next_host(self, hit: DiscoveredUrl) -> str:
        """Return the host of the hit's next request: its own, or the one that its redirects lead to."""
        return self._led.get(hit.canonical_url, get_host(hit))

    def put_back(self, hit: DiscoveredUrl, host: str = "") -> None:
        """Return a hit that could not be visited, before lower-ranked ones.

        `host`: the host to wait for, if it is not the hit's own.
        """
        if host:
            self._led[hit.canonical_url] = host
        place = sum((other_hit.rank or 0) < (hit.rank or 0) for other_hit in self._left)
        self._left.insert(place, hit)

    def find_next_time(self, busy: Collection[str], ready_at: Mapping[str, float]) -> float | None:
        """Return when the first free host may be requested; None if a running visit must end first."""
        if len(busy) >= self._at_once:
            return None
        free = {self.get_next_host(hit) for hit in self._left} - {*busy}
        return min((ready_at.get(host, 0.0) for host in free), default=None)


def get_host(hit: DiscoveredUrl) -> str:
    """Return the host of a hit in its canonical spelling, the key of `busy` and `ready_at`."""
    return urlsplit(hit.canonical_url).hostname or ""


def is_within(host: str, domains: Iterable[str]) -> bool:
    """Return True if a host is one of these domains or a subdomain of one.

    Whole labels count: notexample.jp is not below example.jp.
    """
    return any(f".{host}".endswith(f".{domain}") for domain in domains)
