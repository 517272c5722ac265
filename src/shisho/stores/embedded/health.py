"""How engines have answered, in SQLite, and who may try one whose breaker is half open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import apsw

from shisho.domain.politeness import (
    LATEST,
    PROBE_S,
    BreakerState,
    EngineHealth,
    RequestOutcome,
    as_of,
    clear_failures,
    may_probe,
    rated,
    record_outcome,
)
from shisho.domain.time import later
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import every

HEALTH = "SELECT breaker, failures, openings, open_until, last_error, last_error_at FROM engine_health WHERE engine = ?"
KEEP = """INSERT INTO engine_health(engine, breaker, failures, openings, open_until, last_error, last_error_at)
    VALUES (:engine, :breaker, :failures, :openings, :open_until, :last_error, :last_error_at)
    ON CONFLICT DO UPDATE SET breaker = excluded.breaker, failures = excluded.failures, openings = excluded.openings,
        open_until = excluded.open_until, last_error = excluded.last_error, last_error_at = excluded.last_error_at"""
ANSWERS = "SELECT outcome, latency_s FROM engine_answers WHERE engine = ? ORDER BY seq DESC LIMIT ?"
FORGET = """DELETE FROM engine_answers WHERE engine = :engine AND seq <= (SELECT seq FROM engine_answers
    WHERE engine = :engine ORDER BY seq DESC LIMIT 1 OFFSET :latest)"""
PROBER = "UPDATE engine_health SET prober = ?, probe_until = ? WHERE engine = ?"


class EmbeddedHealth:
    """`ports.Health` for all processes that share one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def of(self, engines: Sequence[str]) -> dict[str, EngineHealth]:
        def work(connection: apsw.Connection) -> dict[str, EngineHealth]:
            return {engine: _rated(connection, self._held(connection, engine)) for engine in engines}

        return await self._database.read(work)

    async def record(self, engine: str, outcome: RequestOutcome, latency_s: float, error: str = "") -> EngineHealth:
        def work(connection: apsw.Connection) -> EngineHealth:
            query = "INSERT INTO engine_answers(engine, outcome, latency_s) VALUES (?, ?, ?)"
            connection.execute(query, (engine, outcome, latency_s))
            connection.execute(FORGET, {"engine": engine, "latest": LATEST})
            health = record_outcome(self._held(connection, engine), outcome, self._clock.steady(), error)
            _keep(connection, health)
            connection.execute(PROBER, (None, None, engine))
            return _rated(connection, health)

        return await self._database.write(work)

    async def probe(self, engine: str, asker: str = "") -> bool:
        def work(connection: apsw.Connection) -> bool:
            health, now = self._held(connection, engine), self._clock.steady()
            if health.breaker is not BreakerState.HALF_OPEN:
                if health.breaker is BreakerState.OPEN:
                    _keep(connection, health)  # what a clock that ran back has shortened
                return health.breaker is BreakerState.CLOSED
            query = "SELECT prober, probe_until FROM engine_health WHERE engine = ?"
            ((prober, until),) = every(connection.execute(query, (engine,)))
            if not may_probe(prober, until, asker, now):
                return False
            connection.execute(PROBER, (asker, later(now, PROBE_S), engine))
            return True

        if (await self.of([engine]))[engine].breaker is BreakerState.CLOSED:
            return True
        return await self._database.write(work)

    async def mend(self, engine: str) -> None:
        def work(connection: apsw.Connection) -> None:
            _keep(connection, clear_failures(self._held(connection, engine)))
            connection.execute(PROBER, (None, None, engine))

        await self._database.write(work)

    def _held(self, connection: apsw.Connection, engine: str) -> EngineHealth:
        found = every(connection.execute(HEALTH, (engine,)))
        if not found:
            return EngineHealth(engine)
        breaker, failures, openings, open_until, last_error, last_error_at = found[0]
        held = EngineHealth(engine, BreakerState(breaker), failures, openings, open_until)
        return as_of(replace(held, last_error=last_error, last_error_at=last_error_at), self._clock.steady())


def _rated(connection: apsw.Connection, health: EngineHealth) -> EngineHealth:
    rows = connection.execute(ANSWERS, (health.engine, LATEST))
    return rated(health, [(RequestOutcome(outcome), latency) for outcome, latency in rows])


def _keep(connection: apsw.Connection, health: EngineHealth) -> None:
    names = ("engine", "failures", "openings", "open_until", "last_error", "last_error_at")
    values = {name: getattr(health, name) for name in names}
    open_ = health.breaker is not BreakerState.CLOSED
    connection.execute(KEEP, values | {"breaker": BreakerState.OPEN if open_ else BreakerState.CLOSED})
