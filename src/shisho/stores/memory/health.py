"""How engines have answered, in one process."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

from shisho.domain.politeness import (
    LATEST,
    PROBE_S,
    BreakerState,
    EngineHealth,
    RequestOutcome,
    add_rates,
    clear_failures,
    may_probe,
    record_outcome,
    refresh_breaker,
)
from shisho.domain.time import Instant, later
from shisho.ports import Clock


class MemoryHealth:
    """`ports.Health` in dictionaries."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[str, EngineHealth] = {}
        self._answers: defaultdict[str, deque[tuple[RequestOutcome, float]]] = defaultdict(
            lambda: deque(maxlen=LATEST)
        )
        self._probers: dict[str, tuple[str, Instant]] = {}

    async def read(self, engines: Sequence[str]) -> Mapping[str, EngineHealth]:
        return {engine: add_rates(self._now(engine), self._answers[engine]) for engine in engines}

    async def record(
        self, engine: str, outcome: RequestOutcome, latency_s: float, error: str = ""
    ) -> EngineHealth:
        self._answers[engine].append((outcome, latency_s))
        self._held[engine] = record_outcome(self._now(engine), outcome, self._clock.steady(), error)
        self._probers.pop(engine, None)
        return add_rates(self._held[engine], self._answers[engine])

    async def probe(self, engine: str, asker: str = "") -> bool:
        health = self._now(engine)
        self._held[engine] = health
        if health.breaker is not BreakerState.HALF_OPEN:
            return health.breaker is BreakerState.CLOSED
        now = self._clock.steady()
        prober, until = self._probers.get(engine, (None, None))
        if not may_probe(prober, until, asker, now):
            return False
        self._probers[engine] = (asker, later(now, PROBE_S))
        return True

    async def mend(self, engine: str) -> None:
        self._held[engine] = clear_failures(self._now(engine))
        self._probers.pop(engine, None)

    def _now(self, engine: str) -> EngineHealth:
        return refresh_breaker(self._held.get(engine, EngineHealth(engine)), self._clock.steady())
