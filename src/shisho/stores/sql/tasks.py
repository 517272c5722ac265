"""The task store in a database: tasks and their events, stopping and resuming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from shisho.domain.codec import dumps, loads
from shisho.domain.conversation import NewTurn
from shisho.domain.event import Event, EventFacts, EventKind
from shisho.domain.intervention import InterventionState
from shisho.domain.job import (
    EnqueueResult,
    IdempotencyKey,
    Job,
    JobId,
    JobState,
    NewJob,
    NewTask,
    RemovedRows,
    ReplyFacts,
    Snapshot,
    StopMode,
    StopResult,
    Task,
    TaskId,
    TaskState,
)
from shisho.domain.team import AuditAct, QuotaResource
from shisho.domain.time import count_seconds
from shisho.errors import TaskNotFound
from shisho.stores.nouns import Row
from shisho.stores.refusals import bound_ids
from shisho.stores.sql import request_keys
from shisho.stores.sql.audit import record_act
from shisho.stores.sql.conversations import add_turn
from shisho.stores.sql.quotas import charge_quotas
from shisho.stores.sql.transitions import JOB, TASK, Transaction, Transactions, get_job, jobs, task

# Find an owner's tasks by ID prefix, as a range of IDs.
BY_PREFIX = "SELECT id FROM tasks WHERE owner = :owner AND id >= :prefix AND id < :top LIMIT 2"
# Find the newest task of an owner.
NEWEST = "SELECT id FROM tasks WHERE owner = :owner ORDER BY created_at DESC, id DESC LIMIT 1"
# List the tasks of an owner, newest first; the conditions are filled in.
LIST = f"SELECT {TASK} FROM tasks WHERE owner = :owner{{narrowed}} ORDER BY created_at DESC, id DESC LIMIT :limit"
# Only tasks in these states.
IN_STATES = " AND state IN (SELECT value FROM json_each(:states))"
# Only tasks older than the last one seen.
OLDER = """ AND (created_at, id) <
    (SELECT seen.created_at, seen.id FROM tasks seen WHERE seen.id = :after AND seen.owner = :owner)"""
# List the jobs of a task, oldest first; the condition is filled in.
JOBS = f"SELECT {JOB} FROM jobs WHERE task_id = :task_id{{narrowed}} ORDER BY created_at, id LIMIT :limit"
# Only jobs newer than the last one seen.
YOUNGER = " AND (created_at, id) > (SELECT seen.created_at, seen.id FROM jobs seen WHERE seen.id = :after)"
# List the events of a task after a revision.
EVENTS = """SELECT revision, job_id, at, kind, data_json FROM events WHERE task_id = :task_id AND revision > :after
    ORDER BY revision LIMIT :limit"""
# List and lock the jobs that can be stopped. Parents first: the end of its last child would queue a parked
# one again.
ACTIVE = """SELECT id, state FROM jobs
    WHERE task_id = :id AND state IN ('queued', 'parked', 'awaiting_auth', 'running') ORDER BY state <> 'parked'
    /*pg FOR UPDATE */"""
# Ask a running job to stop.
ASK_STOP = "UPDATE jobs SET cancel_requested = true WHERE id = :id"
# Withdraw that request from all jobs of a task.
CLEAR_STOP_REQUEST = "UPDATE jobs SET cancel_requested = false WHERE task_id = :id AND cancel_requested"
# List the jobs that can be resumed, oldest first.
RESUMABLE = (
    "SELECT id FROM jobs WHERE task_id = :id AND state IN ('cancelled', 'failed') ORDER BY created_at, id"
)
# Cancel a job.
CANCEL = "UPDATE jobs SET state = 'cancelled', not_before = NULL, output_json = NULL, finished_at = :now WHERE id = :id"
# Delete the events of a task.
REMOVE_EVENTS = "DELETE FROM events WHERE task_id = :id RETURNING 1"
# Delete the other rows that refer to a task or its jobs.
REMOVE_REST = (
    "DELETE FROM interventions WHERE task_id = :id",
    "DELETE FROM job_steps WHERE job_id IN (SELECT j.id FROM jobs j WHERE j.task_id = :id)",
    "DELETE FROM request_keys WHERE task_id = :id",
    "DELETE FROM task_shares WHERE shared_id = :id",
)
# Delete the jobs of a task.
REMOVE_JOBS = "DELETE FROM jobs WHERE task_id = :id RETURNING 1"
# Delete a task that nothing refers to any more.
REMOVE = "DELETE FROM tasks WHERE id = :id"
# Read the start and end times of the latest completed jobs of a kind.
LATEST = """SELECT started_at, finished_at FROM jobs WHERE kind = :kind AND state = 'completed'
    ORDER BY finished_at DESC LIMIT :limit"""
# Read one task.
GET = f"SELECT {TASK} FROM tasks WHERE id = :id"
# Add a task, unless one with its ID exists.
OPEN = """INSERT INTO tasks(id, owner, question, state, budget_json, created_at)
    VALUES (:id, :owner, :question, :state, :budget, :now) ON CONFLICT DO NOTHING"""


class StoredTasks:
    """`ports.TaskStore` over a database."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def open(self, task: NewTask, key: IdempotencyKey | None = None) -> Task:
        opened = await self.enqueue(task, (), key)
        return await self.get_task(opened.task_id)

    async def enqueue(
        self,
        task: NewTask | TaskId,
        jobs: Sequence[NewJob],
        key: IdempotencyKey | None = None,
        turn: NewTurn | None = None,
        act: AuditAct | None = None,
    ) -> EnqueueResult:
        def write(transaction: Transaction) -> EnqueueResult:
            if key is not None:
                transaction.queries.hold(f"key {key.owner} {key.key}")
            repeated = request_keys.find_repeated(transaction, key)
            if repeated is not None:
                return repeated
            task_id = _open(transaction, task) if isinstance(task, NewTask) else task
            owner = _hold(transaction, task_id).owner
            enqueued = _enqueue(transaction, task_id, jobs, key)
            accepted = len(enqueued.added)
            charge_quotas(transaction.queries, owner, QuotaResource.JOBS, accepted, transaction.timeline_now)
            request_keys.keep(transaction, key, enqueued)
            if turn is not None:
                add_turn(transaction.queries, turn, transaction.now)
            if act is not None:
                record_act(transaction.queries, act, transaction.now)
            return enqueued

        return await self._transactions.write(write)

    async def find_repeated(self, key: IdempotencyKey) -> EnqueueResult | None:
        return await self._transactions.read(lambda transaction: request_keys.find_repeated(transaction, key))

    async def get_task(self, task_id: TaskId) -> Task:
        return await self._transactions.read(lambda transaction: _read_task(transaction, task_id))

    async def get_job_and_task(self, job_id: JobId) -> tuple[Job, Task]:
        def read(transaction: Transaction) -> tuple[Job, Task]:
            found = get_job(transaction, job_id)
            return found, _read_task(transaction, found.task_id)

        return await self._transactions.read(read)

    async def find(self, prefix: str, owner: str) -> TaskId:
        if prefix == "last":
            rows = await self._transactions.read_rows(NEWEST, {"owner": owner})
        else:
            low, high = bound_ids(prefix, "task")
            values = {"owner": owner, "prefix": low, "top": high}
            rows = await self._transactions.read_rows(BY_PREFIX, values)
        if len(rows) > 1:
            raise TaskNotFound("task.ambiguous", prefix=prefix)
        if not rows:
            if prefix == "last":
                raise TaskNotFound("task.none")
            raise TaskNotFound("task.not_found", task_id=prefix)
        return TaskId(rows[0].id)

    async def list_tasks(
        self,
        owner: str,
        states: Sequence[TaskState] = (),
        after: TaskId | None = None,
        limit: int = 50,
    ) -> Sequence[Task]:
        narrowed = (IN_STATES if states else "") + (OLDER if after is not None else "")
        values = {"owner": owner, "limit": limit, "states": list(states), "after": after}
        rows = await self._transactions.read_rows(LIST.format(narrowed=narrowed), values)
        return [task(row) for row in rows]

    async def take_snapshot(self, task_id: TaskId, after: JobId | None = None, limit: int = 200) -> Snapshot:
        query = JOBS.format(narrowed=YOUNGER if after is not None else "")
        values = {"task_id": task_id, "limit": limit + 1, "after": after}

        def read(transaction: Transaction) -> Snapshot:
            rows = transaction.fetch(query, values)
            return Snapshot(_read_task(transaction, task_id), jobs(rows[:limit]), len(rows) > limit)

        return await self._transactions.read(read)

    async def list_events(self, task_id: TaskId, after: int = 0, limit: int = 200) -> Sequence[Event]:
        values = {"task_id": task_id, "after": after, "limit": limit}

        def read(transaction: Transaction) -> list[Event]:
            _read_task(transaction, task_id)
            return [_build_event(task_id, row) for row in transaction.fetch(EVENTS, values)]

        return await self._transactions.read(read)

    async def stop(self, task_id: TaskId, mode: StopMode) -> StopResult:
        def write(transaction: Transaction) -> StopResult:
            _hold(transaction, task_id)
            jobs = [
                (JobId(job.id), JobState(job.state)) for job in transaction.fetch(ACTIVE, {"id": task_id})
            ]
            spared = [id_ for id_, state in jobs if state is JobState.RUNNING and mode is StopMode.GRACEFUL]
            cancelled = [(id_, state) for id_, state in jobs if id_ not in spared]
            for job_id, state in cancelled:
                _cancel(transaction, job_id, state)
            for job_id in spared:
                transaction.fetch(ASK_STOP, {"id": job_id})
                transaction.record_event(task_id, job_id, EventKind.STOP_ASKED)
            return StopResult(Counter(state for _, state in cancelled), tuple(spared))

        return await self._transactions.write(write)

    async def resume(self, task_id: TaskId) -> Sequence[JobId]:
        def write(transaction: Transaction) -> list[JobId]:
            _hold(transaction, task_id)
            job_ids = [JobId(job.id) for job in transaction.fetch(RESUMABLE, {"id": task_id})]
            transaction.fetch(CLEAR_STOP_REQUEST, {"id": task_id})
            for job_id in job_ids:
                transaction.revive(job_id)
            return job_ids

        return await self._transactions.write(write)

    async def remove(self, task_id: TaskId) -> RemovedRows:
        def write(transaction: Transaction) -> RemovedRows:
            _hold(transaction, task_id)
            values = {"id": task_id}
            events = transaction.fetch(REMOVE_EVENTS, values)
            for statement in REMOVE_REST:
                transaction.fetch(statement, values)
            removed = transaction.fetch(REMOVE_JOBS, values)
            transaction.fetch(REMOVE, values)
            transaction.topics |= {task_id, EventKind.CANCELLED}
            return RemovedRows(len(removed), len(events))

        return await self._transactions.write(write)

    async def list_durations(self, kind: str, limit: int = 20) -> Sequence[float]:
        latest = await self._transactions.read_rows(LATEST, {"kind": kind, "limit": limit})
        return [count_seconds(job.started_at, job.finished_at) for job in latest]


