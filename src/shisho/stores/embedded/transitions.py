"""A job's change of state in SQLite: its task's counts, the event, the parent that waited for it, all in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import apsw

from shisho.domain.codec import Payload, build, dumps
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
    task_state,
)
from shisho.domain.time import Instant
from shisho.errors import Internal
from shisho.ports import Bell, Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import every

T = TypeVar("T")

JOB = """id, task_id, kind, state, priority, input_json, created_at, output_json, error_json, progress_json, attempt, failures,
    worker_id, not_before, cancel_requested, dedupe_key, cause_id, started_at, finished_at"""
STATES = tuple(JobState)
TASK = f"id, owner, question, state, revision, budget_json, spent_json, created_at, {', '.join(STATES)}"
COUNTS = ", ".join(STATES)
INSERT = """INSERT INTO jobs(id, task_id, kind, state, priority, input_json, not_before, dedupe_key, cause_id, created_at,
        finished_at)
    VALUES (:id, :task_id, :kind, :state, :priority, :input, :not_before, :key, :cause, :now, :finished_at)
    ON CONFLICT DO NOTHING RETURNING id"""
EVENT = "INSERT INTO events(task_id, revision, job_id, at, kind, data_json) VALUES (?, ?, ?, ?, ?, ?)"
ALIVE = ", ".join(f"'{state}'" for state in sorted(LIVE))
IN_TIME = f"child.state IN ({ALIVE}) AND (child.state <> 'queued' OR coalesce(child.not_before, '') < {{}})"
"""`domain.job.in_time` of a child, for the moment to be filled in."""


class Transaction:
    """One transaction of the queue. `topics` is what the bell rings for after its commit. What happens is dated `now`; what
    is waited for is due by `steady`."""

    def __init__(self, connection: apsw.Connection, clock: Clock) -> None:
        self.connection, self.now, self.steady = connection, clock.now(), clock.steady()
        self.topics: set[str] = set()

    def rows(self, query: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return every(self.connection.execute(query, values))

    def insert(self, task_id: TaskId, new: NewJob, state: JobState = JobState.QUEUED, cause: JobId | None = None) -> JobId:
        """Add a job, or leave the one that stands for it. Returns the id that stands."""
        values = {"id": new.id, "task_id": task_id, "kind": new.kind, "state": state, "priority": int(new.priority)}
        values |= {"input": new.input.text, "not_before": new.not_before, "key": new.dedupe_key, "cause": cause}
        if not self.rows(INSERT, values | {"now": self.now, "finished_at": self.now if state in ENDED else None}):
            query = (
                "SELECT id FROM jobs WHERE id = :id OR (task_id = :task_id AND dedupe_key = :key) ORDER BY id <> :id LIMIT 1"
            )
            return JobId(self.rows(query, values)[0][0])
        self.happened(task_id, new.id, state, {"kind": new.kind}, {state: 1})
        return new.id

    def revive(self, job_id: JobId, priority: int | None = None) -> bool:
        """Queue a job again that was cancelled or has failed; it goes on after its last step. False for any other."""
        query = "SELECT state FROM jobs WHERE id = :id AND state IN ('cancelled', 'failed')"
        ended = self.rows(query, {"id": job_id})
        if not ended:
            return False
        sets = "state = 'queued', failures = 0, not_before = NULL, finished_at = NULL, cancel_requested = 0"
        query = f"UPDATE jobs SET {sets}, priority = coalesce(:priority, priority) WHERE id = :id"
        self.rows(query, {"id": job_id, "priority": priority})
        self.moved(job_id, JobState(ended[0][0]), JobState.QUEUED)
        return True

    def moved(self, job_id: JobId, old: JobState, new: JobState, data: Mapping[str, Any] | None = None) -> None:
        """Record a move that has been made. A parent goes on that has waited for this job as the last one that could end in its
        time."""
        if new not in MOVES[old]:
            raise Internal("A {old} job cannot become {new}.", old=old, new=new)
        query = "SELECT task_id, cause_id FROM jobs WHERE id = :id"
        ((task_id, cause_id),) = self.rows(query, {"id": job_id})
        self.happened(task_id, job_id, new, data, {old: -1, new: 1})
        if cause_id is not None and new is not JobState.RUNNING:
            self._wake(cause_id)

    def released(self, job_id: JobId, new: JobState, end: InterventionState) -> None:
        """As `moved`, for a job that waits for a person no longer."""
        query = "UPDATE interventions SET state = :end, ended_at = :now WHERE job_id = :id AND ended_at IS NULL"
        self.rows(query, {"id": job_id, "end": end, "now": self.now})
        self.moved(job_id, JobState.AWAITING_AUTH, new, {"person": end})

    def happened(
        self,
        task_id: TaskId,
        job_id: JobId,
        kind: str,
        data: Mapping[str, Any] | None = None,
        counts: Mapping[JobState, int] | None = None,
    ) -> None:
        """Append an event under the task's next revision; `counts` is what it changes in the numbers of jobs by state."""
        changed = "".join(f", {state} = {state} + {by}" for state, by in (counts or {}).items())
        query = f"UPDATE tasks SET revision = revision + 1{changed} WHERE id = :id RETURNING revision, state, {COUNTS}"
        ((revision, state, *now),) = self.rows(query, {"id": task_id})
        self.connection.execute(EVENT, (task_id, revision, job_id, self.now, kind, dumps(data or {})))
        reached = task_state(dict(zip(STATES, now, strict=True)))
        if reached != state:
            self.connection.execute("UPDATE tasks SET state = ? WHERE id = ?", (reached, task_id))
        self.topics |= {task_id, str(kind)}

    def _wake(self, parent: JobId) -> None:
        woken = self.rows(
            f"""UPDATE jobs SET state = 'queued', not_before = NULL WHERE id = :id AND state = 'parked'
            AND NOT EXISTS (SELECT 1 FROM jobs child WHERE child.cause_id = :id AND {IN_TIME.format("jobs.not_before")})
            RETURNING id""",
            {"id": parent},
        )
        if woken:
            self.moved(parent, JobState.PARKED, JobState.QUEUED)


