"""A job's change of state in a database.

Its task's counts, the event, and the parent that waits for it change in the same transaction.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

from shisho.domain.codec import Payload, build, dumps, to_plain
from shisho.domain.event import NO_FACTS, EventFacts, EventKind
from shisho.domain.intervention import InterventionState
from shisho.domain.job import (
    ENDED,
    LIVE,
    MOVES,
    Job,
    JobError,
    JobId,
    JobState,
    NewJob,
    Task,
    TaskId,
    TaskState,
    WorkerId,
    derive_task_state,
)
from shisho.domain.time import Instant
from shisho.errors import InternalError, NotFound
from shisho.ports import ChangeNotifier, Clock
from shisho.stores.nouns import Row
from shisho.stores.sql import Queries, QueryStore

T = TypeVar("T")

# The columns of `jobs` that `job` reads.
JOB = """id, task_id, kind, state, priority, input_json, created_at, output_json, error_json, progress_json, attempt, failures,
    deaths, worker_id, not_before, cancel_requested, dedupe_key, cause_id, started_at, finished_at"""
# Lock a task, given directly or by one of its jobs.
HOLD_TASK = """SELECT id FROM tasks WHERE id = coalesce(CAST(:task_id AS text), (SELECT task_id FROM jobs WHERE id = :job_id))
    /*pg FOR UPDATE */"""
STATES = tuple(JobState)
# The number of jobs of a task in each state, as columns of `tasks`.
COUNTS = ", ".join(STATES)
# The columns of `tasks` that `task` reads.
TASK = f"id, owner, question, state, revision, budget_json, spent_json, created_at, {COUNTS}"
# Read one job.
GET = f"SELECT {JOB} FROM jobs WHERE id = :id"
# Add a job, unless one with its ID or its key exists.
INSERT = """INSERT INTO jobs(id, task_id, owner, kind, state, priority, input_json, not_before, dedupe_key, cause_id,
        created_at, finished_at)
    VALUES (:id, :task_id, (SELECT owner FROM tasks WHERE id = :task_id), :kind, :state, :priority, :input, :not_before, :key,
        :cause, :now, :finished_at)
    ON CONFLICT DO NOTHING RETURNING id"""
# Find the existing job with its ID, or else with its key.
EXISTING_JOB = """SELECT id FROM jobs WHERE id = :id OR (task_id = :task_id AND dedupe_key = :key)
    ORDER BY id <> :id LIMIT 1"""
# Read the state of a job that ended without an outcome.
ENDED_STATE = "SELECT state FROM jobs WHERE id = :id AND state IN ('cancelled', 'failed')"
# Queue such a job again, with a new priority if one is given.
REVIVE = """UPDATE jobs SET state = 'queued', failures = 0, deaths = 0, not_before = NULL, finished_at = NULL,
        cancel_requested = false, priority = coalesce(:priority, priority),
        owner = (SELECT t.owner FROM tasks t WHERE t.id = jobs.task_id)
    WHERE id = :id"""
# Read the task and the parent of a job.
BELONGS = "SELECT task_id, cause_id FROM jobs WHERE id = :id"
# End the requests for a person's action.
RELEASE = "UPDATE interventions SET state = :end, ended_at = :now WHERE job_id = :id AND ended_at IS NULL"
# Give a task the next revision; the changes of its job counts by state are filled in.
REVISE = (
    f"UPDATE tasks SET revision = revision + 1{{counts}} WHERE id = :id RETURNING revision, state, {COUNTS}"
)
# Record the event of a revision.
EVENT = """INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
    VALUES (:task_id, :revision, :job_id, :now, :kind, :data)"""
# Fail a job permanently.
FAILED = "state = 'failed', error_json = :errors, finished_at = :now"
# Set the state of a task, derived from its jobs.
REACH = "UPDATE tasks SET state = :state WHERE id = :id"
ALIVE = ", ".join(f"'{state}'" for state in sorted(LIVE))
IN_TIME = f"child.state IN ({ALIVE}) AND (child.state <> 'queued' OR coalesce(child.not_before, '') < {{}})"
"""`domain.job.can_end_in_time` for a child; the moment is filled in."""
# Resume a parked job if none of its children can finish in time.
WAKE = f"""UPDATE jobs SET state = 'queued', not_before = NULL WHERE id = :id AND state = 'parked'
    AND NOT EXISTS (SELECT 1 FROM jobs child WHERE child.cause_id = :id AND {IN_TIME.format("jobs.not_before")})
    RETURNING id"""


class Transaction:
    """A transaction of the queue.

    `topics` are notified after its commit. Events are dated `now`; waits are due by `timeline_now`.
    """

    def __init__(self, queries: Queries, clock: Clock) -> None:
        self.queries = queries
        self.now = clock.now()
        self.timeline_now = clock.timeline_now()
        self.topics: set[str] = set()

    def fetch(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        return self.queries.fetch(query, values)

    def fetch_first(self, query: str, values: Mapping[str, Any]) -> Row | None:
        rows = self.queries.fetch(query, values)
        return rows[0] if rows else None

    def hold(self, *, task_id: TaskId | None = None, job_id: JobId | None = None) -> None:
        """Lock this task, or the task of this job, until the end of the transaction.

        Otherwise two transactions that change jobs of one task could miss each other's changes.
        """
        self.fetch(HOLD_TASK, {"task_id": task_id, "job_id": job_id})

    def insert(
        self,
        task_id: TaskId,
        new: NewJob,
        state: JobState = JobState.QUEUED,
        cause: JobId | None = None,
    ) -> JobId:
        """Add a job unless an equivalent one exists; return the ID of the existing or new job."""
        values = {
            "id": new.id,
            "task_id": task_id,
            "kind": new.kind,
            "state": state,
            "priority": int(new.priority),
        }
        values |= {
            "input": new.input.text,
            "not_before": new.not_before,
            "key": new.dedupe_key,
            "cause": cause,
        }
        if not self.fetch(
            INSERT, values | {"now": self.now, "finished_at": self.now if state in ENDED else None}
        ):
            (existing,) = self.fetch(EXISTING_JOB, values)
            return JobId(existing.id)
        self.record_event(task_id, new.id, EventKind(state), EventFacts(job_kind=new.kind), {state: 1})
        return new.id

    def revive(self, job_id: JobId, priority: int | None = None) -> bool:
        """Queue a cancelled or failed job again, to resume after its last step.

        Returns False for any other job.
        """
        rows = self.fetch_first(ENDED_STATE, {"id": job_id})
        if rows is None:
            return False
        self.fetch(REVIVE, {"id": job_id, "priority": priority})
        self.move(job_id, JobState(rows.state), JobState.QUEUED)
        return True

    def move(self, job_id: JobId, old: JobState, new: JobState, facts: EventFacts = NO_FACTS) -> None:
        """Record a change of state; resume a parent if no other child can finish in its time."""
        self.check_move(old, new)
        (belongs,) = self.fetch(BELONGS, {"id": job_id})
        self.record_event(belongs.task_id, job_id, EventKind(new), facts, {old: -1, new: 1})
        if belongs.cause_id is not None and new is not JobState.RUNNING:
            self.wake(belongs.cause_id)

    def record_release(self, job_id: JobId, new: JobState, end: InterventionState) -> None:
        """Record a change of state, as `move` does, for a job that stops waiting for a person."""
        self.fetch(RELEASE, {"id": job_id, "end": end, "now": self.now})
        self.move(job_id, JobState.AWAITING_AUTH, new, EventFacts(person=end))

    def record_event(
        self,
        task_id: TaskId,
        job_id: JobId,
        kind: EventKind,
        facts: EventFacts = NO_FACTS,
        counts: Mapping[JobState, int] | None = None,
    ) -> None:
        """Append an event with the task's next revision.

        `counts` are the changes of the task's job counts by state.
        """
        changed = "".join(f", {state} = {state} + {by}" for state, by in (counts or {}).items())
        (revised,) = self.fetch(REVISE.format(counts=changed), {"id": task_id})
        told = {"task_id": task_id, "revision": revised.revision, "job_id": job_id}
        self.fetch(EVENT, told | {"now": self.now, "kind": str(kind), "data": event_json(facts)})
        self.record_revision(task_id, kind, revised.state, revised)

    def record_revision(self, task_id: TaskId, kind: EventKind, stored_state: str, counts: Row) -> None:
        """Set the state of the task, derived from the columns of `COUNTS`."""
        state = derive_task_state(counts_of(counts))
        if state != stored_state:
            self.fetch(REACH, {"state": state, "id": task_id})
        self.topics |= {task_id, str(kind)}

    @staticmethod
    def check_move(old: JobState, new: JobState) -> None:
        """Raise InternalError for an invalid change of state."""
        if new not in MOVES[old]:
            raise InternalError("job.bad_transition", old=old, new=new)

    def wake(self, parent: JobId) -> None:
        """Resume a parked job if none of its children can finish in time."""
        if self.fetch(WAKE, {"id": parent}):
            self.move(parent, JobState.PARKED, JobState.QUEUED)


class Transactions:
    """Runs transactions of the queue, and notifies subscribers after their commit."""

    def __init__(
        self,
        store: QueryStore,
        clock: Clock,
        notifier: ChangeNotifier,
        begin: Callable[[Queries, Clock], Transaction] = Transaction,
    ) -> None:
        self._store = store
        self._clock = clock
        self._notifier = notifier
        self._begin = begin

    async def write(self, work: Callable[[Transaction], T], *, lasting: bool = True) -> T:
        """Run a transaction as `QueryStore.write` does, and notify subscribers after the commit."""
        return await self.await_commit(self._store.write(self.gather_topics(work), lasting=lasting))

    def gather_topics(self, work: Callable[[Transaction], T]) -> Callable[[Queries], tuple[T, set[str]]]:
        """Wrap `work` in a transaction of the queue that also returns the topics to notify."""

        def run(queries: Queries) -> tuple[T, set[str]]:
            transaction = self._begin(queries, self._clock)
            return work(transaction), transaction.topics

        return run

    async def await_commit(self, committing: Coroutine[Any, Any, tuple[T, set[str]]]) -> T:
        """Return the result of a commit and ring, even if the caller is cancelled."""
        under_way = asyncio.create_task(committing)
        under_way.add_done_callback(self._notify)
        return (await asyncio.shield(under_way))[0]

    def _notify(self, committed: asyncio.Task[tuple[Any, set[str]]]) -> None:
        if not committed.cancelled() and committed.exception() is None:
            self._notifier.notify(committed.result()[1])

    async def read_rows(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        return await self._store.read(lambda queries: queries.fetch(query, values))

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run several queries on one snapshot."""
        return await self._store.read(lambda queries: work(self._begin(queries, self._clock)))

    def timeline_now(self) -> Instant:
        return self._clock.timeline_now()


