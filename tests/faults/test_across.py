"""News and stops between processes that share one file."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import quantiles

import pytest

from shisho.domain.job import NewTask, Priority, StopMode, TaskId
from shisho.jobs.timing import WorkerTiming
from tests.faults.children import LONG, started
from tests.faults.process import TASK, Orders
from tests.machine import PATIENCE, Stopwatch
from tests.queues import OWNER, Queue, at_best, new, opened

FEWEST_WAITS = 15 * 50


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened("embedded", tmp_path) as made:
        yield made


async def wake_ups(queue: Queue, folder: Path) -> float:
    """The 99th percentile, in seconds after the commit in another process, of the wake-ups of fifty who wait
    for the task that it adds to, while five hundred wait for tasks in which nothing happens. What a line in a
    pipe takes from there to here is taken off: beside busy processes both wait for a processor."""
    still = [TaskId(f"still {number}") for number in range(500)]
    for task_id in still:
        await queue.tasks.open(NewTask(task_id, OWNER))
    waiting = [asyncio.create_task(queue.watch(task_id, 0, 600)) for task_id in still]
    begins = (await queue.tasks.open(TASK)).revision
    woken: dict[int, list[float]] = {}
    heard_enough = asyncio.Event()

    async def client() -> None:
        revision = begins
        while True:
            revision = (await queue.watch(TASK.id, revision, 60)).task.revision
            woken.setdefault(revision, []).append(time.monotonic())
            if sum(map(len, woken.values())) > FEWEST_WAITS:
                heard_enough.set()

    waiting += [asyncio.create_task(client()) for _ in range(50)]
    with started(Orders(str(folder), slots=0, accept=0.15, backlog=10_000)) as (other,):
        await asyncio.sleep(60 if LONG else 6)
        async with asyncio.timeout(PATIENCE):
            await heard_enough.wait()
        lines = [one for one in list(other.said) if "accepted" in one]
    committed = [one["at"] for one in lines]
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    # Nothing else happens in the task: each job is one revision.
    moments = {begins + number: at for number, at in enumerate(committed, 1)}
    late = [
        at - moments[revision] for revision, heard in woken.items() if revision in moments for at in heard
    ]
    assert len(late) > FEWEST_WAITS - 50  # the last may not have been told of yet
    p50, p99 = (quantiles(late, n=100)[at] for at in (49, 98))
    line = quantiles([one["heard_at"] - one["at"] for one in lines], n=100)[98]
    told = f"p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, of a line in a pipe {line * 1000:.0f} ms"
    print(f"wake-up across processes, {len(late)} waits: {told}")
    return p99 - line


async def test_news_reach_those_who_wait_in_another_process(queue: Queue, tmp_path: Path) -> None:
    assert await at_best(lambda round_: wake_ups(queue, tmp_path), 0.150) <= 0.150
    assert queue.notifier.listening == 0


@pytest.mark.apart
async def test_an_immediate_stop_is_obeyed_in_another_process(queue: Queue, tmp_path: Path) -> None:
    slowest = 0.0
    with started(Orders(str(tmp_path), slots=2, pace=WorkerTiming())) as (other,):
        for number in range(20 if LONG else 4):
            task_id = TaskId(f"stopped {number}")
            jobs = [new("lasting", input={"seconds": 600}, priority=Priority.HIGH) for _ in range(2)]
            ids = (await queue.tasks.enqueue(NewTask(task_id, OWNER), jobs)).job_ids
            for job_id in ids:
                await asyncio.to_thread(other.heard, "begun", job_id)
            with Stopwatch() as watch:
                halt = await queue.tasks.stop(task_id, StopMode.IMMEDIATE)
                for job_id in ids:
                    await asyncio.to_thread(other.heard, "dropped", job_id)
            assert halt.still_running == ()
            slowest = max(slowest, watch.undisturbed)
    print(f"immediate stop across processes: {slowest * 1000:.0f} ms at worst")
    assert slowest <= 1.0
