"""A worker frozen for longer than the silence is fenced and its job redone elsewhere; a clock that jumps
harms nobody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.domain.job import JobId, JobState, Priority
from shisho.jobs.timing import WorkerTiming
from tests.faults.children import LONG, Child, first_to_begin, started
from tests.faults.process import TASK, Orders
from tests.machine import PATIENCE, Stopwatch
from tests.queues import Queue, new, opened, output_of
from tests.shared import missing

PACE = WorkerTiming() if LONG else WorkerTiming(beat=0.3, cut_off=1.2, silence=2.0, look=0.2, idle=0.1)
SLACK = 6.0  # from the end of the silence to the job's beginning elsewhere
FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened("embedded", tmp_path) as made:
        yield made


async def add(queue: Queue, seconds: float) -> JobId:
    job = new("lasting", input={"seconds": seconds}, priority=Priority.HIGH)
    return (await queue.tasks.enqueue(TASK, [job])).job_ids[0]


@pytest.mark.parametrize("cut_off", [PACE.cut_off, 1e6], ids=["it notices", "only the fence"])
async def test_a_frozen_worker_is_fenced_and_its_job_redone_elsewhere(
    queue: Queue, tmp_path: Path, cut_off: float
) -> None:
    orders = Orders(str(tmp_path), slots=1, pace=replace(PACE, cut_off=cut_off))
    with started(orders, orders) as both:
        job_id = await add(queue, 1.5)
        first, (second,) = await asyncio.to_thread(first_to_begin, both, job_id)
        begun = first.heard("begun", job_id)
        with first.frozen():
            limit = PACE.silence + SLACK
            again = await asyncio.to_thread(second.heard, "begun", job_id, limit + 20, attempt=2)
            await queue.until(job_id, JobState.COMPLETED)
        await asyncio.sleep(1.5)
        job = await queue.jobs.get_job(job_id)
    print(
        f"silence {PACE.silence:g} s: begun elsewhere {again['at'] - begun['at']:.1f} s after its first beginning"
    )
    assert PACE.silence <= again["at"] - begun["at"] <= limit
    assert (job.state, job.attempt, job.failures, output_of(job)["attempt"]) == (JobState.COMPLETED, 2, 1, 2)
    assert [each.kind for each in await queue.tasks.list_events(TASK.id)].count("completed") == 1


@pytest.mark.alone
async def test_a_dead_worker_is_noticed_at_once(queue: Queue, tmp_path: Path) -> None:
    orders = Orders(str(tmp_path), slots=1, pace=WorkerTiming())
    with started(orders, orders) as both:
        job_id = await add(queue, 0.5)
        first, (second,) = await asyncio.to_thread(first_to_begin, both, job_id)
        first.kill()
        with Stopwatch() as watch:
            await asyncio.to_thread(second.heard, "begun", job_id, PATIENCE, attempt=2)
    assert watch.undisturbed < 4
    print(f"a killed worker's job begun elsewhere after {watch.seconds:.2f} s")


async def test_a_clock_that_jumps_an_hour_loses_no_job(queue: Queue, tmp_path: Path) -> None:
    if not FAKETIME:
        missing("libfaketime is not installed (apt-get install faketime)")
    offset = tmp_path / "offset"
    offset.write_text("+0\n")
    faked = {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME_TIMESTAMP_FILE": str(offset)}
    faked |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    orders = Orders(str(tmp_path), slots=1, pace=PACE)
    with started(orders) as (steady,), started(orders, environment=faked) as (jumping,):
        ids = [await add(queue, PACE.silence * 2.5) for _ in range(2)]
        for job_id in ids:
            await queue.until(job_id, JobState.RUNNING)
        for jump in ("+1h", "-1h", "+0"):
            offset.write_text(jump + "\n")
            await asyncio.sleep(PACE.silence * 0.6)
        jobs = [await queue.until(job_id, JobState.COMPLETED, seconds=PACE.silence * 5) for job_id in ids]
        assert {one["ended"] for one in steady.said + jumping.said if "ended" in one} == set(ids)
        assert jumps(jumping) == {3600, -3600, 0} and jumps(steady) == {0}
    sweep(jumping.pid)
    assert [(job.attempt, job.failures) for job in jobs] == [(1, 0)] * 2
    assert len({job.worker_id for job in jobs}) == 2


def sweep(pid: int) -> None:
    """Remove what libfaketime leaves behind of a killed process."""
    for left in Path("/dev/shm").glob(f"*faketime_s*_{pid}"):
        left.unlink()


def jumps(child: Child) -> set[float]:
    """By how many seconds a child's wall clock was off."""
    true = time.time() - time.monotonic()
    return {round(one["wall"] - one["at"] - true, -2) for one in child.said if "tick" in one}


async def put_back(queue: Queue, job_id: JobId) -> None:
    """Until it waits after its first attempt, which is too short to be seen for certain."""
    async with asyncio.timeout(PATIENCE):
        while (job := await queue.jobs.get_job(job_id)).attempt == 0 or job.state is not JobState.QUEUED:  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # no bell is sure to be heard between the two


@pytest.mark.parametrize("jump", ["+1h", "-1h"])
async def test_a_waiting_job_goes_on_in_time_after_the_clock_has_jumped(
    queue: Queue, tmp_path: Path, jump: str
) -> None:
    """For a process that sees the jump, and for one that begins after it."""
    if not FAKETIME:
        missing("libfaketime is not installed (apt-get install faketime)")
    offset = tmp_path / "offset"
    waits = 8.0
    offset.write_text("+0\n")
    faked = {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME_TIMESTAMP_FILE": str(offset)}
    faked |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    orders = Orders(str(tmp_path), slots=1, pace=PACE)
    pids = []
    for is_new in (False, True):
        offset.write_text("+0\n")
        with started(orders, environment=faked) as (seeing,):
            pids.append(seeing.pid)
            job = new("postponed", input={"seconds": waits}, priority=Priority.HIGH)
            (job_id,) = (await queue.tasks.enqueue(TASK, [job])).job_ids
            await put_back(queue, job_id)
            began = time.monotonic()
            offset.write_text(jump + "\n")
            with started(orders, environment=faked) if is_new else nullcontext([seeing]) as (going_on,):
                if is_new:
                    pids.append(going_on.pid)
                    seeing.kill()
                went_on = await asyncio.to_thread(going_on.heard, "went_on", job_id, 60)
        waited = went_on["at"] - began
        print(
            f"{jump}, {'a new process' if is_new else 'the same process'}: went on after {waited:.1f} s of {waits:g}"
        )
        assert waits - 1 <= waited
    for pid in pids:
        sweep(pid)
