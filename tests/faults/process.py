"""A process that accepts and does jobs, for tests that kill, freeze and mislead it.

Run as `python -m tests.faults.process`, with an `Orders` as JSON in the first argument. What it says goes to
its output as lines of JSON: `accepted` after an enqueue has returned, `begun`, `tick`, `ended` and `dropped`
by a job's handler."""

from __future__ import annotations

import asyncio
import inspect
import json
import math
import random
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from shisho.domain.codec import Payload, loads
from shisho.domain.job import EnqueueResult, IdempotencyKey, Job, JobId, JobState, NewJob, NewTask, TaskId
from shisho.errors import Conflict, ShishoError, StoreUnavailable
from shisho.jobs.context import JobContext
from shisho.jobs.timing import WorkerTiming, make_id
from shisho.jobs.worker import Worker
from shisho.ports import ChangeNotifier, JobStore, Presence, TaskStore
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.notifier import EmbeddedNotifier
from shisho.stores.postgres import jobs as server_jobs
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.jobs import PostgresJobs, build_postgres_transactions
from shisho.stores.postgres.notifier import PostgresNotifier
from shisho.stores.postgres.presence import PostgresPresence
from shisho.stores.presence import FilePresence
from shisho.stores.sql import jobs as stored_jobs
from shisho.stores.sql.jobs import StoredJobs
from shisho.stores.sql.tasks import StoredTasks
from shisho.stores.sql.transitions import Transactions
from shisho.system.clock import SystemClock
from tests.queues import CAPTCHA, input_of

TASK = NewTask(TaskId("load"), "local")
FENCE = (
    """CLAIM_IS_VALID = "id = :id AND state = 'running' AND attempt = :attempt AND worker_id = :worker_id\""""
)


@dataclass(frozen=True)
class Orders:
    """`accept`: seconds between jobs it accepts while fewer than `backlog` are queued, 0 for none. `slots`: 0
    for no worker. `mutant`: a defect of MUTANTS."""

    home: str
    store: str = ""
    """Address of a PostgreSQL database; empty: the home's file."""
    enter: tuple[str, ...] = ()
    """What stands before the command of the process."""
    slots: int = 2
    accept: float = 0.0
    backlog: int = 40
    mutant: str = ""
    pace: WorkerTiming = field(default_factory=WorkerTiming)


def defective_jobs(fence: str) -> ModuleType:
    """The page of statements with another fence, made from its source."""
    source = inspect.getsource(stored_jobs)
    assert source.count(FENCE) == 1, "the fence is not where this test looks for it"
    module = ModuleType(stored_jobs.__name__)
    exec(
        compile(source.replace(FENCE, f'CLAIM_IS_VALID = "{fence}"'), "defective jobs", "exec"),
        module.__dict__,
    )
    return module


def with_fence(fence: str) -> Callable[[Transactions], stored_jobs.StoredJobs]:
    """The store with another fence in all its statements."""
    return defective_jobs(fence).StoredJobs  # type: ignore[no-any-return]


class EarlyTasks(StoredTasks):
    """Says "accepted" before it is, and writes a moment later, as a buffer would. However fast the disk: a
    kill finds some that were not written."""

    _under_way: list[asyncio.Task[None]]

    async def enqueue(
        self, task: NewTask | TaskId, jobs: Sequence[NewJob], key: IdempotencyKey | None = None
    ) -> EnqueueResult:
        written = super().enqueue
        if not jobs:  # a task is opened
            return await written(task, jobs, key)

        async def later() -> None:
            await asyncio.sleep(0.03)
            await written(task, jobs, key)

        self._under_way = [*getattr(self, "_under_way", []), asyncio.create_task(later())]
        return EnqueueResult(task.id if isinstance(task, NewTask) else task, tuple(each.id for each in jobs))


# Without a fence whoever once had a job may write about it for ever; with one of its state alone, any attempt
# passes while some attempt runs.
MUTANTS: dict[str, tuple[Callable[..., stored_jobs.StoredJobs], type[StoredTasks]]] = {
    "": (StoredJobs, StoredTasks),
    "no fence": (with_fence("id = :id"), StoredTasks),
    "state-only fence": (with_fence("id = :id AND state = 'running'"), StoredTasks),
    "acknowledge early": (StoredJobs, EarlyTasks),
}


def without_server_fence(*parts: Any) -> PostgresJobs:
    """The server's store without a fence, made from its source over the defective page."""
    module = ModuleType(server_jobs.__name__)
    with patch.dict(sys.modules, {stored_jobs.__name__: defective_jobs("id = :id")}):
        exec(compile(inspect.getsource(server_jobs), "defective server jobs", "exec"), module.__dict__)
    return module.PostgresJobs(*parts)  # type: ignore[no-any-return]


SERVER_MUTANTS: dict[str, Callable[..., PostgresJobs]] = {
    "": PostgresJobs,
    "no fence": without_server_fence,
}


def say(**facts: Any) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


