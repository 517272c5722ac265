"""The responses of search engines in a database, and the probes of half-open breakers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
from shisho.domain.time import add_seconds
from shisho.ports import Clock
from shisho.stores.sql import Queries, QueryStore, fetch_first

# Read the stored health of an engine.
HEALTH = "SELECT breaker, failures, openings, open_until, last_error, last_error_at FROM engine_health WHERE engine = :engine"
# Store the health of an engine, replacing the old one.
KEEP = """INSERT INTO engine_health(engine, breaker, failures, openings, open_until, last_error, last_error_at)
    VALUES (:engine, :breaker, :failures, :openings, :open_until, :last_error, :last_error_at)
    ON CONFLICT (engine) DO UPDATE SET breaker = excluded.breaker, failures = excluded.failures, openings = excluded.openings,
        open_until = excluded.open_until, last_error = excluded.last_error, last_error_at = excluded.last_error_at"""
# List the latest responses of an engine, newest first.
ANSWERS = (
    "SELECT outcome, latency_s FROM engine_answers WHERE engine = :engine ORDER BY seq DESC LIMIT :latest"
)
# Delete all but the latest responses of an engine.
FORGET = """DELETE FROM engine_answers WHERE engine = :engine AND seq <= (SELECT seq FROM engine_answers
    WHERE engine = :engine ORDER BY seq DESC LIMIT 1 OFFSET :latest)"""
# Record a response of an engine.
ANSWERED = "INSERT INTO engine_answers(engine, outcome, latency_s) VALUES (:engine, :outcome, :latency_s)"
# Read who may probe an engine, and until when.
PROBING = "SELECT prober, probe_until FROM engine_health WHERE engine = :engine"
# Set who may probe it, or nobody.
PROBER = "UPDATE engine_health SET prober = :prober, probe_until = :until WHERE engine = :engine"


class StoredHealth:
    """`ports.Health` for all processes that share a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def read(self, engines: Sequence[str]) -> dict[str, EngineHealth]:
        def read(queries: Queries) -> dict[str, EngineHealth]:
            return {engine: _add_rates(queries, self._read_health(queries, engine)) for engine in engines}

        return await self._store.read(read)

    async def record(
        self, engine: str, outcome: RequestOutcome, latency_s: float, error: str = ""
    ) -> EngineHealth:
        def write(queries: Queries) -> EngineHealth:
            _hold(queries, engine)
            queries.fetch(ANSWERED, {"engine": engine, "outcome": str(outcome), "latency_s": latency_s})
            queries.fetch(FORGET, {"engine": engine, "latest": LATEST})
            health = record_outcome(
                self._read_health(queries, engine), outcome, self._clock.timeline_now(), error
            )
            _keep(queries, health)
            queries.fetch(PROBER, {"prober": None, "until": None, "engine": engine})
            return _add_rates(queries, health)

        return await self._store.write(write)

    async def probe(self, engine: str, asker: str = "") -> bool:
        def write(queries: Queries) -> bool:
            _hold(queries, engine)
            health = self._read_health(queries, engine)
            now = self._clock.timeline_now()
            if health.breaker is not BreakerState.HALF_OPEN:
                if health.breaker is BreakerState.OPEN:
                    _keep(queries, health)  # saves a time that was shortened after the clock ran back
                return health.breaker is BreakerState.CLOSED
            (probing,) = queries.fetch(PROBING, {"engine": engine})
            if not may_probe(probing.prober, probing.probe_until, asker, now):
                return False
            queries.fetch(PROBER, {"prober": asker, "until": add_seconds(now, PROBE_S), "engine": engine})
            return True

        if (await self.read([engine]))[engine].breaker is BreakerState.CLOSED:
            return True
        return await self._store.write(write)

    async def close_breaker(self, engine: str) -> None:
        def write(queries: Queries) -> None:
            _hold(queries, engine)
            _keep(queries, clear_failures(self._read_health(queries, engine)))
            queries.fetch(PROBER, {"prober": None, "until": None, "engine": engine})

        await self._store.write(write)

    def _read_health(self, queries: Queries, engine: str) -> EngineHealth:
        row = fetch_first(queries, HEALTH, {"engine": engine})
        if row is None:
            return EngineHealth(engine)
        health = EngineHealth(engine, BreakerState(row.breaker), row.failures, row.openings, row.open_until)
        return refresh_breaker(
            replace(health, last_error=row.last_error, last_error_at=row.last_error_at),
            self._clock.timeline_now(),
        )


def _hold(queries: Queries, engine: str) -> None:
    queries.hold(f"health {engine}")


def _add_rates(queries: Queries, health: EngineHealth) -> EngineHealth:
    answers = queries.fetch(ANSWERS, {"engine": health.engine, "latest": LATEST})
    return add_rates(health, [(RequestOutcome(answer.outcome), answer.latency_s) for answer in answers])


def _keep(queries: Queries, health: EngineHealth) -> None:
    names = ("engine", "failures", "openings", "open_until", "last_error", "last_error_at")
    values = {name: getattr(health, name) for name in names}
    is_open = health.breaker is not BreakerState.CLOSED
    breaker = BreakerState.OPEN if is_open else BreakerState.CLOSED
    queries.fetch(KEEP, values | {"breaker": str(breaker)})
