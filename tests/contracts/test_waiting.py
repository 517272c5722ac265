"""Whatever is waited for comes when it was said, wherever the clock on the wall jumps to meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shisho.domain.job import JobState
from shisho.domain.payloads import SearchOutcome
from shisho.domain.politeness import BreakerState, RequestOutcome
from shisho.domain.time import add_seconds
from shisho.domain.web import PagingStop
from shisho.jobs.context import JobContext, JobSuspended
from shisho.jobs.timing import WorkerTiming
from shisho.ports import Cache, Health
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresQueryStore
from shisho.stores.sql.cache import StoredCache
from shisho.stores.sql.health import StoredHealth
from tests.clocks import TwoHands
from tests.queues import BEN, CAPTCHA, Queue, new, opened

HOUR = 3600.0
JUMPS = [pytest.param(HOUR, id="forward"), pytest.param(-HOUR, id="back")]


@dataclass(frozen=True)
class Room:
    queue: Queue
    clock: TwoHands
    health: Health


@pytest.fixture(params=["embedded", "postgres"])
async def room(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Room]:
    clock = TwoHands()
    async with opened(request.param, tmp_path, clock) as queue:
        health: Health
        if isinstance(queue.database, Database):
            health = StoredHealth(EmbeddedQueryStore(queue.database), clock)
        else:
            health = StoredHealth(PostgresQueryStore(queue.database), clock)
        yield Room(queue, clock, health)


@pytest.fixture
async def cache(tmp_path: Path) -> AsyncIterator[tuple[TwoHands, Cache]]:
    clock = TwoHands()
    async with opened("embedded", tmp_path, clock) as queue:
        assert isinstance(queue.database, Database)
        yield clock, StoredCache(EmbeddedQueryStore(queue.database), clock)


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_job_that_was_put_back_is_due_when_it_said(room: Room, jump: float) -> None:
    await room.queue.add(new())
    job = await room.queue.claimed()
    with pytest.raises(JobSuspended):
        await JobContext(job, room.queue.jobs, room.clock, WorkerTiming()).wait(60)
    room.clock.jump(jump)
    room.clock.pass_(59)
    assert await room.queue.jobs.claim(BEN, ["toy"]) is None
    room.clock.pass_(2)
    assert (await room.queue.claimed(BEN)).id == job.id


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_parked_job_goes_on_when_its_time_is_over(room: Room, jump: float) -> None:
    await room.queue.add(new())
    job = await room.queue.claimed()
    context = JobContext(job, room.queue.jobs, room.clock, WorkerTiming())
    await context.spawn(new("child"))
    with pytest.raises(JobSuspended):
        await context.park(60)
    room.clock.jump(jump)
    room.clock.pass_(59)
    assert await room.queue.jobs.expire() == 0
    room.clock.pass_(2)
    assert await room.queue.jobs.expire() == 1
    assert await room.queue.state(job.id) is JobState.QUEUED


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_person_has_the_time_that_was_promised(room: Room, jump: float) -> None:
    await room.queue.add(new())
    job = await room.queue.claimed()
    with pytest.raises(JobSuspended):
        await JobContext(job, room.queue.jobs, room.clock, WorkerTiming(person=3 * HOUR)).await_person(
            SearchOutcome("一", "memory", (), PagingStop.CHALLENGE, (), ()), CAPTCHA
        )
    room.clock.jump(jump)
    room.clock.pass_(3 * HOUR - 1)
    assert await room.queue.jobs.expire() == 0
    room.clock.pass_(2)
    assert await room.queue.jobs.expire() == 1
    assert await room.queue.state(job.id) is JobState.COMPLETED


@pytest.mark.parametrize("jump", JUMPS)
async def test_an_engine_rests_as_long_as_it_should(room: Room, jump: float) -> None:
    await room.health.record("mojeek", RequestOutcome.CHALLENGE, 0.1)
    room.clock.jump(jump)
    room.clock.pass_(1799)
    assert (await room.health.read(["mojeek"]))["mojeek"].breaker is BreakerState.OPEN
    assert not await room.health.probe("mojeek", "ana")
    room.clock.pass_(2)
    assert await room.health.probe("mojeek", "ana")
    room.clock.jump(jump)
    assert not await room.health.probe("mojeek", "ben"), "one at a time"
    room.clock.pass_(61)
    assert await room.health.probe("mojeek", "ben")


@pytest.mark.parametrize("jump", JUMPS)
async def test_what_is_kept_is_kept_so_long_and_no_longer(cache: tuple[TwoHands, Cache], jump: float) -> None:
    clock, kept = cache
    await kept.put("key", "value", 600)
    clock.jump(jump)
    clock.pass_(599)
    assert await kept.get("key") is not None
    clock.pass_(2)
    assert await kept.get("key") is None


async def test_a_machine_started_again_lets_nobody_wait_longer(room: Room) -> None:
    await room.queue.add(new(not_before=add_seconds(room.clock.timeline_now(), 60)))
    room.clock.restart()
    room.clock.jump(-HOUR)
    room.clock.pass_(61)
    assert await room.queue.claimed() is not None