class Transactions:
    """Runs transactions of the queue and rings after their commit."""

    def __init__(self, database: Database, clock: Clock, bell: Bell) -> None:
        self._database, self._clock, self._bell = database, clock, bell

    async def write(self, work: Callable[[Transaction], T]) -> T:
        topics: set[str] = set()

        def whole(connection: apsw.Connection) -> T:
            transaction = Transaction(connection, self._clock)
            result = work(transaction)
            topics.update(transaction.topics)
            return result

        result = await self._database.write(whole)
        self._bell.ring(topics)
        return result

    async def rows(self, query: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return await self._database.read(lambda connection: every(connection.execute(query, values)))

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Several queries on one state of the data."""
        return await self._database.read(lambda connection: work(Transaction(connection, self._clock)))

    def steady(self) -> Instant:
        return self._clock.steady()


def job(row: Sequence[Any]) -> Job:
    """From the columns of `JOB`."""
    return Job(
        id=JobId(row[0]),
        task_id=TaskId(row[1]),
        kind=row[2],
        state=JobState(row[3]),
        priority=row[4],
        input=Payload(row[5]),
        created_at=row[6],
        output=None if row[7] is None else json.loads(row[7]),
        errors=errors(row[8]),
        progress=json.loads(row[9]),
        attempt=row[10],
        failures=row[11],
        worker_id=None if row[12] is None else WorkerId(row[12]),
        not_before=row[13],
        stop_asked=bool(row[14]),
        dedupe_key=row[15],
        cause_id=None if row[16] is None else JobId(row[16]),
        started_at=row[17],
        finished_at=row[18],
    )


def jobs(found: Iterable[Sequence[Any]]) -> tuple[Job, ...]:
    return tuple(job(row) for row in found)


def errors(text: str) -> tuple[JobError, ...]:
    """The history of a job's errors."""
    return tuple(build(each, JobError) for each in json.loads(text))


def task(row: Sequence[Any]) -> Task:
    """From the columns of `TASK`."""
    return Task(
        id=TaskId(row[0]),
        owner=row[1],
        question=row[2],
        state=TaskState(row[3]),
        revision=row[4],
        budget=json.loads(row[5]),
        spent=json.loads(row[6]),
        created_at=row[7],
        jobs={state: count for state, count in zip(STATES, row[8:], strict=True) if count},
    )
