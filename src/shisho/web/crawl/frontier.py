"""Which hit is visited next: the best whose host is free, one of each host at a time. Pure; time is told,
never asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from urllib.parse import urlsplit

from shisho.domain.find import DiscoveredUrl

AT_ONCE = 4


class Frontier:
    """The hits of a search that have not been visited, best first; `hits` come in that order.

    `visited`: canonical URLs that the task needs no second look at. `barred`: hits of blocked domains, never
    handed out."""

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
        self.barred = tuple(hit for hit in unmet.values() if is_within(host_of(hit), blocked))
        self._left = [hit for hit in unmet.values() if not is_within(host_of(hit), blocked)]

    @property
    def left(self) -> tuple[DiscoveredUrl, ...]:
        """The hits that have not been handed out, best first."""
        return tuple(self._left)

    def take(self, now: float, busy: Collection[str], ready_at: Mapping[str, float]) -> DiscoveredUrl | None:
        """The best hit that may be visited now; it is not handed out again. None: nothing is left, or all
        must wait.

        `busy`: hosts with a visit under way, one for each visit. `ready_at`: when a host may be asked again,
        by the same clock as `now`; a host that is not in it may be asked at once."""
        if len(busy) >= self._at_once:
            return None
        for at, hit in enumerate(self._left):
            host = self.host(hit)
            if host not in busy and ready_at.get(host, now) <= now:
                return self._left.pop(at)
        return None

    def close(self) -> None:
        """Enough was found: nothing more is handed out."""
        self._left.clear()

    def host(self, hit: DiscoveredUrl) -> str:
        """The host that is asked for it next: its own host, or the one that its redirects have led
        to."""
        return self._led.get(hit.canonical_url, host_of(hit))

    def put_back(self, hit: DiscoveredUrl, host: str = "") -> None:
        """It could not be visited after all; it stands before those that were below it. `host`: who is waited
        for, where that is not its own."""
        if host:
            self._led[hit.canonical_url] = host
        place = sum((other_hit.rank or 0) < (hit.rank or 0) for other_hit in self._left)
        self._left.insert(place, hit)

    def find_next_time(self, busy: Collection[str], ready_at: Mapping[str, float]) -> float | None:
        """When the first host that no visit is under way at may be asked; None: only an ending visit can
        bring the next."""
        if len(busy) >= self._at_once:
            return None
        free = {self.host(hit) for hit in self._left} - {*busy}
        return min((ready_at.get(host, 0.0) for host in free), default=None)


def host_of(hit: DiscoveredUrl) -> str:
    """The host that a hit is asked of, in the canonical spelling: the key of `busy` and `ready_at`."""
    return urlsplit(hit.canonical_url).hostname or ""


def is_within(host: str, domains: Iterable[str]) -> bool:
    """True where a host is one of these domains or below one. Whole labels count: notexample.jp is not
    below example.jp."""
    return any(f".{host}".endswith(f".{domain}") for domain in domains)
