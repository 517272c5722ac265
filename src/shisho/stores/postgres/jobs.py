"""The queue's working side in PostgreSQL. What is done for every job goes there in one statement."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.codec import Payload
from shisho.domain.event import EventKind
from shisho.domain.job import Claim, ClaimLost, Job, TaskId, WorkerId
from shisho.ports import Bell, Clock
from shisho.stores.jobs import StoredJobs, fence
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.postgres.transitions import postgres_transactions
from shisho.stores.transitions import JOB, Transaction, job

# Take the first job that is due and that nobody else is taking (`schema/0005_moves.sql`).
CLAIM = f"SELECT {JOB} FROM claim_job(:worker_id, :kinds, :now, :steady)"
# Complete a job that is held.
COMPLETE = "SELECT * FROM complete_job(:id, :attempt, :worker_id, :output, :now)"


class PostgresJobs(StoredJobs):
    """`ports.JobStore` over one PostgreSQL database."""

    def __init__(self, database: PostgresDatabase, clock: Clock, bell: Bell) -> None:
        super().__init__(postgres_transactions(database, clock, bell))
        self._database = database

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        # One that finds nothing locks nothing and writes nothing. Where it was committed and nobody knows, the job
        # is taken back as any other whose worker gives no sign of life.
        whole = self._transactions.noting_topics(
            lambda transaction: self._take(transaction, worker_id, kinds)
        )
        done = await self._database.execute(lambda connection: whole(PostgresQueries(connection)))
        return self._transactions.ring(done)

    def _take(self, transaction: Transaction, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        times = {"now": transaction.now, "steady": transaction.steady}
        row = transaction.first(CLAIM, times | {"worker_id": worker_id, "kinds": list(kinds)})
        if row is None:
            return None
        taken = job(row)
        # Its task was running, as a task with a queued job is, and runs on.
        transaction.topics |= {taken.task_id, EventKind.RUNNING}
        return taken

    def _complete(self, transaction: Transaction, claim: Claim, output: Payload) -> None:
        row = transaction.first(COMPLETE, fence(claim) | {"output": output.text, "now": transaction.now})
        if row is None:
            raise ClaimLost
        transaction.reached(TaskId(row.task_id), EventKind.COMPLETED, row.task_state, row)
        if row.cause_id is not None:
            transaction.wake(row.cause_id)
