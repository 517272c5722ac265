"""A process frozen while it writes: the others go on where they can, and are told who holds them up where
they cannot."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import JobId, JobState, NewTask, Priority, TaskId
from shisho.errors import Conflict
from shisho.jobs.timing import WorkerTiming
from shisho.stores.embedded.connect import Database
from shisho.system.clock import SystemClock
from tests.faults.children import LONG, ROOT, Child, started
from tests.faults.process import TASK, Orders
from tests.interfaces.serving import serving
from tests.machine import PATIENCE, Stopwatch, contended
from tests.queues import OWNER, Queue, new, opened, output_of

pytestmark = pytest.mark.apart
STOPS = 40 if LONG else 2
WITHIN = 12.0  # seconds in which the others go on, or are told why not
# no cut-off: the fence alone stops a late write
PACE = WorkerTiming(beat=0.3, cut_off=1e6, silence=2.0, look=0.2, idle=0.1)
ELSEWHERE = PACE.silence + 6.0
# To the thread itself: sent to the process, the signal stops the main thread first, and this one may have
# committed by then.
FROZEN = {
    "in its turn": """
with WriterLock(path.with_name(path.name + ".lock")).take():
    signal.raise_signal(signal.SIGSTOP)
""",
    "in its transaction": """
async def main():
    database = Database(path)
    await database.write(lambda connection: signal.raise_signal(signal.SIGSTOP))
    await database.close()
asyncio.run(main())
""",
}
IMPORTS = """
import asyncio, os, signal, sys
from pathlib import Path
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.writer_lock import WriterLock
path = Path(sys.argv[1])
"""


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened("embedded", tmp_path, SystemClock()) as made:
        await made.tasks.open(TASK)
        yield made


@contextmanager
def frozen(home: Path, where: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has stopped itself there."""
    child = stopped([sys.executable, "-c", IMPORTS + FROZEN[where], str(home / "shisho.db")])
    try:
        yield child
    finally:
        child.send_signal(signal.SIGCONT)
        child.wait(60)


