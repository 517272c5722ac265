"""The contract of every store of engine health."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shisho.domain.politeness import LATEST, PROBE_S, BreakerState, EngineHealth, RequestOutcome
from shisho.ports import Health
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresQueryStore
from shisho.stores.sql.health import StoredHealth
from tests.clocks import TwoHands
from tests.postgres import fresh_database

FAILURE = RequestOutcome.FAILURE
SUCCESS = RequestOutcome.SUCCESS
CHALLENGE = RequestOutcome.CHALLENGE
HALF_HOUR = 1800.0


@dataclass
class Ward:
    health: Health
    clock: TwoHands

    async def of(self, engine: str = "mojeek") -> EngineHealth:
        return (await self.health.read([engine]))[engine]

    async def met(self, *outcomes: RequestOutcome) -> EngineHealth:
        for outcome in outcomes:
            await self.health.record("mojeek", outcome, 0.5, "応答なし" if outcome is not SUCCESS else "")
        return await self.of()


@pytest.fixture(params=["embedded", "postgres"])
async def ward(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ward]:
    clock = TwoHands()
    if request.param == "postgres":
        async with fresh_database() as server_database:
            yield Ward(StoredHealth(PostgresQueryStore(server_database), clock), clock)
        return
    database = Database(tmp_path / "shisho.db")
    yield Ward(StoredHealth(EmbeddedQueryStore(database), clock), clock)
    await database.close()


async def test_an_engine_never_asked_is_healthy(ward: Ward) -> None:
    assert await ward.of() == EngineHealth("mojeek")
    assert await ward.health.probe("mojeek") and await ward.health.probe("mojeek")
    await ward.health.close_breaker("mojeek")
    assert (await ward.of()).breaker is BreakerState.CLOSED


async def test_what_is_recorded_is_what_is_remembered(ward: Ward) -> None:
    said = await ward.health.record("mojeek", FAILURE, 2.0, "応答なし")
    assert said == await ward.of()
    assert (said.failures, said.last_error, said.last_error_at) == (1, "応答なし", ward.clock.now())
    said = await ward.health.record("mojeek", SUCCESS, 1.0)
    assert (said.failures, said.last_error) == (0, "応答なし")
    assert await ward.of("bing") == EngineHealth("bing")


async def test_the_breaker_opens_longer_each_time_and_a_success_resets_it(ward: Ward) -> None:
    await ward.met(FAILURE, FAILURE)
    for minutes in (30, 60, 120, 120):
        assert not await ward.health.probe("mojeek")
        ward.clock.pass_(minutes * 60 - 1)
        assert (await ward.of()).breaker is BreakerState.OPEN and not await ward.health.probe("mojeek")
        ward.clock.pass_(1)
        assert (await ward.of()).breaker is BreakerState.HALF_OPEN and await ward.health.probe("mojeek")
        await ward.met(FAILURE)
    ward.clock.pass_(7200)
    assert await ward.health.probe("mojeek")
    healed = await ward.met(SUCCESS)
    assert (healed.breaker, healed.failures, healed.openings) == (BreakerState.CLOSED, 0, 0)
    await ward.met(FAILURE, FAILURE)
    assert (await ward.of()).open_until == ward.clock.ahead(HALF_HOUR)


async def test_half_open_lets_one_asker_try_for_a_minute(ward: Ward) -> None:
    await ward.met(FAILURE, FAILURE)
    ward.clock.pass_(HALF_HOUR)
    assert await ward.health.probe("mojeek", "job 1")
    assert await ward.health.probe("mojeek", "job 1"), "the same one may ask again"
    assert not await ward.health.probe("mojeek", "job 2") and not await ward.health.probe("mojeek")
    ward.clock.pass_(PROBE_S)
    assert await ward.health.probe("mojeek")
    assert not await ward.health.probe("mojeek"), "nobody in particular is never the same one"
    ward.clock.jump(-20)
    assert not await ward.health.probe("mojeek", "job 2"), "a clock that is set right changes nothing"


async def test_a_challenge_opens_at_once_and_a_person_closes(ward: Ward) -> None:
    held = await ward.met(SUCCESS, CHALLENGE)
    assert (held.breaker, held.openings) == (BreakerState.OPEN, 1)
    await ward.health.close_breaker("mojeek")
    mended = await ward.of()
    assert (mended.breaker, mended.openings, mended.challenge_rate) == (BreakerState.CLOSED, 0, 0.5)
    assert await ward.health.probe("mojeek")


async def test_rates_are_over_the_latest_requests(ward: Ward) -> None:
    await ward.met(*[FAILURE] * LATEST)
    for latency in (0.1, 0.2, 0.9):
        await ward.health.record("mojeek", SUCCESS, latency)
    held = await ward.met(CHALLENGE, CHALLENGE)
    assert (
        held.success_rate == 3 / LATEST and held.challenge_rate == 2 / LATEST and held.median_latency_s == 0.5
    )
    for latency in (0.1, 0.3, *[0.2] * (LATEST - 2)):
        await ward.health.record("mojeek", SUCCESS, latency)
    held = await ward.of()
    assert (held.success_rate, held.challenge_rate, held.median_latency_s) == (1.0, 0.0, 0.2)


async def test_a_clock_that_runs_back_keeps_nothing_shut_for_longer(ward: Ward) -> None:
    await ward.met(FAILURE, FAILURE)
    ward.clock.jump(-5 * 3600)
    assert not await ward.health.probe("mojeek")
    ward.clock.pass_(HALF_HOUR)
    assert await ward.health.probe("mojeek", "job 1")
    ward.clock.jump(-300)
    assert not await ward.health.probe("mojeek", "job 2"), (
        "it is open again for as long as the clock ran back"
    )
    ward.clock.pass_(300 + PROBE_S)
    assert await ward.health.probe("mojeek", "job 2")
