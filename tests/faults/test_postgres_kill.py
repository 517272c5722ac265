"""PostgreSQL under load: workers killed and frozen at random moments, and the server itself stopped hard
again and again. Nothing accepted is lost, nothing is completed twice or changed."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.domain.job import NewJob
from tests.faults.children import LONG, started
from tests.faults.process import TASK, Orders, parts
from tests.faults.test_kill import PACE, WRONG, Record, damage, drain, pool, stored, verdict
from tests.machine import PATIENCE, Stopwatch
from tests.postgres import PostgresServer
from tests.queues import new

KILLS = 200 if LONG else 4
CRASHES = 20 if LONG else 2
DRAINED_SECONDS = 60.0
# What became of the one job.
FATE = "SELECT state, attempt, failures FROM jobs"


@pytest.fixture(scope="module")
def durable() -> Iterator[PostgresServer]:
    # What a killed process has written, the system has; the disk matters to a machine that loses its power.
    server = PostgresServer(durable=LONG)
    server.start()
    yield server
    server.close()


@pytest.fixture
def orders(durable: PostgresServer, tmp_path: Path) -> Orders:
    return Orders(str(tmp_path), durable.new_database(), slots=3, accept=0.03, pace=PACE)


def test_nothing_is_lost_done_twice_or_changed(orders: Orders) -> None:
    began = time.monotonic()
    found = damage(KILLS, orders, seed=1)
    print(f"{KILLS} kills in {time.monotonic() - began:.0f} s: {found}")
    assert found["accepted"] > KILLS and found["run again"] > KILLS / 3
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)


@pytest.mark.skipif(
    not LONG, reason="chance needs minutes; tests/contracts/test_jobs.py holds the fence each time"
)
def test_the_test_catches_a_queue_without_a_fence(orders: Orders, durable: PostgresServer) -> None:
    def is_noticed(attempt: int) -> bool:
        mutant = replace(orders, store=durable.new_database(), mutant="no fence")
        found = damage(6, mutant, seed=attempt)
        print("no fence", found)
        return any(found[name] for name in ("completed twice", "of a stale attempt", "changed"))

    assert any(map(is_noticed, range(6))), "it went unnoticed"


@pytest.mark.slow
def test_server_stopped_hard_under_load_loses_nothing(durable: PostgresServer, orders: Orders) -> None:
    """While it is away everyone is told to try again; once it is back the queue is done within a minute."""
    chance = random.Random(7)
    record = Record()
    with pool(orders, record) as children:
        for _ in range(CRASHES):
            time.sleep(chance.uniform(0.5, 1.5))
            durable.stop(signal.SIGQUIT)
            time.sleep(chance.uniform(0.0, 1.0))
            durable.start()
            record.look(orders)
        time.sleep(1.0)
        refusals = [line for child in children for line in child.said if "refused" in line]
    with Stopwatch() as watch:
        drain(replace(orders, accept=0.0), record)
    found = verdict(orders, record)
    print(f"{CRASHES} crashes: {found}, {len(refusals)} refusals, drained in {watch.seconds:.1f} s")
    assert watch.undisturbed <= DRAINED_SECONDS
    assert found["accepted"] > 3 * CRASHES
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
    assert refusals and all(line["retry"] and "ry again" in line["words"] for line in refusals)


def test_job_that_was_dropped_in_a_long_outage_has_not_failed(
    durable: PostgresServer, orders: Orders, tmp_path: Path
) -> None:
    """The server is away for longer than a worker dares to go on with what others may take back."""
    pace = replace(PACE, cut_off=0.5, silence=PATIENCE)
    told = tmp_path / "told"
    job = new("lasting", input={"until": str(told)})
    with started(replace(orders, slots=1, accept=0.0, pace=pace)) as (child,):
        asyncio.run(enqueue(orders, job))
        child.heard("begun", job.id)
        durable.execute("CHECKPOINT")  # or the crash might undo the claim
        durable.stop(signal.SIGQUIT)
        child.heard("dropped", job.id)
        durable.start()
        child.heard("begun", job.id, attempt=2)
        told.touch()
        ends = time.monotonic() + PATIENCE
        while (fate := stored(orders, FATE)) != [("completed", 2, 0)] and time.monotonic() < ends:
            time.sleep(0.05)
    assert fate == [("completed", 2, 0)]


async def enqueue(orders: Orders, job: NewJob) -> None:
    _, tasks, *_ = await asyncio.to_thread(parts, orders)
    await tasks.enqueue(TASK, [job])