async def brief(job: Job, context: JobContext) -> dict[str, Any]:
    """Some steps, each new with the attempt, so that no number of kills makes the job give up."""
    for part in range(3):
        await asyncio.sleep(random.uniform(0, 0.06))
        await context.step(f"{job.attempt}.{part}", str, _nothing)
    return {"attempt": job.attempt, "worker": job.worker_id}


async def lasting(job: Job, context: JobContext) -> dict[str, Any]:
    """Runs for `seconds` of its input, or until the file `until` is there, tells the time meanwhile, and says
    what becomes of it."""
    say(begun=job.id, attempt=job.attempt, at=time.monotonic())
    asked = input_of(job)
    ends = time.monotonic() + asked.get("seconds", math.inf)
    try:
        while time.monotonic() < ends and not _is_told(asked):
            await asyncio.sleep(min(0.2, ends - time.monotonic()))
            say(tick=job.id, wall=time.time(), at=time.monotonic())
    except asyncio.CancelledError:
        say(dropped=job.id, attempt=job.attempt, at=time.monotonic())
        raise
    say(ended=job.id, attempt=job.attempt, at=time.monotonic())
    return {"attempt": job.attempt, "worker": job.worker_id}


def _is_told(asked: Mapping[str, str]) -> bool:
    return "until" in asked and Path(asked["until"]).exists()


async def postponed(job: Job, context: JobContext) -> dict[str, Any]:
    """Waits for `seconds` without a worker, once, and says when it went on."""
    begun = await context.step("begun", int, partial(_this, job.attempt))
    if begun == job.attempt:
        await context.wait(input_of(job)["seconds"])
    say(went_on=job.id, at=time.monotonic())
    return {"attempt": job.attempt, "worker": job.worker_id}


async def guarded(job: Job, context: JobContext) -> dict[str, int]:
    """Its second page wants a person; when one has come it goes on there. What attempt took each page."""
    first = await context.step("page 1", int, partial(_this, job.attempt))
    met = await context.step("challenge", int, partial(_this, job.attempt))
    if met == job.attempt:
        await context.await_person(None, CAPTCHA)
    return {"page 1": first, "page 2": await context.step("page 2", int, partial(_this, job.attempt))}


async def _this(value: int) -> int:
    return value


async def _nothing() -> str:
    return ""


async def accept(tasks: TaskStore, every: float, backlog: int) -> None:
    """Take in jobs as long as the queue is short. Whoever is told to try again does, with the same job."""
    waits = NewJob(JobId(make_id()), "brief", Payload())
    while True:
        await asyncio.sleep(every)
        try:
            if (await tasks.get_task(TASK.id)).jobs.get(JobState.QUEUED, 0) >= backlog:
                continue
            await tasks.enqueue(TASK, [waits])
        except ShishoError as error:
            say(refused=error.code, retry=error.retry, words=str(error))
            await asyncio.sleep(0.1)
            continue
        say(accepted=waits.id, at=time.monotonic())
        waits = NewJob(JobId(make_id()), "brief", Payload())


def parts(orders: Orders) -> tuple[JobStore, TaskStore, ChangeNotifier, Presence, SystemClock]:
    """A queue over the store that the orders name."""
    workers = Path(orders.home) / "workers"
    if orders.store:
        server = PostgresDatabase(orders.store)
        clock = SystemClock(server.read_timeline)
        server_notifier = PostgresNotifier(server)
        make_server_jobs = SERVER_MUTANTS[orders.mutant]
        return (
            make_server_jobs(server, clock, server_notifier),
            StoredTasks(build_postgres_transactions(server, clock, server_notifier)),
            server_notifier,
            PostgresPresence(server, workers),
            clock,
        )
    database = Database(Path(orders.home) / "shisho.db")
    clock = SystemClock(database.read_timeline)
    notifier = EmbeddedNotifier(database)
    make_jobs, make_tasks = MUTANTS[orders.mutant]
    moves = Transactions(EmbeddedQueryStore(database), clock, notifier)
    return (
        make_jobs(moves),
        make_tasks(moves),
        notifier,
        FilePresence(workers),
        clock,
    )


async def opened(tasks: TaskStore) -> None:
    """The task that jobs are accepted in, as soon as the store can be reached."""
    while True:
        try:
            await tasks.open(TASK)
            return
        except (Conflict, StoreUnavailable):
            await asyncio.sleep(0.1)


async def main(orders: Orders) -> None:
    jobs, tasks, notifier, presence, clock = await asyncio.to_thread(parts, orders)
    await opened(tasks)
    async with AsyncExitStack() as stack:
        if orders.slots:
            handlers = {"brief": brief, "lasting": lasting, "guarded": guarded, "postponed": postponed}
            worker = Worker(jobs, notifier, presence, clock, handlers, slots=orders.slots, pace=orders.pace)
            await stack.enter_async_context(worker)
            say(worker=worker.id)
        say(ready=True)
        await (accept(tasks, orders.accept, orders.backlog) if orders.accept else asyncio.Event().wait())


def run() -> None:
    """Follow the orders of the command line; a warning ends it."""
    warnings.simplefilter("error")
    asyncio.run(main(loads(sys.argv[1], Orders)))


if __name__ == "__main__":
    run()
