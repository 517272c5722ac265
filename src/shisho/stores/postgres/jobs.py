"""The queue's working side in PostgreSQL. What is done for every job goes there in one statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shisho.domain.codec import Payload
from shisho.domain.event import EventFacts, EventKind
from shisho.domain.job import Claim, ClaimLost, Job, JobState, TaskId
from shisho.ports import Bell, Clock
from shisho.stores.jobs import COMPLETED, DUE, HELD, StoredJobs, fence
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.transitions import REVISED, TOLD, counted, postgres_transactions
from shisho.stores.transitions import COUNTS, JOB, Transaction, event_json, job

# Take the first job that is due and that nobody else is taking, count it and note the event.
CLAIM = f"""WITH due AS MATERIALIZED ({DUE} FOR UPDATE SKIP LOCKED),
    taken AS (UPDATE jobs SET state = 'running', attempt = attempt + 1, worker_id = :worker_id, beat = 0, not_before = NULL,
            started_at = :now, finished_at = NULL
        WHERE id = (SELECT due.id FROM due) RETURNING {JOB}),
    revised AS ({REVISED.format(counts=counted(JobState.QUEUED, JobState.RUNNING), source="taken")}),
    told AS (INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
        SELECT revised.id, revised.revision, taken.id, :now, 'running',
            json_build_object('attempt', taken.attempt, 'worker_id', taken.worker_id)::text
        FROM revised, taken)
    SELECT taken.*, revised.task_state, {COUNTS} FROM taken, revised"""
# Complete a job that is held, count it and note the event.
COMPLETE = f"""WITH ended AS (UPDATE jobs SET {COMPLETED} WHERE {HELD} RETURNING task_id, cause_id),
    revised AS ({REVISED.format(counts=counted(JobState.RUNNING, JobState.COMPLETED), source="ended")}),
    told AS ({TOLD})
    SELECT ended.task_id, ended.cause_id, revised.task_state AS state, {COUNTS} FROM ended, revised"""


class PostgresJobs(StoredJobs):
    """`ports.JobStore` over one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock, bell: Bell) -> None:
        super().__init__(postgres_transactions(database, clock, bell))

    def _taken(self, transaction: Transaction, values: Mapping[str, Any]) -> Job | None:
        row = transaction.first(CLAIM, values)
        if row is None:
            return None
        transaction.reached(TaskId(row.task_id), EventKind.RUNNING, row.task_state, row)
        return job(row)

    def _complete(self, transaction: Transaction, claim: Claim, output: Payload) -> None:
        told = {"now": transaction.now, "kind": str(EventKind.COMPLETED), "data": event_json(EventFacts())}
        values = fence(claim) | told | {"output": output.text}
        row = transaction.first(COMPLETE, values)
        if row is None:
            raise ClaimLost
        transaction.reached(TaskId(row.task_id), EventKind.COMPLETED, row.state, row)
        if row.cause_id is not None:
            transaction.wake(row.cause_id)
