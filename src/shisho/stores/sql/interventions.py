"""The requests for a person's action, in a database.

A row starts and ends with the wait of its job, in the same transaction of the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shisho.domain.event import EventFacts, EventKind
from shisho.domain.intervention import (
    AuthTarget,
    HumanChallenge,
    InterventionState,
    PendingIntervention,
    find_solved_together,
    make_intervention_id,
    select_interventions,
    select_unannounced,
)
from shisho.domain.job import Claim, JobId, JobState, TaskId
from shisho.domain.time import Instant
from shisho.stores.nouns import Row
from shisho.stores.sql import Queries
from shisho.stores.sql.transitions import Transaction, Transactions

# Add a request for a person's action.
RAISE = """INSERT INTO interventions(id, owner, task_id, job_id, engine, domain, url, kind, created_at, expires_at)
    SELECT :id, t.owner, j.task_id, j.id, :engine, :domain, :url, :kind, :now, :until
    FROM jobs j JOIN tasks t ON t.id = j.task_id WHERE j.id = :job_id"""
# The columns of `interventions` that `_waiting` reads.
COLUMNS = "id, job_id, task_id, domain, url, engine, kind, state, created_at, expires_at"
# List pending requests, in all tasks of an owner or in one, oldest first.
WAITING = f"""SELECT {COLUMNS} FROM interventions
    WHERE ended_at IS NULL AND owner = :owner AND (CAST(:task_id AS text) IS NULL OR task_id = :task_id)
    ORDER BY created_at, id"""
# The same with row locks, before some of them end.
LOCK_WAITING = f"{WAITING} /*pg FOR UPDATE */"
# Check whether there is a request that was not announced on the desktop.
UNANNOUNCED = (
    "SELECT 1 FROM interventions WHERE ended_at IS NULL AND announced_at IS NULL AND owner = :owner LIMIT 1"
)
# Mark all requests as announced.
ANNOUNCE = """UPDATE interventions SET announced_at = :now WHERE ended_at IS NULL AND announced_at IS NULL AND owner = :owner
    RETURNING id"""
# Record the progress of a person.
MARK = "UPDATE interventions SET state = :state WHERE id = :id"
# Complete a job with a partial result, because the person skipped it.
SKIP = "UPDATE jobs SET state = 'completed', not_before = NULL, finished_at = :now WHERE id = :id"
# Queue a job again after the person's action.
FREE = "UPDATE jobs SET state = 'queued', not_before = NULL, output_json = NULL WHERE id = :id"
Chosen = Callable[[PendingIntervention], bool]


class StoredInterventions:
    """`ports.Interventions` over a database."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def list_waiting(self, owner: str, task_id: TaskId | None = None) -> Sequence[PendingIntervention]:
        return await self._transactions.read(
            lambda transaction: select_waiting(transaction.queries, owner, task_id)
        )

    async def find_pending(self, owner: str, engine: str) -> HumanChallenge | None:
        interventions = [
            intervention for intervention in await self.list_waiting(owner) if intervention.engine == engine
        ]
        return interventions[-1].met if interventions else None

    async def mark(
        self, owner: str, target: AuthTarget, name: str, state: InterventionState
    ) -> Sequence[PendingIntervention]:
        def write(transaction: Transaction) -> list[PendingIntervention]:
            interventions = find_solved_together(
                select_waiting(transaction.queries, owner, still=True), select_interventions(target, name)
            )
            for intervention in interventions:
                transaction.fetch(MARK, {"id": intervention.id, "state": state})
                transaction.record_event(
                    intervention.task_id,
                    intervention.job_id,
                    EventKind.PERSON,
                    EventFacts(person=state, domain=intervention.domain),
                )
            return interventions

        return await self._transactions.write(write)

    async def complete(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        return await self._transactions.write(
            lambda transaction: _complete(transaction, owner, select_interventions(target, name))
        )

    async def skip(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        def write(transaction: Transaction) -> list[PendingIntervention]:
            interventions = list(
                filter(
                    select_interventions(target, name), select_waiting(transaction.queries, owner, still=True)
                )
            )
            for intervention in interventions:
                transaction.fetch(SKIP, {"id": intervention.job_id, "now": transaction.now})
                transaction.record_release(intervention.job_id, JobState.COMPLETED, InterventionState.SKIPPED)
            return interventions

        return await self._transactions.write(write)

    async def list_solved(self, owner: str, engine: str) -> Sequence[PendingIntervention]:
        if await self.find_pending(owner, engine) is None:
            return []
        return await self._transactions.write(
            lambda transaction: _complete(
                transaction, owner, lambda intervention: intervention.engine == engine
            )
        )

    async def take_unannounced(self, owner: str) -> Sequence[PendingIntervention]:
        if not await self._transactions.read_rows(UNANNOUNCED, {"owner": owner}):
            return []

        def write(transaction: Transaction) -> list[PendingIntervention]:
            interventions = select_waiting(transaction.queries, owner, still=True)
            values = {"owner": owner, "now": transaction.now}
            untold = {row.id for row in transaction.fetch(ANNOUNCE, values)}
            return select_unannounced(
                interventions, {intervention.id for intervention in interventions} - untold
            )

        return await self._transactions.write(write)


def raise_(transaction: Transaction, claim: Claim, challenge: HumanChallenge, until: Instant) -> None:
    """Store the challenge that a job found, in the transaction that makes it wait."""
    values = {
        "id": make_intervention_id(claim.job_id, claim.attempt),
        "job_id": claim.job_id,
        "now": transaction.now,
    }
    values |= {
        "engine": challenge.engine,
        "domain": challenge.domain,
        "url": challenge.url,
        "kind": challenge.kind,
        "until": until,
    }
    transaction.fetch(RAISE, values)


def select_waiting(
    queries: Queries, owner: str, task_id: TaskId | None = None, *, still: bool = False
) -> list[PendingIntervention]:
    """Return the pending interventions, oldest first; `still` locks them."""
    values = {"owner": owner, "task_id": task_id}
    return [_build_intervention(row) for row in queries.fetch(LOCK_WAITING if still else WAITING, values)]


def _complete(transaction: Transaction, owner: str, choose: Chosen) -> list[PendingIntervention]:
    interventions = find_solved_together(select_waiting(transaction.queries, owner, still=True), choose)
    for intervention in interventions:
        transaction.fetch(FREE, {"id": intervention.job_id})
        transaction.record_release(intervention.job_id, JobState.QUEUED, InterventionState.COMPLETED)
    return interventions


def _build_intervention(row: Row) -> PendingIntervention:
    """Build an intervention from the columns of `COLUMNS`."""
    return PendingIntervention(
        id=row.id,
        job_id=JobId(row.job_id),
        task_id=TaskId(row.task_id),
        domain=row.domain,
        url=row.url,
        engine=row.engine,
        kind=row.kind,
        state=InterventionState(row.state),
        since=row.created_at,
        expires_at=row.expires_at,
    )
