"""How fast the queue is on PostgreSQL: `python -m bench.queue_postgres [ADDRESS OF A SERVER]`.

Eight worker processes do the same small jobs, from claim to done, in turn on our queue and on procrastinate's
(`pip install procrastinate`), which is made for PostgreSQL and known to be quick: same server, same number of
processes, one job at a time each. Then ours alone before a long queue, and how soon another process is
woken. Ratios are of one round each; the least of them counts."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import psycopg
from tests.postgres import PostgresServer

from shisho.domain.codec import Payload
from shisho.domain.job import Job, JobId, NewJob, NewTask, TaskId
from shisho.jobs.context import JobContext
from shisho.jobs.timing import make_id
from shisho.jobs.worker import Worker
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.jobs import PostgresJobs, build_postgres_transactions
from shisho.stores.postgres.notifier import PostgresNotifier
from shisho.stores.postgres.presence import PostgresPresence
from shisho.stores.sql.tasks import StoredTasks
from shisho.system.clock import SystemClock

WORKERS = 8
JOBS = 1_500
JOBS_OF_A_TASK = 5  # a question and its searches
FEW = 2_000
MANY = int(os.environ.get("BACKLOG", "1000000"))
ROUNDS = 5
RINGS = 300
"""Worker processes, jobs measured, of one task, queued at first and then, rounds, and wake-ups measured."""
# When the first of them was begun and the last was done, in seconds.
OURS = """SELECT extract(epoch FROM max(finished_at::timestamptz) - min(started_at::timestamptz)) FROM jobs
    WHERE state = 'completed' AND kind = %(kind)s"""
THEIRS = """SELECT extract(epoch FROM max(at) FILTER (WHERE type = 'succeeded') - min(at) FILTER (WHERE type = 'started'))
    FROM procrastinate_events"""
# How many were done, looked for where that costs the server little, however many others are queued.
DONE = "SELECT count(*) FROM jobs WHERE kind = %(kind)s AND state = 'completed'"
THEIRS_DONE = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'"


@dataclass(frozen=True)
class Queue:
    """Ours, as a process opens it."""

    database: PostgresDatabase
    notifier: PostgresNotifier
    jobs: PostgresJobs
    tasks: StoredTasks
    clock: SystemClock


def opened(url: str) -> Queue:
    database = PostgresDatabase(url)
    clock = SystemClock(database.read_timeline)
    notifier = PostgresNotifier(database)
    return Queue(
        database,
        notifier,
        PostgresJobs(database, clock, notifier),
        StoredTasks(build_postgres_transactions(database, clock, notifier)),
        clock,
    )


async def fill(url: str, kind: str, count: int, priority: int) -> None:
    queue = opened(url)
    for begin in range(0, count, JOBS_OF_A_TASK):
        jobs = [
            NewJob(JobId(make_id()), kind, Payload.wrap({"query": f"決定係数 {number}"}), priority)
            for number in range(begin, min(begin + JOBS_OF_A_TASK, count))
        ]
        await queue.tasks.enqueue(NewTask(TaskId(make_id()), "local"), jobs)
    await queue.database.close()


def fill_backlog(url: str, count: int) -> None:
    """As many queued jobs behind all others, straight into the tables: a million requests would take an
    hour."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            """INSERT INTO tasks(id, owner, question, state, budget_json, created_at, queued)
            SELECT 'backlog-' || n, 'local', '', 'running', '{}', '2026-01-01T00:00:00.000000+00:00', 100
            FROM generate_series(0, %(tasks)s) n""",
            {"tasks": count // 100},
        )
        connection.execute(
            """INSERT INTO jobs(id, task_id, kind, state, priority, input_json, created_at)
            SELECT 'backlog-' || n, 'backlog-' || n / 100, 'toy', 'queued', 90, '{}', '2026-01-01T00:00:00.000000+00:00'
            FROM generate_series(1, %(count)s) n""",
            {"count": count},
        )
        connection.execute("VACUUM ANALYZE")


# ---- what a worker process does


async def toy(job: Job, context: JobContext) -> dict[str, str]:
    return {"said": json.loads(job.input.text)["query"]}


async def work(url: str, kind: str) -> None:
    queue = opened(url)
    with tempfile.TemporaryDirectory() as folder:
        presence = PostgresPresence(queue.database, Path(folder))
        await queue.database.check_ready()
        said_ready()
        async with Worker(queue.jobs, queue.notifier, presence, queue.clock, {kind: toy}, slots=1):
            await asyncio.to_thread(sys.stdin.read)


async def work_theirs(url: str) -> None:
    async with their_app(url).open_async() as app:
        said_ready()
        running = asyncio.create_task(
            app.run_worker_async(concurrency=1, listen_notify=True, install_signal_handlers=False)
        )
        await asyncio.to_thread(sys.stdin.read)
        running.cancel()
        await asyncio.wait([running])


def their_app(url: str):  # type: ignore[no-untyped-def]
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    @app.task(name="toy")
    async def their_toy(query: str) -> dict[str, str]:
        return {"said": query}

    return app


async def fill_theirs(url: str, count: int) -> None:
    async with their_app(url).open_async() as app:
        await app.schema_manager.apply_schema_async()
        jobs = [{"query": f"決定係数 {number}"} for number in range(count)]
        await app.tasks["toy"].configure().batch_defer_async(*jobs)


async def hear(url: str) -> None:
    """Say when it was woken, by the machine's clock since its start."""
    queue = opened(url)
    with queue.notifier.subscribe("rung") as subscription:
        said_ready()
        while await subscription.wait(60):
            print(time.monotonic(), flush=True)