def stopped(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """The process, as soon as it has stopped itself."""
    child = subprocess.Popen(command, cwd=ROOT)
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    return child


async def until_read(home: Path) -> float:
    """Seconds, without what others took of the machine, until a newcomer has opened the library and listed
    it."""
    with Stopwatch() as reading:
        async with open_library(home=home) as library:
            await library.documents.list()
            await library.tasks.list()
    return reading.undisturbed


async def test_who_is_frozen_in_its_turn_is_passed_over(queue: Queue, tmp_path: Path) -> None:
    with frozen(tmp_path, "in its turn"):
        reading = await until_read(tmp_path)
        with Stopwatch() as first:
            await queue.add(new(id="first"))
        with Stopwatch() as second:
            await queue.add(new(id="second"))
    told = f"read after {reading:.2f} s, written after {first.seconds:.1f} s, and then after {second.seconds:.2f} s"
    print(f"frozen in its turn: {told}")
    assert reading < WITHIN / 2 and first.undisturbed < WITHIN and second.undisturbed < WITHIN / 2
    await queue.add(new(id="third"))
    assert await queue.state(JobId("second")) is JobState.QUEUED


async def test_who_is_frozen_in_its_transaction_is_named(queue: Queue, tmp_path: Path) -> None:
    with frozen(tmp_path, "in its transaction") as child:
        reading = await until_read(tmp_path)
        with Stopwatch() as telling, pytest.raises(Conflict, match=named(child)) as caught:
            await queue.tasks.open(NewTask(TaskId("late"), OWNER))
        print(f"frozen in its transaction: read after {reading:.2f} s, told after {telling.seconds:.1f} s")
        assert reading < WITHIN / 2 and telling.undisturbed < WITHIN
        assert caught.value.details == {"pid": child.pid}
    assert await queue.add(new(id="later")) == ("later",)


def named(child: subprocess.Popen[bytes]) -> str:
    return rf"Process {child.pid} .*is stopped.*kill -CONT {child.pid}"


async def test_a_server_beside_one_that_is_frozen_is_not_ready_and_says_who_it_is(tmp_path: Path) -> None:
    """Over HTTP; that it lives it says all the while, and that it is ready as soon as the other goes on."""
    with serving(tmp_path) as url:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            assert (await client.get("/readyz")).status_code == 200
            with frozen(tmp_path, "in its transaction") as child:
                with Stopwatch() as telling:
                    ready = await client.get("/readyz")
                alive = await client.get("/livez")
            again = await client.get("/readyz")
    print(f"beside one frozen in its transaction: /readyz {ready.status_code} after {telling.seconds:.1f} s")
    assert (ready.status_code, alive.status_code, again.status_code) == (503, 200, 200)
    told = ready.json()
    assert (told["code"], told["details"]) == ("CONFLICT", {"pid": child.pid})
    assert re.search(named(child), told["message"]) and telling.undisturbed < WITHIN


async def test_a_reader_that_is_frozen_holds_nobody_up(queue: Queue, tmp_path: Path) -> None:
    code = """
import apsw, os, signal, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN"); list(connection.execute("SELECT count(*) FROM tasks"))
signal.raise_signal(signal.SIGSTOP)
"""
    child = await asyncio.to_thread(stopped, [sys.executable, "-c", code, str(tmp_path / "shisho.db")])
    other = Database(tmp_path / "shisho.db")
    try:
        await other.write(lambda connection: connection.execute("UPDATE tasks SET question = 'x'") and None)
        with Stopwatch() as folding:
            await other.close()  # folds the log, which waits for readers
        await queue.add(new(id="first"))
    finally:
        child.kill()
        child.wait()
    assert folding.undisturbed < 5


async def test_random_stops_of_a_busy_worker(queue: Queue, tmp_path: Path) -> None:
    """Others write within the time, or are told who holds the database; they list at once; its job is redone
    elsewhere, and what it writes afterwards is refused."""
    chance = random.Random(9)
    met = Counter[str]()
    slowest = Counter[str]()
    busy = Orders(str(tmp_path), slots=3, accept=0.005, backlog=300, pace=PACE)
    with started(busy, Orders(str(tmp_path), slots=2, pace=PACE)) as (victim, other):
        # Beside busy processes it is mostly stopped while it waits for a processor in a transaction.
        while met.total() < STOPS or (not met["went on"] and met.total() < 4 * STOPS):
            number = met.total()
            job_id = await begun_by(victim, queue, number)
            await asyncio.sleep(chance.uniform(0, 0.3))
            os.kill(victim.pid, signal.SIGSTOP)
            try:
                slowest["list"] = max(slowest["list"], await until_read(tmp_path))
                began = time.monotonic()
                began_beside = contended()
                try:
                    await queue.add(new(id=f"after {number}"), task=TASK.id)
                    met["went on"] += 1
                    is_held = False
                except Conflict as error:
                    assert error.details == {"pid": victim.pid}, error
                    met["told who holds it"] += 1
                    is_held = True
                slowest["write"] = max(
                    slowest["write"], time.monotonic() - began - (contended() - began_beside)
                )
                if not is_held:
                    again = await asyncio.to_thread(other.heard, "begun", job_id, attempt=2)
                    slowest["elsewhere"] = max(
                        slowest["elsewhere"], again["at"] - began - (contended() - began_beside)
                    )
            finally:
                os.kill(victim.pid, signal.SIGCONT)
            job = await queue.until(job_id, JobState.COMPLETED)
            assert (job.attempt, output_of(job)["attempt"]) == (
                (1, 1) if is_held and job.attempt == 1 else (2, 2)
            )
            assert output_of(job)["worker"] == job.worker_id
    print(
        f"{met.total()} random stops: {dict(met)}; slowest: { ({name: round(slowest[name], 1) for name in slowest}) } s"
    )
    assert (
        slowest["list"] < WITHIN and slowest["write"] < WITHIN and slowest["elsewhere"] < WITHIN + ELSEWHERE
    )
    assert met["went on"]


async def begun_by(victim: Child, queue: Queue, number: int) -> str:
    """A job that the victim has just begun and will be at for a while."""
    for batch in range(100):
        told = {"input": {"seconds": 1.0}, "priority": Priority.HIGH}
        jobs = [new("lasting", id=f"{number} {batch} {place}", **told) for place in range(4)]
        names = set(await queue.add(*jobs, task=TASK.id))
        ends = time.monotonic() + 3
        while time.monotonic() < ends:
            mine = [
                one["begun"] for one in list(victim.said) if one.get("begun") in names and one["attempt"] == 1
            ]
            if mine:
                return str(mine[-1])
            await asyncio.sleep(0.005)
    raise AssertionError("the victim never began one")
