"""The job queue for workers, in PostgreSQL.

Operations that every job needs take one statement each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import TypeVar

from shisho.domain.codec import Payload
from shisho.domain.event import NO_FACTS, EventFacts, EventKind
from shisho.domain.job import Claim, ClaimLost, Job, JobId, JobState, TaskId, WorkerId
from shisho.ports import ChangeNotifier, Clock
from shisho.stores.nouns import Row
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.sql.jobs import FINISHED, StoredJobs, fence
from shisho.stores.sql.transitions import COUNTS, JOB, Transaction, Transactions, event_json, job

# Give the task of a source the next revision; the changes of its job counts by state are filled in.
NEXT_REVISION = f"""UPDATE tasks SET revision = tasks.revision + 1{{counts}} FROM {{source}} WHERE tasks.id = {{source}}.task_id
        RETURNING tasks.id, tasks.revision, tasks.state AS task_state, {COUNTS}"""
# Record the event at that revision.
ADD_EVENT = """INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
        SELECT revised.id, revised.revision, :id, :now, :kind, :data FROM revised"""
# Record a job's change of state: its task's counts and the event.
MOVED = f"""WITH belongs AS (SELECT task_id, cause_id FROM jobs WHERE id = :id),
    revised AS ({NEXT_REVISION.format(counts="{counts}", source="belongs")}),
    told AS ({ADD_EVENT})
    SELECT belongs.task_id, belongs.cause_id, revised.task_state AS state, {COUNTS} FROM belongs, revised"""
# Record an event of a task.
CHANGE_AND_LOG = f"""WITH belongs AS (SELECT CAST(:task_id AS text) AS task_id),
    revised AS ({NEXT_REVISION.format(counts="{counts}", source="belongs")}),
    told AS ({ADD_EVENT})
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
        (row,) = self.fetch(statement, self._build_event(job_id, kind, facts))
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
        statement = CHANGE_AND_LOG.format(counts=write_count_changes(counts or {}))
        (row,) = self.fetch(statement, self._build_event(job_id, kind, facts) | {"task_id": task_id})
        self.record_revision(task_id, kind, row.state, row)

    def _build_event(self, job_id: JobId, kind: EventKind, facts: EventFacts) -> dict[str, str]:
        return {"id": job_id, "now": self.now, "kind": str(kind), "data": event_json(facts)}


def build_postgres_transactions(
    database: PostgresDatabase, clock: Clock, notifier: ChangeNotifier
) -> Transactions:
    """Return the transactions of a queue over one PostgreSQL database."""
    return Transactions(PostgresQueryStore(database), clock, notifier, PostgresTransaction)


T = TypeVar("T")
# Claim the next job of the owner with the fewest running jobs, unless another worker is claiming it
# (`schema/0103_claims_of_many_owners.sql`).
CLAIM = f"SELECT {JOB} FROM claim_fair_job(:worker_id, :kinds, :now, :timeline_now)"
# Complete a claimed job, within a transaction or as its own.
COMPLETE = "SELECT * FROM complete_job(:id, :attempt, :worker_id, :output, :now, :alone)"
# Complete a claimed job in one transaction, then claim the next job in another
# (`schema/0090_fair_claims.sql`).
COMPLETE_THEN_CLAIM = """CALL complete_then_claim_fair(:id, :attempt, :worker_id, :output, :kinds, :now, :timeline_now,
    NULL, NULL, NULL)"""


class PostgresJobs(StoredJobs):
    """`ports.JobStore` over one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock, notifier: ChangeNotifier) -> None:
        super().__init__(build_postgres_transactions(database, clock, notifier))
        self._database = database

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        # A claim that finds no job locks and writes nothing. If the claim was committed but the reply was
        # lost, the job is reclaimed like any other job without heartbeats.
        return await self._claims.follow(
            self._execute(lambda transaction: self._take(transaction, worker_id, kinds))
        )

    async def finish(self, claim: Claim, output: Payload) -> None:
        if not await self._execute(lambda transaction: self._complete_alone(transaction, claim, output)):
            await super().finish(claim, output)

    async def finish_and_claim(self, claim: Claim, output: Payload, kinds: Sequence[str]) -> Job | None:
        async def finish_in_turn() -> Job | None:
            done, taken = await self._execute(
                lambda transaction: self._complete_then_claim(transaction, claim, output, kinds)
            )
            if not done:
                await super(PostgresJobs, self).finish(claim, output)
            return taken

        return await self._claims.follow(finish_in_turn())

    async def _execute(self, work: Callable[[Transaction], T]) -> T:
        """Run repeatable statements, each as its own transaction."""
        whole = self._transactions.gather_topics(work)
        committing = self._database.execute(lambda connection: whole(PostgresQueries(connection)))
        return await self._transactions.await_commit(committing)

    def _take(self, transaction: Transaction, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        times = {"now": transaction.now, "timeline_now": transaction.timeline_now}
        row = transaction.fetch_first(CLAIM, times | {"worker_id": worker_id, "kinds": list(kinds)})
        return None if row is None else _note_taken(transaction, row)

    def _complete_then_claim(
        self, transaction: Transaction, claim: Claim, output: Payload, kinds: Sequence[str]
    ) -> tuple[bool, Job | None]:
        """Complete a job as `_complete_alone` does, then claim the next job."""
        values = fence(claim) | {"output": output.text, "kinds": list(kinds)}
        times = {"now": transaction.now, "timeline_now": transaction.timeline_now}
        (row,) = transaction.fetch(COMPLETE_THEN_CLAIM, values | times)
        if row.done is None:
            _check_finished(transaction, claim)
            return True, self._take(transaction, claim.worker_id, kinds)
        if row.done:
            transaction.topics |= {row.completed_task, EventKind.COMPLETED}
        return row.done, None if row.taken is None else _note_taken(transaction, SimpleNamespace(**row.taken))

    def _complete(self, transaction: Transaction, claim: Claim, output: Payload) -> None:
        row = _complete_job(transaction, claim, output, alone=False)
        if row is None:
            raise ClaimLost
        if row.cause_id is not None:
            transaction.wake(row.cause_id)

    def _complete_alone(self, transaction: Transaction, claim: Claim, output: Payload) -> bool:
        """Complete a job in one statement; return False, unchanged, if it needs a full transaction."""
        row = _complete_job(transaction, claim, output, alone=True)
        if row is None:
            _check_finished(transaction, claim)
        return row is None or row.done


def _note_taken(transaction: Transaction, row: Row) -> Job:
    """Build the claimed job from the columns of `JOB`."""
    taken = job(row)
    # Its task is already running, as any task with a queued job is, and keeps running.
    transaction.topics |= {taken.task_id, EventKind.RUNNING}
    return taken


def _check_finished(transaction: Transaction, claim: Claim) -> None:
    """Raise ClaimLost, unless this attempt has already completed the job."""
    if not transaction.fetch(FINISHED, fence(claim)):
        raise ClaimLost


def _complete_job(transaction: Transaction, claim: Claim, output: Payload, *, alone: bool) -> Row | None:
    values = fence(claim) | {"output": output.text, "now": transaction.now, "alone": alone}
    row = transaction.fetch_first(COMPLETE, values)
    if row is not None and row.done:
        transaction.topics |= {row.task_id, EventKind.COMPLETED}
    return row