def said_ready() -> None:
    """Tell the process that measures, and wait for its word."""
    print("ready", flush=True)
    sys.stdin.readline()


# ---- what measures


@contextmanager
def processes(*orders: Sequence[str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ready, told to go together, and ended."""
    command = [sys.executable, "-m", "bench.queue_postgres"]
    children = [
        subprocess.Popen([*command, *order], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for order in orders
    ]
    try:
        for child in children:
            assert child.stdout is not None and child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()


def seconds_per_job(url: str, order: Sequence[str], done: str, spent: str, kind: str) -> float:
    """Of all workers together, from the first claim to the last end, by what stands in the tables."""
    with psycopg.connect(url, autocommit=True) as connection:
        # What came before left to be written is no part of the measurement.
        connection.execute("CHECKPOINT")
        with processes(*[[*order, url, kind]] * WORKERS):
            while connection.execute(done, {"kind": kind}).fetchall() != [(JOBS,)]:
                time.sleep(0.2)
        ((seconds,),) = connection.execute(spent, {"kind": kind}).fetchall()
    return float(seconds) / JOBS


def ours(url: str, heat: int) -> float:
    kind = f"heat {heat}"
    asyncio.run(fill(url, kind, JOBS, 10))
    return seconds_per_job(url, ["work"], DONE, OURS, kind)


def theirs(server: PostgresServer) -> float:
    url = server.new_database()
    asyncio.run(fill_theirs(url, JOBS))
    return seconds_per_job(url, ["theirs"], THEIRS_DONE, THEIRS, "toy")


async def wake_ups(url: str) -> float:
    """Seconds within which 99 of 100 were woken in another process."""
    queue = opened(url)
    await queue.database.check_ready()
    lags: list[float] = []
    with processes(["hear", url]) as (child,):
        await asyncio.sleep(1)
        assert child.stdout is not None
        for _ in range(RINGS):
            began = time.monotonic()
            queue.notifier.notify(["rung"])
            lags.append(float(await asyncio.to_thread(child.stdout.readline)) - began)
            await asyncio.sleep(0.01)
    await queue.database.close()
    return quantiles(lags, n=100)[98]


@dataclass(frozen=True)
class Round:
    """Jobs per second of one round."""

    short: float
    theirs: float
    long: float

    @property
    def times_as_fast(self) -> float:
        return self.short / self.theirs

    @property
    def times_slower(self) -> float:
        return self.short / self.long


def take_round(server: PostgresServer, few: str, many: str, number: int) -> Round:
    """All three one after another, and once more in the other order: what else the machine does, and more of
    from minute to minute, meets all of them alike."""
    races: list[Callable[[int], float]] = [
        lambda _: theirs(server),
        lambda heat: ours(few, heat),
        lambda heat: ours(many, heat),
    ]
    there = [race(2 * number) for race in races]
    back = [race(2 * number + 1) for race in reversed(races)]
    other, short, long = (2 / sum(pair) for pair in zip(there, reversed(back), strict=True))
    return Round(short, other, long)


def measure(server: PostgresServer) -> dict[str, dict[str, float]]:
    """The least, the median and the greatest of all rounds."""
    few = server.new_database()
    many = server.new_database()
    for url, count in ((few, FEW), (many, MANY)):
        asyncio.run(fill(url, "first", 1, 10))
        fill_backlog(url, count)
    rounds = []
    for number in range(ROUNDS):
        rounds.append(take_round(server, few, many, number))
        print(rounds[-1], file=sys.stderr)
    figures = {
        f"jobs per second before {FEW:,} others": [taken.short for taken in rounds],
        "jobs per second of procrastinate": [taken.theirs for taken in rounds],
        f"jobs per second before {MANY:,} others": [taken.long for taken in rounds],
        "times as fast as procrastinate": [taken.times_as_fast for taken in rounds],
        "times slower before the long queue": [taken.times_slower for taken in rounds],
        "ms to wake another process, p99": [1000 * asyncio.run(wake_ups(few))],
    }
    return {name: summarize(column) for name, column in figures.items()}


def summarize(column: Sequence[float]) -> dict[str, float]:
    return {
        "least": round(min(column), 2),
        "median": round(median(column), 2),
        "greatest": round(max(column), 2),
    }


def main() -> None:
    server = PostgresServer(durable=True)
    server.start()
    try:
        figures = measure(server)
    finally:
        server.close()
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["work", url, kind]:
            asyncio.run(work(url, kind))
        case ["theirs", url, _]:
            asyncio.run(work_theirs(url))
        case ["hear", url]:
            asyncio.run(hear(url))
        case _:
            main()
