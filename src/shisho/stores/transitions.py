"""A job's change of state in a database: its task's counts, the event, the parent that waited for it, all in
one transaction."""

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
from shisho.ports import Bell, Clock
from shisho.stores.nouns import Row
from shisho.stores.queries import Queries, QueryStore

T = TypeVar("T")

# What `job` reads, of `jobs`.
JOB = """id, task_id, kind, state, priority, input_json, created_at, output_json, error_json, progress_json, attempt, failures,
    deaths, worker_id, not_before, cancel_requested, dedupe_key, cause_id, started_at, finished_at"""
# Nobody else changes a task, named itself or by one of its jobs.
HOLD_TASK = """SELECT id FROM tasks WHERE id = coalesce(CAST(:task_id AS text), (SELECT task_id FROM jobs WHERE id = :job_id))
    /*pg FOR UPDATE */"""
STATES = tuple(JobState)
# How many jobs of a task there are in each state, of `tasks`.
COUNTS = ", ".join(STATES)
# What `task` reads, of `tasks`.
TASK = f"id, owner, question, state, revision, budget_json, spent_json, created_at, {COUNTS}"
# One job.
GET = f"SELECT {JOB} FROM jobs WHERE id = :id"
# A job, unless one of its id or its key stands.
INSERT = """INSERT INTO jobs(id, task_id, owner, kind, state, priority, input_json, not_before, dedupe_key, cause_id,
        created_at, finished_at)
    VALUES (:id, :task_id, (SELECT owner FROM tasks WHERE id = :task_id), :kind, :state, :priority, :input, :not_before, :key,
        :cause, :now, :finished_at)
    ON CONFLICT DO NOTHING RETURNING id"""
# The job that stands for one: of its id, or else of its key.
STANDS = """SELECT id FROM jobs WHERE id = :id OR (task_id = :task_id AND dedupe_key = :key)
    ORDER BY id <> :id LIMIT 1"""
# The state of a job that has ended without an outcome.
ENDED_STATE = "SELECT state FROM jobs WHERE id = :id AND state IN ('cancelled', 'failed')"
# Queue such a job again; of its priority, the new one where there is one.
REVIVE = """UPDATE jobs SET state = 'queued', failures = 0, deaths = 0, not_before = NULL, finished_at = NULL,
        cancel_requested = false, priority = coalesce(:priority, priority),
        owner = (SELECT t.owner FROM tasks t WHERE t.id = jobs.task_id)
    WHERE id = :id"""
# Where a job belongs.
BELONGS = "SELECT task_id, cause_id FROM jobs WHERE id = :id"
# Whoever waited for a person does so no longer.
RELEASE = "UPDATE interventions SET state = :end, ended_at = :now WHERE job_id = :id AND ended_at IS NULL"
# The next revision of a task; what it changes in the numbers of jobs by state is filled in.
REVISE = (
    f"UPDATE tasks SET revision = revision + 1{{counts}} WHERE id = :id RETURNING revision, state, {COUNTS}"
)
# What happened at a revision.
EVENT = """INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
    VALUES (:task_id, :revision, :job_id, :now, :kind, :data)"""
# A job has failed for good.
FAILED = "state = 'failed', error_json = :errors, finished_at = :now"
# The state of a task as its jobs give it.
REACH = "UPDATE tasks SET state = :state WHERE id = :id"
ALIVE = ", ".join(f"'{state}'" for state in sorted(LIVE))
IN_TIME = f"child.state IN ({ALIVE}) AND (child.state <> 'queued' OR coalesce(child.not_before, '') < {{}})"
"""`domain.job.can_end_in_time` of a child, for the moment to be filled in."""
# A parked job goes on, where none of its children can end in its time.
WAKE = f"""UPDATE jobs SET state = 'queued', not_before = NULL WHERE id = :id AND state = 'parked'
    AND NOT EXISTS (SELECT 1 FROM jobs child WHERE child.cause_id = :id AND {IN_TIME.format("jobs.not_before")})
    RETURNING id"""