def _hold(transaction: Transaction, task_id: TaskId) -> Task:
    """Lock the task against changes and return it. Raises TaskNotFound."""
    transaction.hold(task_id=task_id)
    return _read_task(transaction, task_id)


def _read_task(transaction: Transaction, task_id: TaskId) -> Task:
    rows = transaction.fetch(GET, {"id": task_id})
    if not rows:
        raise TaskNotFound("task.not_found", task_id=task_id)
    return task(rows[0])


def _open(transaction: Transaction, new: NewTask) -> TaskId:
    values: dict[str, Any] = {
        "id": new.id,
        "owner": new.owner,
        "question": new.question,
        "state": new.state,
        "budget": dumps(new.budget),
    }
    transaction.fetch(OPEN, values | {"now": transaction.now})
    return new.id


def _build_event(task_id: TaskId, row: Row) -> Event:
    facts = loads(row.data_json, EventFacts, is_lenient=True)
    return Event(task_id, row.revision, JobId(row.job_id), row.at, EventKind(row.kind), facts)


def _enqueue(
    transaction: Transaction, task_id: TaskId, new: Sequence[NewJob], key: IdempotencyKey | None
) -> EnqueueResult:
    job_ids = [transaction.insert(task_id, job) for job in new]
    again = [(job_id, job) for job_id, job in zip(job_ids, new, strict=True) if job_id != job.id]
    revived = {job_id for job_id, job in again if transaction.revive(job_id, int(job.priority))}
    ids = {job.id for job in new}
    added = tuple(job_id for job_id in job_ids if job_id in ids or job_id in revived)
    return EnqueueResult(task_id, tuple(job_ids), added, key.facts if key else ReplyFacts())


def _cancel(transaction: Transaction, job_id: JobId, state: JobState) -> None:
    transaction.fetch(CANCEL, {"id": job_id, "now": transaction.now})
    if state is JobState.AWAITING_AUTH:
        transaction.record_release(job_id, JobState.CANCELLED, InterventionState.CANCELLED)
    else:
        transaction.move(job_id, state, JobState.CANCELLED)
