"""kill -9 and freezing at random moments under load: nothing accepted is lost, nothing is completed twice or
changed.

The same test must fail on a queue without a fence, and on one that says "accepted" too early.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from shisho.jobs.timing import WorkerTiming
from tests.faults.children import LONG, Child
from tests.faults.process import Orders
from tests.machine import PATIENCE

KILLS = 200 if LONG else 10
# No cut-off: a frozen worker that wakes goes on with its jobs, and the fence alone must stop it.
PACE = WorkerTiming(beat=0.1, cut_off=1e6, silence=0.8, look=0.1, idle=0.1)


# How jobs stand, and why.
FATES = (
    "SELECT id, state, attempt, failures, deaths, worker_id, error_json FROM jobs WHERE state <> 'completed'"
)

# What is given up, for a person to queue again.
GIVEN_UP = "SELECT id FROM jobs WHERE state = 'failed'"

# The most deaths that any job has met.
DEADLIEST = "SELECT max(deaths) FROM jobs"

# What has not been done and is not being done again since.
NOT_DONE = "SELECT id, attempt FROM jobs WHERE state IN ('queued', 'running')"

# What is being done, by which attempt.
RUNNING = "SELECT id, attempt FROM jobs WHERE state = 'running'"


@dataclass
class Record:
    """What the outside has seen."""

    accepted: set[str] = field(default_factory=set)
    results: dict[str, str] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)

    def look(self, orders: Orders) -> Counter[str]:
        """Note the results of completed jobs, and compare them with what was noted before. Returns how many
        jobs are where."""
        rows = stored(orders, "SELECT id, state, output_json FROM jobs")
        for job_id, state, output in rows:
            if job_id in self.results and (state, output) != ("completed", self.results[job_id]):
                self.changed.add(job_id)
            if state == "completed":
                self.results[job_id] = output
        return Counter(state for _, state, _ in rows)


def damage(kills: int, orders: Orders, seed: int) -> dict[str, int]:
    """Kill or freeze one of three processes again and again, then let one finish the work. What was lost or
    done twice."""
    chance = random.Random(seed)
    record = Record()
    with pool(orders, record) as children:
        for number in range(kills):
            time.sleep(chance.uniform(0.1, 0.5))
            victim = chance.randrange(len(children))
            if number % 3 == 2:
                freeze(children[victim], orders, chance.uniform(1.0, 1.4))
            children[victim].kill()
            record.accepted |= children[victim].accepted()
            children[victim] = Child(orders)
            record.look(orders)
        for child in children:
            child.heard("ready")
    drain(replace(orders, accept=0.0), record)
    return verdict(orders, record)


def freeze(child: Child, orders: Orders, seconds: float) -> None:
    """Freeze a process for so long, and until what it was doing is being done again; then let it go on for
    a while."""
    ends = time.monotonic() + PATIENCE
    with child.frozen():
        held = set(stored(orders, RUNNING))
        time.sleep(seconds)
        while held & set(stored(orders, NOT_DONE)) and time.monotonic() < ends:
            time.sleep(0.1)
    accepted_before = len(child.accepted())
    time.sleep(0.3)
    while len(child.accepted()) < accepted_before + 5 and time.monotonic() < ends:
        time.sleep(0.05)


@contextmanager
def pool(orders: Orders, record: Record) -> Iterator[list[Child]]:
    children = [Child(orders) for _ in range(3)]
    try:
        for child in children:
            child.heard("ready")
        yield children
    finally:
        for child in children:
            child.kill()
            record.accepted |= child.accepted()


def drain(orders: Orders, record: Record) -> None:
    child = Child(orders)
    ends = time.monotonic() + PATIENCE
    try:
        while record.look(orders).keys() - {"completed", "failed"} and time.monotonic() < ends:
            time.sleep(0.2)
    finally:
        child.kill()


def onlooker(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(10_000)  # after a kill someone recovers the log, and everyone waits
    return connection


def stored(orders: Orders, query: str) -> list[Any]:
    """What stands in the store, by a connection of the onlooker's own."""
    if orders.store:
        with psycopg.connect(orders.store) as server:
            return server.execute(query).fetchall()
    with closing(onlooker(Path(orders.home) / "shisho.db")) as connection:
        return list(connection.execute(query))


def verdict(orders: Orders, record: Record) -> dict[str, int]:
    rows = stored(orders, "SELECT id, state, attempt, worker_id, output_json FROM jobs")
    completed = {job_id for job_id, state, *_ in rows if state == "completed"}
    given_up = {job_id for (job_id,) in stored(orders, GIVEN_UP)}
    ends = Counter(
        job_id for (job_id,) in stored(orders, "SELECT job_id FROM events WHERE kind = 'completed'")
    )
    outputs = [(json.loads(output), attempt, worker) for *_, attempt, worker, output in rows if output]
    lost = record.accepted - completed - given_up
    if lost:  # what became of them says why
        print([row for row in stored(orders, FATES) if row[0] in lost], lost)
    if not orders.store:
        assert stored(orders, "PRAGMA integrity_check") == [("ok",)]
    return {
        "accepted": len(record.accepted),
        "run again": sum(attempt > 1 for _, _, attempt, *_ in rows),
        "lost": len(lost),
        "given up": len(given_up),
        "deaths of one": stored(orders, DEADLIEST)[0][0],
        "completed twice": sum(count > 1 for count in ends.values()),
        "of a stale attempt": sum(
            (output["attempt"], output["worker"]) != (attempt, worker) for output, attempt, worker in outputs
        ),
        "changed": len(record.changed),
    }


WRONG = ("lost", "given up", "completed twice", "of a stale attempt", "changed")


def test_nothing_is_lost_done_twice_or_changed(tmp_path: Path) -> None:
    began = time.monotonic()
    found = damage(KILLS, Orders(str(tmp_path), slots=3, accept=0.03, pace=PACE), seed=1)
    print(f"{KILLS} kills in {time.monotonic() - began:.0f} s: {found}")
    assert found["accepted"] > 10 * KILLS and found["run again"] > KILLS / 2
    assert {each: found[each] for each in WRONG} == dict.fromkeys(WRONG, 0)


MUTANTS = {
    "no fence": (
        Orders("", slots=3, accept=0.03, pace=PACE),
        ("completed twice", "of a stale attempt", "changed"),
    ),
    "acknowledge early": (Orders("", slots=3, accept=0.01, backlog=300, pace=PACE), ("lost",)),
}


@pytest.mark.parametrize("mutant", MUTANTS if LONG else ["no fence"])
def test_the_test_catches_a_defective_queue(tmp_path: Path, mutant: str) -> None:
    orders, caught_by = MUTANTS[mutant]

    def noticed(attempt: int) -> bool:
        folder = tmp_path / str(attempt)
        found = damage(6, replace(orders, home=str(folder), mutant=mutant), seed=attempt)
        print(mutant, found)
        return any(found[each] for each in caught_by)

    assert any(map(noticed, range(6))), f"{mutant!r} went unnoticed"