class Transaction:
    """One transaction of the queue. `topics` is what the bell rings for after its commit. What happens is
    dated `now`; what is waited for is due by `steady`."""

    def __init__(self, queries: Queries, clock: Clock) -> None:
        self.queries = queries
        self.now = clock.now()
        self.steady = clock.steady()
        self.topics: set[str] = set()

    def rows(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        return self.queries.rows(query, values)

    def fetch_first(self, query: str, values: Mapping[str, Any]) -> Row | None:
        rows = self.queries.rows(query, values)
        return rows[0] if rows else None

    def hold(self, *, task_id: TaskId | None = None, job_id: JobId | None = None) -> None:
        """Let nobody else change this task, or the task of this job, until the end of the transaction. Two
        that change jobs of one task could otherwise each miss what the other does."""
        self.rows(HOLD_TASK, {"task_id": task_id, "job_id": job_id})

    def insert(
        self,
        task_id: TaskId,
        new: NewJob,
        state: JobState = JobState.QUEUED,
        cause: JobId | None = None,
    ) -> JobId:
        """Add a job, or leave the one that stands for it. Returns the id that stands."""
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
        if not self.rows(
            INSERT, values | {"now": self.now, "finished_at": self.now if state in ENDED else None}
        ):
            (stands,) = self.rows(STANDS, values)
            return JobId(stands.id)
        self.record_event(task_id, new.id, EventKind(state), EventFacts(job_kind=new.kind), {state: 1})
        return new.id

    def revive(self, job_id: JobId, priority: int | None = None) -> bool:
        """Queue a job again that was cancelled or has failed; it goes on after its last step. False for any
        other."""
        rows = self.fetch_first(ENDED_STATE, {"id": job_id})
        if rows is None:
            return False
        self.rows(REVIVE, {"id": job_id, "priority": priority})
        self.move(job_id, JobState(rows.state), JobState.QUEUED)
        return True

    def move(self, job_id: JobId, old: JobState, new: JobState, facts: EventFacts = NO_FACTS) -> None:
        """Record a move that has been made. A parent goes on that has waited for this job as the last one
        that could end in its time."""
        self.check_move(old, new)
        (belongs,) = self.rows(BELONGS, {"id": job_id})
        self.record_event(belongs.task_id, job_id, EventKind(new), facts, {old: -1, new: 1})
        if belongs.cause_id is not None and new is not JobState.RUNNING:
            self.wake(belongs.cause_id)

    def record_release(self, job_id: JobId, new: JobState, end: InterventionState) -> None:
        """As `move`, for a job that waits for a person no longer."""
        self.rows(RELEASE, {"id": job_id, "end": end, "now": self.now})
        self.move(job_id, JobState.AWAITING_AUTH, new, EventFacts(person=end))

    def record_event(
        self,
        task_id: TaskId,
        job_id: JobId,
        kind: EventKind,
        facts: EventFacts = NO_FACTS,
        counts: Mapping[JobState, int] | None = None,
    ) -> None:
        """Append an event under the task's next revision; `counts` is what it changes in the numbers of jobs
        by state."""
        changed = "".join(f", {state} = {state} + {by}" for state, by in (counts or {}).items())
        (revised,) = self.rows(REVISE.format(counts=changed), {"id": task_id})
        told = {"task_id": task_id, "revision": revised.revision, "job_id": job_id}
        self.rows(EVENT, told | {"now": self.now, "kind": str(kind), "data": event_json(facts)})
        self.record_revision(task_id, kind, revised.state, revised)

    def record_revision(self, task_id: TaskId, kind: EventKind, stored_state: str, counts: Row) -> None:
        """Give the task the state that its jobs give it, from the columns of `COUNTS`."""
        state = derive_task_state(counts_of(counts))
        if state != stored_state:
            self.rows(REACH, {"state": state, "id": task_id})
        self.topics |= {task_id, str(kind)}

    @staticmethod
    def check_move(old: JobState, new: JobState) -> None:
        """Raises InternalError for a move that no job can make."""
        if new not in MOVES[old]:
            raise InternalError("job.bad_transition", old=old, new=new)

    def wake(self, parent: JobId) -> None:
        """A parked job goes on, where none of its children can end in its time."""
        if self.rows(WAKE, {"id": parent}):
            self.move(parent, JobState.PARKED, JobState.QUEUED)


class Transactions:
    """Runs transactions of the queue and rings after their commit."""

    def __init__(
        self,
        store: QueryStore,
        clock: Clock,
        bell: Bell,
        begin: Callable[[Queries, Clock], Transaction] = Transaction,
    ) -> None:
        self._store = store
        self._clock = clock
        self._bell = bell
        self._begin = begin

    async def write(self, work: Callable[[Transaction], T], *, lasting: bool = True) -> T:
        """As `QueryStore.write`; rings after the commit."""
        return await self.await_commit(self._store.write(self.gather_topics(work), lasting=lasting))

    def gather_topics(self, work: Callable[[Transaction], T]) -> Callable[[Queries], tuple[T, set[str]]]:
        """`work` in a transaction of the queue, and what the bell is to ring for after its commit."""

        def whole(queries: Queries) -> tuple[T, set[str]]:
            transaction = self._begin(queries, self._clock)
            return work(transaction), transaction.topics

        return whole

    async def await_commit(self, committing: Coroutine[Any, Any, tuple[T, set[str]]]) -> T:
        """Return what a commit gives and ring for it; it rings also if the caller is cancelled meanwhile."""
        under_way = asyncio.create_task(committing)
        under_way.add_done_callback(self._ring)
        return (await asyncio.shield(under_way))[0]

    def _ring(self, committed: asyncio.Task[tuple[Any, set[str]]]) -> None:
        if not committed.cancelled() and committed.exception() is None:
            self._bell.ring(committed.result()[1])

    async def read_rows(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        return await self._store.read(lambda queries: queries.rows(query, values))

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Several queries on one state of the data."""
        return await self._store.read(lambda queries: work(self._begin(queries, self._clock)))

    def steady(self) -> Instant:
        return self._clock.steady()


def get_job(transaction: Transaction, job_id: JobId) -> Job:
    """Read one job. Raises NotFound."""
    row = transaction.fetch_first(GET, {"id": job_id})
    if row is None:
        raise NotFound("job.not_found", job_id=job_id)
    return job(row)


def job(row: Row) -> Job:
    """From the columns of `JOB`."""
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
    """The history of a job's errors, whichever version wrote it."""
    return tuple(build(error, JobError, is_lenient=True) for error in json.loads(text))


def task(row: Row) -> Task:
    """From the columns of `TASK`."""
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
    """The stored form of an event's facts."""
    return dumps({name: fact for name, fact in to_plain(facts).items() if fact is not None})


def counts_of(row: Row) -> dict[JobState, int]:
    """From the columns of `COUNTS`."""
    return {state: getattr(row, state) for state in STATES}