def get_job(transaction: Transaction, job_id: JobId) -> Job:
    """Read one job. Raises NotFound."""
    row = transaction.fetch_first(GET, {"id": job_id})
    if row is None:
        raise NotFound("job.not_found", job_id=job_id)
    return job(row)


def job(row: Row) -> Job:
    """Build a job from the columns of `JOB`."""
    return Job(
        id=JobId(row.id),
        task_id=TaskId(row.task_id),
        kind=row.kind,
        state=JobState(row.state),
        priority=row.priority,
        input=Payload(row.input_json),
        created_at=row.created_at,
        output=None if row.output_json is None else Payload(row.output_json),
        errors=errors(row.error_json),
        progress=Payload(row.progress_json),
        attempt=row.attempt,
        failures=row.failures,
        deaths=row.deaths,
        worker_id=None if row.worker_id is None else WorkerId(row.worker_id),
        not_before=row.not_before,
        stop_asked=bool(row.cancel_requested),
        dedupe_key=row.dedupe_key,
        cause_id=None if row.cause_id is None else JobId(row.cause_id),
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def jobs(job_rows: Iterable[Row]) -> tuple[Job, ...]:
    return tuple(map(job, job_rows))


def errors(text: str) -> tuple[JobError, ...]:
    """Return a job's error history, whichever version wrote it."""
    return tuple(build(error, JobError, is_lenient=True) for error in json.loads(text))


def task(row: Row) -> Task:
    """Build a task from the columns of `TASK`."""
    return Task(
        id=TaskId(row.id),
        owner=row.owner,
        question=row.question,
        state=TaskState(row.state),
        revision=row.revision,
        budget=json.loads(row.budget_json),
        spent=json.loads(row.spent_json),
        created_at=row.created_at,
        jobs={state: count for state, count in counts_of(row).items() if count},
    )


def event_json(facts: EventFacts) -> str:
    """Return the stored form of an event's facts."""
    return dumps({name: fact for name, fact in to_plain(facts).items() if fact is not None})


def counts_of(row: Row) -> dict[JobState, int]:
    """Return the job counts by state from the columns of `COUNTS`."""
    return {state: getattr(row, state) for state in STATES}
