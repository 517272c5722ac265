"""Transactions of the queue in PostgreSQL: a job changes state in one statement."""

from __future__ import annotations

from collections.abc import Mapping

from shisho.domain.event import NO_FACTS, EventFacts, EventKind
from shisho.domain.job import JobId, JobState, TaskId
from shisho.ports import Bell, Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.queries import PostgresQueryStore
from shisho.stores.transitions import COUNTS, Transaction, Transactions, event_json

# Give the task of a source the next revision; the changes of its job counts by state are filled in.
REVISED = f"""UPDATE tasks SET revision = tasks.revision + 1{{counts}} FROM {{source}} WHERE tasks.id = {{source}}.task_id
        RETURNING tasks.id, tasks.revision, tasks.state AS task_state, {COUNTS}"""
# Record the event at that revision.
TOLD = """INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
        SELECT revised.id, revised.revision, :id, :now, :kind, :data FROM revised"""
# Record a job's change of state: its task's counts and the event.
MOVED = f"""WITH belongs AS (SELECT task_id, cause_id FROM jobs WHERE id = :id),
    revised AS ({REVISED.format(counts="{counts}", source="belongs")}),
    told AS ({TOLD})
    SELECT belongs.task_id, belongs.cause_id, revised.task_state AS state, {COUNTS} FROM belongs, revised"""
# Record an event of a task.
HAPPENED = f"""WITH belongs AS (SELECT CAST(:task_id AS text) AS task_id),
    revised AS ({REVISED.format(counts="{counts}", source="belongs")}),
    told AS ({TOLD})
    SELECT revised.task_state AS state, {COUNTS} FROM revised"""


def write_move_counts(old: JobState, new: JobState) -> str:
    """Write the SQL that updates a task's job counts after a change of state."""
    return write_count_changes({old: -1, new: 1})


def write_count_changes(counts: Mapping[JobState, int]) -> str:
    """Write the SQL that adds to a task's job counts."""
    return "".join(f", {state} = tasks.{state} + {by}" for state, by in counts.items())


class PostgresTransaction(Transaction):
    """One transaction of the queue in PostgreSQL."""

    def move(self, job_id: JobId, old: JobState, new: JobState, facts: EventFacts = NO_FACTS) -> None:
        self.check_move(old, new)
        kind = EventKind(new)
        statement = MOVED.format(counts=write_move_counts(old, new))
        (row,) = self.rows(statement, self._told(job_id, kind, facts))
        self.record_revision(TaskId(row.task_id), kind, row.state, row)
        if row.cause_id is not None and new is not JobState.RUNNING:
            self.wake(row.cause_id)

    def record_event(
        self,
        task_id: TaskId,
        job_id: JobId,
        kind: EventKind,
        facts: EventFacts = NO_FACTS,
        counts: Mapping[JobState, int] | None = None,
    ) -> None:
        statement = HAPPENED.format(counts=write_count_changes(counts or {}))
        (row,) = self.rows(statement, self._told(job_id, kind, facts) | {"task_id": task_id})
        self.record_revision(task_id, kind, row.state, row)

    def _told(self, job_id: JobId, kind: EventKind, facts: EventFacts) -> dict[str, str]:
        return {"id": job_id, "now": self.now, "kind": str(kind), "data": event_json(facts)}


def build_postgres_transactions(database: PostgresDatabase, clock: Clock, bell: Bell) -> Transactions:
    """Return the transactions of a queue over one PostgreSQL database."""
    return Transactions(PostgresQueryStore(database), clock, bell, PostgresTransaction)
