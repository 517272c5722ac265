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
from tests.machine import PATIENCE, Stopwatch, contended
from tests.queues import Queue, new, opened, output_of
from tests.shared import missing

PACE = WorkerTiming() if LONG else WorkerTiming(beat=0.3, cut_off=1.2, silence=2.0, look=0.2, idle=0.1)
# Silent is only who is frozen, however long a busy machine lets a process wait for its turn.
PATIENT = replace(PACE, cut_off=WorkerTiming().cut_off, silence=WorkerTiming().silence)
TICKS = 8  # of a fifth of a second: all who look for dead workers have looked by then
SLACK = 6.0  # from the end of the silence to the job's beginning elsewhere
FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened("embedded", tmp_path) as made:
        yield made


async def add(queue: Queue, **lasting: float | str) -> JobId:
    job = new("lasting", input=lasting, priority=Priority.HIGH)
    return (await queue.tasks.enqueue(TASK, [job])).job_ids[0]


@pytest.mark.parametrize("cut_off", [PACE.cut_off, 1e6], ids=["it notices", "only the fence"])
async def test_a_frozen_worker_is_fenced_and_its_job_redone_elsewhere(
    queue: Queue, tmp_path: Path, cut_off: float
) -> None:
    orders = Orders(str(tmp_path), slots=1, pace=replace(PACE, cut_off=cut_off))
    with started(orders, orders) as both:
        before = contended()
        job_id = await add(queue, seconds=1.5)
        first, (second,) = await asyncio.to_thread(first_to_begin, both, job_id)
        begun = first.heard("begun", job_id)
        with first.frozen():
            again = await asyncio.to_thread(second.heard, "begun", job_id, attempt=2)
            others = contended() - before
            await queue.until(job_id, JobState.COMPLETED)
        await asyncio.sleep(1.5)
        job = await queue.jobs.get_job(job_id)
    after = again["at"] - begun["at"]
    print(f"silence {PACE.silence:g} s: begun elsewhere {after:.1f} s after its first beginning")
    assert PACE.silence <= after and after - others <= PACE.silence + SLACK
    assert (job.state, job.attempt, job.deaths, output_of(job)["attempt"]) == (JobState.COMPLETED, 2, 1, 2)
    assert [each.kind for each in await queue.tasks.list_events(TASK.id)].count("completed") == 1


@pytest.mark.apart
async def test_a_dead_worker_is_noticed_at_once(queue: Queue, tmp_path: Path) -> None:
    orders = Orders(str(tmp_path), slots=1, pace=WorkerTiming())
    with started(orders, orders) as both:
        job_id = await add(queue, seconds=0.5)
        first, (second,) = await asyncio.to_thread(first_to_begin, both, job_id)
        first.kill()
        with Stopwatch() as watch:
            await asyncio.to_thread(second.heard, "begun", job_id, PATIENCE, attempt=2)
    assert watch.undisturbed < 4
    print(f"a killed worker's job begun elsewhere after {watch.seconds:.2f} s")


