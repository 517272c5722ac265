"""A full disk and a lock held by others: a clear error or a wait, nothing lost, and no restart needed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from shisho.domain.job import Job, JobState, NewTask, TaskId
from shisho.errors import Conflict
from shisho.jobs.context import JobContext
from shisho.jobs.timing import WorkerTiming
from shisho.jobs.worker import Worker
from shisho.stores.presence import FilePresence
from shisho.system.clock import SystemClock
from tests.faults.children import LONG
from tests.machine import Stopwatch
from tests.queues import OWNER, Queue, new, opened, output_of

T1 = NewTask(TaskId("t1"), OWNER)
HELD_SECONDS = 10.0 if LONG else 3.0
HOLDER = """
import apsw, sys, time
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("COMMIT")
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(tmp_path)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a file system of four megabytes can be mounted by root only")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.fixture
async def queue(small_disk: Path) -> AsyncIterator[Queue]:
    async with opened("embedded", small_disk, SystemClock()) as made:
        yield made


def fill(folder: Path) -> Path:
    """Leave no byte free."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    return ballast


async def test_a_full_disk_refuses_new_jobs_and_keeps_the_old(queue: Queue, small_disk: Path) -> None:
    big = "決定係数" * 20_000
    await queue.tasks.enqueue(T1, [new(id="kept")])
    ballast = fill(small_disk)
    with pytest.raises(Conflict, match="disk is full"):
        await queue.tasks.enqueue(T1, [new(id="refused", input={"text": big})])
    assert [each.id for each in (await queue.tasks.take_snapshot(T1.id)).jobs] == ["kept"]
    ballast.unlink()
    assert (await queue.tasks.enqueue(T1, [new(id="later", input={"text": big})])).job_ids == ("later",)
    assert [each.id for each in (await queue.tasks.take_snapshot(T1.id)).jobs] == ["kept", "later"]


@pytest.mark.apart
async def test_a_result_waits_for_room_on_the_disk(queue: Queue, small_disk: Path) -> None:
    ballasts = []

    async def large(job: Job, context: JobContext) -> str:
        ballasts.append(fill(small_disk))
        return "決定係数" * 20_000

    presence = FilePresence(small_disk / "workers")
    pace = WorkerTiming(beat=0.5)
    async with Worker(
        queue.jobs, queue.notifier, presence, SystemClock(), {"toy": large}, slots=1, pace=pace
    ):
        (job_id,) = (await queue.tasks.enqueue(T1, [new()])).job_ids
        await queue.until(job_id, JobState.RUNNING)
        await asyncio.sleep(2.5)
        assert await queue.state(job_id) is JobState.RUNNING
        ballasts[0].unlink()
        with Stopwatch() as watch:
            job = await queue.until(job_id, JobState.COMPLETED)
    print(f"stored {watch.seconds:.1f} s after there was room again")
    assert watch.undisturbed < 5
    assert (output_of(job), job.attempt, len(ballasts)) == ("決定係数" * 20_000, 1, 1)


@pytest.mark.apart
async def test_a_lock_held_by_another_process_is_waited_for(tmp_path: Path) -> None:
    async with opened("embedded", tmp_path) as queue:
        assert queue.database is not None
        command = (sys.executable, "-c", HOLDER, str(queue.database.path), str(HELD_SECONDS))
        holder = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert holder.stdout is not None
        await holder.stdout.readline()
        with Stopwatch() as watch:
            jobs = [new(id=f"{number}") for number in range(20)]
            waiting = [asyncio.create_task(queue.tasks.enqueue(T1, [each])) for each in jobs]
            await asyncio.wait(waiting)
        assert watch.seconds > HELD_SECONDS - 1
        assert watch.undisturbed < HELD_SECONDS + 2
        assert [each.result().job_ids for each in waiting] == [(each.id,) for each in jobs]
        await holder.wait()
