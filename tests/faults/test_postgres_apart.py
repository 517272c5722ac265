"""Workers on machines apart share one PostgreSQL: one that is cut off writes nothing afterwards, and all keep
one pace."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

from shisho.domain.job import JobState, Priority
from shisho.jobs.timing import WorkerTiming
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.system.clock import SystemClock
from tests.faults.children import ROOT, first_to_begin, started
from tests.faults.namespaces import Apart, apart, can_part
from tests.faults.process import TASK, Orders
from tests.postgres import PostgresServer
from tests.queues import new, output_of, postgres_queue

pytestmark = pytest.mark.skipif(not can_part(), reason="this user may make no network namespaces")
# No cut-off: what a cut-off worker does goes on, and the fence alone must stop it.
PACE = WorkerTiming(beat=0.3, cut_off=1e6, silence=2.0, look=0.2, idle=0.1)
INTERVAL = 0.1
PER_DAY = 40
PROCESSES = 8


@pytest.fixture(scope="module")
def machines() -> Iterator[list[Apart]]:
    with apart(2) as places:
        yield places


@pytest.fixture(scope="module")
def server(machines: list[Apart]) -> Iterator[PostgresServer]:
    server = PostgresServer(listens_to=[machine.here for machine in machines])
    server.start()
    yield server
    server.close()


async def test_worker_that_was_cut_off_writes_nothing_afterwards(
    server: PostgresServer, machines: list[Apart], tmp_path: Path
) -> None:
    url = server.new_database()
    everyone = Orders(str(tmp_path), slots=1, pace=PACE)
    orders = [
        replace(
            everyone, home=str(tmp_path / machine.name), store=as_seen_by(machine, url), enter=machine.enter
        )
        for machine in machines
    ]
    database = PostgresDatabase(url)
    queue = postgres_queue(database, SystemClock(database.read_timeline))
    with started(*orders) as workers:
        job = new("lasting", input={"seconds": 4.0}, priority=Priority.HIGH)
        (job_id,) = (await queue.tasks.enqueue(TASK, [job])).job_ids
        first, (second,) = await asyncio.to_thread(first_to_begin, workers, job_id)
        cut_off = machines[workers.index(first)]
        cut_off.cut()
        await asyncio.to_thread(second.heard, "begun", job_id, attempt=2)
        await asyncio.to_thread(first.heard, "ended", job_id)
        cut_off.mend()
        await queue.until(job_id, JobState.COMPLETED)
        again = new("lasting", input={"seconds": 0.1})
        while first.heard("ready") and not any(line.get("ended") == again.id for line in first.said):
            again = new("lasting", input={"seconds": 0.1})
            await queue.tasks.enqueue(TASK, [again])
            await queue.until(again.id, JobState.COMPLETED)
    done = await queue.jobs.get_job(job_id)
    events = [
        event.kind for event in await queue.tasks.list_events(TASK.id, limit=1_000) if event.job_id == job_id
    ]
    assert (done.attempt, done.deaths, output_of(done)["attempt"]) == (2, 1, 2)
    assert events.count("completed") == 1
    await database.close()


@pytest.mark.slow
def test_eight_processes_on_two_machines_keep_one_pace(server: PostgresServer, machines: list[Apart]) -> None:
    url = server.new_database()
    orders = [INTERVAL, 1, PER_DAY, 0.02]
    children = []
    for number in range(PROCESSES):
        machine = machines[number % 2]
        words = [as_seen_by(machine, url), f"p{number}-", *orders]
        command = [
            *machine.enter,
            sys.executable,
            "-W",
            "error",
            "-m",
            "tests.faults.asker",
            *map(str, words),
        ]
        children.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
    said = [child.communicate(timeout=240)[0] for child in children]
    assert [child.returncode for child in children] == [0] * PROCESSES
    lines = [json.loads(line) for lines in said for line in lines.splitlines()]
    requests = sorted(tuple(line) for line in lines if isinstance(line, list))
    assert len(requests) == PER_DAY, "the day was not kept to"
    gaps = [began - ended for (_, ended), (began, _) in pairwise(requests)]
    print(f"{PER_DAY} requests of {PROCESSES} processes, shortest gap {min(gaps):.3f} s of {INTERVAL:g} s")
    assert min(gaps) >= INTERVAL - CLOCKS_APART
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT sum(used) FROM pace_days").fetchall() == [(PER_DAY,)]


CLOCKS_APART = 0.02  # what the clocks of two machines may be told apart by


def as_seen_by(machine: Apart, url: str) -> str:
    return url.replace("127.0.0.1", machine.here)
