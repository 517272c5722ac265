"""Limits, health and a cache that keep nothing: for tests, and for one process that lives as long as its work."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from shisho.domain.codec import dumps
from shisho.domain.corpus import DocumentId, DocumentState
from shisho.domain.pace import ResourcePace, asked, ended, standing
from shisho.domain.politeness import (
    LATEST,
    PROBE_S,
    BreakerState,
    CacheEntry,
    EngineHealth,
    Limit,
    LimiterStatus,
    PageMemory,
    Permit,
    RequestOutcome,
    answered,
    as_of,
    later,
    may_probe,
    mended,
    rated,
)
from shisho.ports import Clock, Shelf


class MemoryLimiter:
    """`ports.Limiter` in dictionaries."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paces: dict[str, ResourcePace] = {}
        self._used: defaultdict[tuple[str, str], int] = defaultdict(int)

    async def take(self, resource: str, limit: Limit, ticket: str) -> Permit:
        pace, leave = asked(self._now(resource), limit, ticket)
        self._keep(resource, pace)
        return leave

    async def give_back(self, resource: str, limit: Limit, ticket: str, *, after_s: float = 0.0) -> None:
        self._keep(resource, ended(self._now(resource), limit, ticket, after_s))

    async def standing(self, limits: Mapping[str, Limit]) -> Mapping[str, LimiterStatus]:
        return {resource: standing(self._now(resource), limit) for resource, limit in limits.items()}

    def _now(self, resource: str) -> ResourcePace:
        wall = datetime.fromisoformat(self._clock.now()).timestamp()
        pace = self._paces.get(resource, ResourcePace()).moved(wall, self._clock.monotonic())
        return replace(pace, used=self._used[resource, pace.day])

    def _keep(self, resource: str, pace: ResourcePace) -> None:
        self._paces[resource] = pace
        self._used[resource, pace.day] = pace.used


class MemoryHealth:
    """`ports.Health` in dictionaries."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[str, EngineHealth] = {}
        self._answers: defaultdict[str, deque[tuple[RequestOutcome, float]]] = defaultdict(lambda: deque(maxlen=LATEST))
        self._probers: dict[str, tuple[str, str]] = {}

    async def of(self, engines: Sequence[str]) -> Mapping[str, EngineHealth]:
        return {engine: rated(self._now(engine), self._answers[engine]) for engine in engines}

    async def record(self, engine: str, outcome: RequestOutcome, latency_s: float, error: str = "") -> EngineHealth:
        self._answers[engine].append((outcome, latency_s))
        self._held[engine] = answered(self._now(engine), outcome, self._clock.steady(), error)
        self._probers.pop(engine, None)
        return rated(self._held[engine], self._answers[engine])

    async def probe(self, engine: str, asker: str = "") -> bool:
        self._held[engine] = health = self._now(engine)
        if health.breaker is not BreakerState.HALF_OPEN:
            return health.breaker is BreakerState.CLOSED
        now = self._clock.steady()
        prober, until = self._probers.get(engine, (None, None))
        if not may_probe(prober, until, asker, now):
            return False
        self._probers[engine] = (asker, later(now, PROBE_S))
        return True

    async def mend(self, engine: str) -> None:
        self._held[engine] = mended(self._now(engine))
        self._probers.pop(engine, None)

    def _now(self, engine: str) -> EngineHealth:
        return as_of(self._held.get(engine, EngineHealth(engine)), self._clock.steady())


class MemoryCache:
    """`ports.Cache` in dictionaries."""

    def __init__(self, clock: Clock, shelf: Shelf) -> None:
        self._clock = clock
        self._shelf = shelf
        self._kept: dict[str, tuple[str, bool, str, str]] = {}
        self._pages: dict[tuple[str, str, str], PageMemory] = {}

    async def get(self, key: str) -> CacheEntry | None:
        value, partial, stored_at, until = self._kept.get(key, ("", False, "", ""))
        return CacheEntry(json.loads(value), partial, stored_at) if until > self._clock.steady() else None

    async def put(self, key: str, value: Any, seconds: float, *, partial: bool = False) -> None:
        self._kept[key] = (dumps(value), partial, self._clock.now(), later(self._clock.steady(), seconds))

    async def page(self, corpus: str, owner: str, canonical_url: str) -> PageMemory | None:
        page = self._pages.get((corpus, owner, canonical_url))
        if page is None:
            return None
        document = await self._shelf.document(DocumentId(page.document_id))
        return page if document.state is DocumentState.LIVE else None

    async def remember(self, corpus: str, owner: str, canonical_url: str, page: PageMemory) -> None:
        self._pages[corpus, owner, canonical_url] = page
