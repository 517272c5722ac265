"""The queue's working side in SQLite. Every write after the claim carries the fence: state and attempt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shisho.domain.codec import dumps
from shisho.domain.intervention import HumanChallenge, InterventionState
from shisho.domain.job import (
    Claim,
    ClaimLost,
    Job,
    JobError,
    JobId,
    JobState,
    NewJob,
    Priority,
    RunningClaim,
    TaskId,
    WorkerId,
    after_failure,
    gave_up,
)
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.messages.message import Message
from shisho.ports import Bell, Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.interventions import raise_
from shisho.stores.embedded.transitions import IN_TIME, JOB, Transaction, Transactions, errors, job, jobs

DUE = """SELECT id FROM jobs WHERE state = 'queued' AND (not_before IS NULL OR not_before <= :steady)
        AND kind IN (SELECT value FROM json_each(:kinds)) ORDER BY priority, created_at, id LIMIT 1"""
CLAIM = f"""UPDATE jobs SET state = 'running', attempt = attempt + 1, worker_id = :worker_id, beat = 0, not_before = NULL,
        started_at = :now, finished_at = NULL
    WHERE id = ({DUE})
    RETURNING {JOB}"""
FINISHED = "SELECT 1 FROM jobs WHERE id = :id AND state = 'completed' AND attempt = :attempt AND worker_id = :worker_id"
NOBODY_CAME = Message(
    "The page asked for a person and nobody came in time. Resume the task, and `shisho auth open` when it waits."
)


class EmbeddedJobs:
    """`ports.JobStore` over one SQLite file."""

    HELD = "id = :id AND state = 'running' AND attempt = :attempt"

    def __init__(self, database: Database, clock: Clock, bell: Bell) -> None:
        self._transactions = Transactions(database, clock, bell)
        self._idle = True

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        wanted = dumps(list(kinds))
        # While there was nothing to do, look before taking the lock that others may need.
        if self._idle and not await self._transactions.rows(DUE, {"kinds": wanted, "steady": self._transactions.steady()}):
            return None

        def work(transaction: Transaction) -> Job | None:
            values = {"worker_id": worker_id, "kinds": wanted, "now": transaction.now, "steady": transaction.steady}
            found = transaction.rows(CLAIM, values)
            if not found:
                return None
            taken = job(found[0])
            data = {"attempt": taken.attempt, "worker_id": worker_id}
            transaction.moved(taken.id, JobState.QUEUED, JobState.RUNNING, data)
            return taken

        claimed = await self._transactions.write(work)
        self._idle = claimed is None
        return claimed

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        query = f"UPDATE jobs SET beat = beat + 1 WHERE {self.HELD} RETURNING cancel_requested"
        return await self._transactions.write(lambda transaction: _each(transaction, query, claims))

    async def held(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        query = f"SELECT cancel_requested FROM jobs WHERE {self.HELD}"
        return await self._transactions.read(lambda transaction: _each(transaction, query, claims))

    async def finish(self, claim: Claim, output: Any) -> None:
        result = dumps(output)

        def work(transaction: Transaction) -> None:
            try:
                sets = "state = 'completed', output_json = :output, finished_at = :now"
                self._write(transaction, claim, sets, output=result)
            except ClaimLost:
                if not transaction.rows(FINISHED, _fence(claim) | {"worker_id": claim.worker_id}):
                    raise
            else:
                transaction.moved(claim.job_id, JobState.RUNNING, JobState.COMPLETED)

        await self._transactions.write(work)

    async def fail(self, claim: Claim, error: JobError) -> None:
        def work(transaction: Transaction) -> None:
            said = replace(error, attempt=claim.attempt, at=transaction.now)
            sets = "state = 'failed', error_json = json_insert(error_json, '$[#]', json(:error)), finished_at = :now"
            self._write(transaction, claim, sets, error=dumps(said))
            transaction.moved(claim.job_id, JobState.RUNNING, JobState.FAILED, {"code": error.code})

        await self._transactions.write(work)

    async def put_back(self, claim: Claim, not_before: Instant | None = None, error: JobError | None = None) -> None:
        def work(transaction: Transaction) -> None:
            if error is not None:
                self._count_failure(transaction, claim, error, not_before)
            else:
                self._wait(transaction, claim, JobState.QUEUED, "not_before = :until", until=not_before)

        await self._transactions.write(work)

    async def take_back(self, seen: RunningClaim, error: JobError) -> None:
        def work(transaction: Transaction) -> None:
            query = f"SELECT 1 FROM jobs WHERE {self.HELD} AND beat = :beat"
            if not transaction.rows(query, _fence(seen.claim) | {"beat": seen.beat}):
                raise ClaimLost
            self._count_failure(transaction, seen.claim, error, None)

        await self._transactions.write(work)

    async def park(self, claim: Claim, until: Instant) -> bool:
        def work(transaction: Transaction) -> bool:
            self._held(transaction, claim)
            query = f"SELECT 1 FROM jobs child WHERE cause_id = :id AND {IN_TIME.format(':until')} LIMIT 1"
            if not transaction.rows(query, {"id": claim.job_id, "until": until}):
                return False
            self._wait(transaction, claim, JobState.PARKED, "not_before = :until", until=until)
            return True

        return await self._transactions.write(work)

    async def await_person(self, claim: Claim, output: Any, until: Instant, met: HumanChallenge) -> None:
        kept = None if output is None else dumps(output)
        sets = "not_before = :until, output_json = CASE WHEN cancel_requested THEN NULL ELSE :output END"

        def work(transaction: Transaction) -> None:
            reached = self._wait(transaction, claim, JobState.AWAITING_AUTH, sets, met.facts, until=until, output=kept)
            if reached is JobState.AWAITING_AUTH:
                raise_(transaction, claim, met, until)

        await self._transactions.write(work)

    async def spawn(self, claim: Claim, jobs: Sequence[NewJob]) -> Sequence[JobId]:
        def work(transaction: Transaction) -> list[JobId]:
            task_id, stop_asked = self._held(transaction, claim)
            state = JobState.CANCELLED if stop_asked else JobState.QUEUED
            children = [replace(each, priority=Priority.HIGH) for each in jobs]
            return [transaction.insert(task_id, each, state, claim.job_id) for each in children]

        return await self._transactions.write(work)

    async def keep_step(self, claim: Claim, key: str, output: Any) -> Any:
        values = _fence(claim) | {"key": key, "output": dumps(output)}

        def work(transaction: Transaction) -> Any:
            self._held(transaction, claim)
            query = "INSERT INTO job_steps VALUES (:id, :key, :attempt, :output) ON CONFLICT DO NOTHING"
            transaction.rows(query, values)
            query = "SELECT output_json FROM job_steps WHERE job_id = :id AND step_key = :key"
            return json.loads(transaction.rows(query, values)[0][0])

        return await self._transactions.write(work)

    async def steps(self, job_id: JobId) -> Mapping[str, Any]:
        query = "SELECT step_key, output_json FROM job_steps WHERE job_id = :id"
        return {key: json.loads(output) for key, output in await self._transactions.rows(query, {"id": job_id})}

    async def report(self, claim: Claim, progress: Mapping[str, Any]) -> None:
        said = dumps(progress)

        def work(transaction: Transaction) -> None:
            task_id, _ = self._write(transaction, claim, "progress_json = :progress", progress=said)
            transaction.happened(task_id, claim.job_id, "progress", progress)

        await self._transactions.write(work)

    async def charge(self, claim: Claim, amounts: Mapping[str, float]) -> bool:
        def work(transaction: Transaction) -> bool:
            task_id, _ = self._held(transaction, claim)
            query = "SELECT budget_json, spent_json FROM tasks WHERE id = :id"
            ((budget, spent),) = transaction.rows(query, {"id": task_id})
            ceilings, total = json.loads(budget), json.loads(spent)
            total |= {name: total.get(name, 0) + amount for name, amount in amounts.items()}
            if any(total[name] > ceilings.get(f"max_{name}", total[name]) for name in amounts):
                return False
            query = "UPDATE tasks SET spent_json = :spent WHERE id = :id"
            transaction.rows(query, {"id": task_id, "spent": dumps(total)})
            return True

        return await self._transactions.write(work)

    async def release_all(self, worker_id: WorkerId) -> int:
        def work(transaction: Transaction) -> int:
            query = "SELECT id, attempt FROM jobs WHERE state = 'running' AND worker_id = :worker_id"
            found = transaction.rows(query, {"worker_id": worker_id})
            for job_id, attempt in found:
                self._wait(transaction, Claim(JobId(job_id), attempt, worker_id), JobState.QUEUED)
            return len(found)

        return await self._transactions.write(work)

    async def running(self) -> Sequence[RunningClaim]:
        query = "SELECT id, attempt, worker_id, beat FROM jobs WHERE state = 'running'"
        found = await self._transactions.rows(query, {})
        return [RunningClaim(Claim(JobId(id_), attempt, WorkerId(worker)), beat) for id_, attempt, worker, beat in found]

    async def expire(self) -> int:
        query = """SELECT id, state, output_json IS NOT NULL FROM jobs
            WHERE state IN ('parked', 'awaiting_auth') AND not_before <= :steady"""
        if not await self._transactions.rows(query, {"steady": self._transactions.steady()}):
            return 0

        def work(transaction: Transaction) -> int:
            due = transaction.rows(query, {"steady": transaction.steady})
            for job_id, state, has_output in due:
                _expire(transaction, JobId(job_id), JobState(state), bool(has_output))
            return len(due)

        return await self._transactions.write(work)

    async def job(self, job_id: JobId) -> Job:
        found = await self._transactions.rows(f"SELECT {JOB} FROM jobs WHERE id = :id", {"id": job_id})
        if not found:
            raise NotFound("There is no job {job_id}.", job_id=job_id)
        return job(found[0])

    async def children(self, job_id: JobId) -> Sequence[Job]:
        query = f"SELECT {JOB} FROM jobs WHERE cause_id = :id ORDER BY created_at, id"
        return jobs(await self._transactions.rows(query, {"id": job_id}))

    def _held(self, transaction: Transaction, claim: Claim) -> tuple[TaskId, bool]:
        """The task of a held job, and whether it was asked to stop."""
        found = transaction.rows(f"SELECT task_id, cancel_requested FROM jobs WHERE {self.HELD}", _fence(claim))
        if not found:
            raise ClaimLost
        return TaskId(found[0][0]), bool(found[0][1])

    def _write(self, transaction: Transaction, claim: Claim, sets: str, **values: Any) -> tuple[TaskId, JobState]:
        query = f"UPDATE jobs SET {sets} WHERE {self.HELD} RETURNING task_id, state"
        found = transaction.rows(query, _fence(claim) | {"now": transaction.now} | values)
        if not found:
            raise ClaimLost
        return TaskId(found[0][0]), JobState(found[0][1])

    def _wait(
        self,
        transaction: Transaction,
        claim: Claim,
        state: JobState,
        sets: str = "",
        data: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> JobState:
        """Leave the worker for `state`; a job that was asked to stop is cancelled instead. Returns where it went."""
        wanted = f"""state = CASE WHEN cancel_requested THEN 'cancelled' ELSE '{state}' END,
            finished_at = CASE WHEN cancel_requested THEN :now END{", " * bool(sets)}{sets}"""
        _, reached = self._write(transaction, claim, wanted, **values)
        transaction.moved(claim.job_id, JobState.RUNNING, reached, data if reached is state else None)
        return reached

    def _count_failure(self, transaction: Transaction, claim: Claim, error: JobError, not_before: Instant | None) -> None:
        query = f"""SELECT failures, cancel_requested, error_json,
            EXISTS (SELECT 1 FROM job_steps s WHERE s.job_id = jobs.id AND s.attempt = jobs.attempt)
            FROM jobs WHERE {self.HELD}"""
        found = transaction.rows(query, _fence(claim))
        if not found:
            raise ClaimLost
        failures, stop_asked, history, stepped = found[0]
        state, counted = after_failure(failures, stepped=bool(stepped), stop_asked=bool(stop_asked))
        said = [*errors(history), replace(error, attempt=claim.attempt, at=transaction.now)]
        if state is JobState.FAILED:
            said.append(gave_up(said[-1]))
        sets = """state = :state, failures = :failures, error_json = :errors, not_before = :not_before,
            finished_at = CASE WHEN :state = 'queued' THEN NULL ELSE :now END"""
        self._write(transaction, claim, sets, state=state, failures=counted, errors=dumps(said), not_before=not_before)
        transaction.moved(claim.job_id, JobState.RUNNING, state, {"code": error.code, "failures": counted})


def _fence(claim: Claim) -> dict[str, Any]:
    return {"id": claim.job_id, "attempt": claim.attempt}


def _each(transaction: Transaction, query: str, claims: Sequence[Claim]) -> dict[Claim, bool]:
    found = ((claim, transaction.rows(query, _fence(claim))) for claim in claims)
    return {claim: bool(rows[0][0]) for claim, rows in found if rows}


def _expire(transaction: Transaction, job_id: JobId, state: JobState, has_output: bool) -> None:
    values: dict[str, str | None] = {"id": job_id, "now": transaction.now, "error": None}
    if state is JobState.PARKED:
        new, sets = JobState.QUEUED, ""
    elif has_output:
        new, sets = JobState.COMPLETED, ", finished_at = :now"
    else:
        new, sets = JobState.FAILED, ", finished_at = :now, error_json = json_insert(error_json, '$[#]', json(:error))"
        values["error"] = dumps(JobError("AUTH_REQUIRED", NOBODY_CAME, at=transaction.now))
    transaction.rows(f"UPDATE jobs SET state = '{new}', not_before = NULL{sets} WHERE id = :id", values)
    if state is JobState.PARKED:
        transaction.moved(job_id, state, new)
    else:
        transaction.released(job_id, new, InterventionState.EXPIRED)
