"""kill -9 around a person's turn: what is stored waits; every waiting job has one open row, and no other
has."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import apsw

from shisho.domain.codec import Payload
from shisho.domain.intervention import AuthTarget, PendingIntervention
from shisho.domain.job import NewJob
from shisho.jobs.timing import WorkerTiming, make_id
from shisho.system.clock import SystemClock
from tests.faults.children import Child, started
from tests.faults.process import TASK, Orders
from tests.machine import PATIENCE
from tests.queues import CAPTCHA, OWNER, Queue, opened, output_of

PACE = WorkerTiming(beat=0.1, cut_off=1e6, silence=0.8, look=0.1, idle=0.1)
TORN = """SELECT count(*) FROM jobs j LEFT JOIN interventions i ON i.job_id = j.id AND i.ended_at IS NULL
    WHERE (j.state = 'awaiting_auth') <> (i.id IS NOT NULL)"""


async def guarded(queue: Queue, number: int) -> list[str]:
    jobs = [NewJob(make_id(), "guarded", Payload()) for _ in range(number)]
    return list((await queue.tasks.enqueue(TASK, jobs)).job_ids)


def states(home: Path) -> Counter[str]:
    with closing(apsw.Connection(str(home / "shisho.db"), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        connection.set_busy_timeout(10_000)
        assert connection.execute(TORN).get == 0
        return Counter(state for (state,) in connection.execute("SELECT state FROM jobs"))


def until(home: Path, state: str, number: int, seconds: float = PATIENCE) -> None:
    ends = time.monotonic() + seconds
    while states(home)[state] < number:
        assert time.monotonic() < ends, states(home)
        time.sleep(0.02)


async def test_killed_after_the_challenge_was_stored(tmp_path: Path) -> None:
    orders = Orders(str(tmp_path), slots=1, pace=PACE)
    async with opened("embedded", tmp_path, SystemClock()) as queue:
        (job_id,) = await guarded(queue, 1)
        with started(orders) as (child,):
            until(tmp_path, "awaiting_auth", 1)
            child.kill()
        (before,) = await queue.interventions.list_waiting(OWNER)
        with started(orders):
            await asyncio.sleep(0.5)
            assert list(await queue.interventions.list_waiting(OWNER)) == [before]
            assert (await queue.interventions.find_pending(OWNER, CAPTCHA.engine)) == CAPTCHA
            await queue.interventions.complete(OWNER, AuthTarget.DOMAIN, CAPTCHA.domain)
            until(tmp_path, "completed", 1)
        job = await queue.jobs.get_job(before.job_id)
        assert (job.id, job.attempt, job.failures, output_of(job)) == (
            job_id,
            2,
            0,
            {"page 1": 1, "page 2": 2},
        )


async def test_killed_at_any_moment_of_waiting_and_going_on(tmp_path: Path) -> None:
    chance = random.Random(5)
    orders = Orders(str(tmp_path), slots=4, pace=PACE)
    async with opened("embedded", tmp_path, SystemClock()) as queue:
        await guarded(queue, 200)
        child = Child(orders)
        freed = list[PendingIntervention]()
        for _ in range(8):
            child.heard("ready")
            await asyncio.sleep(chance.uniform(0.05, 0.3))
            freed += await queue.interventions.complete(OWNER, AuthTarget.DOMAIN, CAPTCHA.domain)
            await asyncio.sleep(chance.uniform(0.0, 0.1))
            child.kill()
            states(tmp_path)
            child = Child(orders)
        while states(tmp_path)["completed"] < 200:
            freed += await queue.interventions.complete(OWNER, AuthTarget.DOMAIN, CAPTCHA.domain)
            await asyncio.sleep(0.05)
        child.kill()
        once = {one.job_id for one in freed}
        # One killed between its challenge and its waiting does not ask again here, and so never waits: four
        # at each kill.
        assert len(freed) == len(once) >= 200 - 8 * orders.slots, "nothing was freed twice"
