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
from shisho.stores.embedded.rows import every, first

# What is remembered of an engine.
HEALTH = "SELECT breaker, failures, openings, open_until, last_error, last_error_at FROM engine_health WHERE engine = ?"
# What is remembered of an engine, in place of what was.
KEEP = """INSERT INTO engine_health(engine, breaker, failures, openings, open_until, last_error, last_error_at)
    VALUES (:engine, :breaker, :failures, :openings, :open_until, :last_error, :last_error_at)
    ON CONFLICT DO UPDATE SET breaker = excluded.breaker, failures = excluded.failures, openings = excluded.openings,
        open_until = excluded.open_until, last_error = excluded.last_error, last_error_at = excluded.last_error_at"""
# How an engine has answered, latest first.
ANSWERS = "SELECT outcome, latency_s FROM engine_answers WHERE engine = ? ORDER BY seq DESC LIMIT ?"
# All but the latest answers of an engine.
FORGET = """DELETE FROM engine_answers WHERE engine = :engine AND seq <= (SELECT seq FROM engine_answers
    WHERE engine = :engine ORDER BY seq DESC LIMIT 1 OFFSET :latest)"""
# One answer of an engine.
ANSWERED = "INSERT INTO engine_answers(engine, outcome, latency_s) VALUES (?, ?, ?)"
# Who may try an engine, and until when.
PROBING = "SELECT prober, probe_until FROM engine_health WHERE engine = ?"
# Let somebody try it, or nobody in particular.
PROBER = "UPDATE engine_health SET prober = ?, probe_until = ? WHERE engine = ?"


class EmbeddedHealth:
    """`ports.Health` for all processes that share one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def of(self, engines: Sequence[str]) -> dict[str, EngineHealth]:
        def work(connection: apsw.Connection) -> dict[str, EngineHealth]:
            return {engine: _rated(connection, self._held(connection, engine)) for engine in engines}

        return await self._database.read(work)

    async def record(
        self, engine: str, outcome: RequestOutcome, latency_s: float, error: str = ""
    ) -> EngineHealth:
        def work(connection: apsw.Connection) -> EngineHealth:
            connection.execute(ANSWERED, (engine, outcome, latency_s))
            connection.execute(FORGET, {"engine": engine, "latest": LATEST})
            health = record_outcome(self._held(connection, engine), outcome, self._clock.steady(), error)
            _keep(connection, health)
            connection.execute(PROBER, (None, None, engine))
            return _rated(connection, health)

        return await self._database.write(work)

    async def probe(self, engine: str, asker: str = "") -> bool:
        def work(connection: apsw.Connection) -> bool:
            health = self._held(connection, engine)
            now = self._clock.steady()
            if health.breaker is not BreakerState.HALF_OPEN:
                if health.breaker is BreakerState.OPEN:
                    _keep(connection, health)  # what a clock that ran back has shortened
                return health.breaker is BreakerState.CLOSED
            (probing,) = every(connection.execute(PROBING, (engine,)))
            if not may_probe(probing.prober, probing.probe_until, asker, now):
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
        row = first(connection.execute(HEALTH, (engine,)))
        if row is None:
            return EngineHealth(engine)
        health = EngineHealth(engine, BreakerState(row.breaker), row.failures, row.openings, row.open_until)
        return as_of(
            replace(health, last_error=row.last_error, last_error_at=row.last_error_at),
            self._clock.steady(),
        )


def _rated(connection: apsw.Connection, health: EngineHealth) -> EngineHealth:
    answers = every(connection.execute(ANSWERS, (health.engine, LATEST)))
    return rated(health, [(RequestOutcome(answer.outcome), answer.latency_s) for answer in answers])


def _keep(connection: apsw.Connection, health: EngineHealth) -> None:
    names = ("engine", "failures", "openings", "open_until", "last_error", "last_error_at")
    values = {name: getattr(health, name) for name in names}
    open_ = health.breaker is not BreakerState.CLOSED
    connection.execute(KEEP, values | {"breaker": BreakerState.OPEN if open_ else BreakerState.CLOSED})