@pytest.mark.slow
async def test_a_clock_that_jumps_an_hour_loses_no_job(queue: Queue, tmp_path: Path) -> None:
    if not FAKETIME:
        missing("libfaketime is not installed (apt-get install faketime)")
    offset = tmp_path / "offset"
    offset.write_text("+0\n")
    faked = {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME_TIMESTAMP_FILE": str(offset)}
    faked |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    orders = Orders(str(tmp_path), slots=1, pace=PATIENT)
    told = tmp_path / "told"
    with started(orders) as (timeline_now,), started(orders, environment=faked) as (jumping,):
        ids = [await add(queue, until=str(told)) for _ in range(2)]
        for job_id in ids:
            await queue.until(job_id, JobState.RUNNING)
        for jump, seconds in (("+1h", 3600), ("-1h", -3600), ("+0", 0)):
            offset.write_text(jump + "\n")
            await asyncio.to_thread(hear_jump, jumping, seconds)
        told.touch()
        jobs = [await queue.until(job_id, JobState.COMPLETED) for job_id in ids]
        assert {child.heard("ended")["ended"] for child in (timeline_now, jumping)} == set(ids)
        assert set(list_jumps(jumping)) == {3600, -3600, 0} and set(list_jumps(timeline_now)) == {0}
    sweep(jumping.pid)
    assert [(job.attempt, job.failures) for job in jobs] == [(1, 0)] * 2
    assert len({job.worker_id for job in jobs}) == 2


def sweep(pid: int) -> None:
    """Remove what libfaketime leaves behind of a killed process."""
    for left in Path("/dev/shm").glob(f"*faketime_s*_{pid}"):
        left.unlink()


def list_jumps(child: Child) -> list[float]:
    """By how many seconds a child's wall clock was off, tick by tick."""
    true = time.time() - time.monotonic()
    return [round(one["wall"] - one["at"] - true, -2) for one in child.said if "tick" in one]


def hear_jump(child: Child, seconds: float) -> None:
    """Until a child has worked for some time by a wall clock that is off by so many seconds."""
    ends = time.monotonic() + PATIENCE
    while set(list_jumps(child)[-TICKS:]) != {seconds} or len(list_jumps(child)) < TICKS:
        assert time.monotonic() < ends, list_jumps(child)[-TICKS:]
        time.sleep(0.05)


async def postpone(queue: Queue, seconds: float) -> tuple[JobId, float]:
    """A job that waits so long, when it has begun to, and the moment when it was queued."""
    queued_at = time.monotonic()
    job = new("postponed", input={"seconds": seconds}, priority=Priority.HIGH)
    (job_id,) = (await queue.tasks.enqueue(TASK, [job])).job_ids
    async with asyncio.timeout(PATIENCE):
        # Its first attempt is too short to be seen for certain.
        while (job := await queue.jobs.get_job(job_id)).attempt == 0 or job.state is not JobState.QUEUED:  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # no notification is sure to arrive between the two
    return job_id, queued_at


@pytest.mark.slow
@pytest.mark.parametrize("jump", ["-1h", *(["+1h"] if LONG else [])])
async def test_a_waiting_job_goes_on_in_time_after_the_clock_has_jumped(
    queue: Queue, tmp_path: Path, jump: str
) -> None:
    """For a process that sees the jump, and for one that begins after it. The yardstick waits as long by a
    clock that does not jump."""
    if not FAKETIME:
        missing("libfaketime is not installed (apt-get install faketime)")
    offset = tmp_path / "offset"
    waits = 8.0
    faked = {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME_TIMESTAMP_FILE": str(offset)}
    faked |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    orders = Orders(str(tmp_path), slots=1, pace=PACE)
    elsewhere = tmp_path / "steady"
    elsewhere.mkdir()
    pids = set[int]()
    for is_new in (False, True):
        offset.write_text("+0\n")
        async with opened("embedded", elsewhere) as beside:
            with (
                started(replace(orders, home=str(elsewhere))) as (timeline_now,),
                started(orders, environment=faked) as (seeing,),
            ):
                pids.add(seeing.pid)
                before = contended()
                yardstick, yardstick_queued_at = await postpone(beside, waits)
                job_id, queued_at = await postpone(queue, waits)
                offset.write_text(jump + "\n")
                if is_new:
                    seeing.kill()  # it could go on by itself before the other has started
                with started(orders, environment=faked) if is_new else nullcontext([seeing]) as (going_on,):
                    pids.add(going_on.pid)
                    went_on = await asyncio.to_thread(going_on.heard, "went_on", job_id)
                others = contended() - before
                steady_went_on = await asyncio.to_thread(timeline_now.heard, "went_on", yardstick)
        waited = went_on["at"] - queued_at
        usual = steady_went_on["at"] - yardstick_queued_at
        print(
            f"{jump}, {'a new process' if is_new else 'the same process'}: went on after {waited:.1f} s of {waits:g}, "
            f"by a clock that does not jump after {usual:.1f}"
        )
        assert waits - 1 <= waited and waited - others < 2 * usual
    for pid in pids:
        sweep(pid)
