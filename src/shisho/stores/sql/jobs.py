"""The job queue for workers, in a database.

Every write after a claim carries the fence: state, attempt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from shisho.domain.codec import Payload, dumps
from shisho.domain.event import NO_FACTS, EventFacts, EventKind
from shisho.domain.intervention import HumanChallenge, InterventionState
from shisho.domain.job import (
    ALONE_DEATHS,
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
    count_failed_attempt,
    extend_history,
)
from shisho.domain.time import Instant
from shisho.errors import ShishoError
from shisho.messages import Message
from shisho.stores.nouns import Row
from shisho.stores.sql.interventions import raise_
from shisho.stores.sql.quotas import charge_task
from shisho.stores.sql.transitions import (
    FAILED,
    IN_TIME,
    JOB,
    Transaction,
    Transactions,
    errors,
    get_job,
    job,
    jobs,
)

# List expired waits.
EXPIRED = """SELECT id, state, error_json, output_json IS NOT NULL AS has_output FROM jobs
    WHERE state IN ('parked', 'awaiting_auth') AND not_before <= :timeline_now ORDER BY task_id, id"""
# The same for ending them: rows that another process is ending are skipped.
EXPIRED_NOW = f"{EXPIRED} /*pg FOR UPDATE SKIP LOCKED */"
# End such a wait; the assignments are filled in.
EXPIRE = "UPDATE jobs SET {sets}, not_before = NULL WHERE id = :id"
WAIT_EXPIRED = Message("wait.expired")


def end_wait(transaction: Transaction, row: Row) -> None:
    """Resume a parked parent, or end a job whose person did not come.

    `row` has the columns of `EXPIRED`. The job completes with its partial result, or fails if it has none.
    """
    job_id = JobId(row.id)
    state = JobState(row.state)
    values: dict[str, str | None] = {"id": job_id, "now": transaction.now, "errors": None}
    if state is JobState.PARKED:
        new = JobState.QUEUED
        sets = "state = 'queued'"
    elif row.has_output:
        new = JobState.COMPLETED
        sets = "state = 'completed', finished_at = :now"
    else:
        new = JobState.FAILED
        sets = FAILED
        nobody_came = JobError("AUTH_REQUIRED", WAIT_EXPIRED, at=transaction.now)
        values["errors"] = dumps([*errors(row.error_json), nobody_came])
    transaction.hold(job_id=job_id)
    transaction.fetch(EXPIRE.format(sets=sets), values)
    if state is JobState.PARKED:
        transaction.move(job_id, state, new)
    else:
        transaction.record_release(job_id, new, InterventionState.EXPIRED)


# Find the first due job of these kinds.
DUE = """SELECT id FROM jobs WHERE state = 'queued' AND (not_before IS NULL OR not_before <= :timeline_now)
        AND kind IN (SELECT value FROM json_each(:kinds)) ORDER BY priority, created_at, id LIMIT 1"""
# List the owners with queued jobs by a loose index scan, however many jobs they have.
WAITING_OWNERS = """WITH RECURSIVE owners(name) AS (
        SELECT min(owner) FROM jobs WHERE state = 'queued'
        UNION ALL
        SELECT (SELECT min(j.owner) FROM jobs j WHERE j.state = 'queued' AND j.owner > o.name)
            FROM owners o WHERE o.name IS NOT NULL
    )"""
# Select the first due job of the owner with the fewest running jobs; ties are broken by the order of jobs.
FAIREST = f"""{WAITING_OWNERS} SELECT head.id FROM owners o JOIN jobs head ON head.id = (
        SELECT j.id FROM jobs j WHERE j.state = 'queued' AND j.owner = o.name
            AND (j.not_before IS NULL OR j.not_before <= :timeline_now) AND j.kind IN (SELECT value FROM json_each(:kinds))
            ORDER BY j.priority, j.created_at, j.id LIMIT 1)
    ORDER BY (SELECT count(*) FROM jobs r WHERE r.state = 'running' AND r.owner = o.name),
        head.priority, head.created_at, head.id LIMIT 1"""
# Claim that job; one that must run alone waits until its worker runs nothing else.
CLAIM = f"""UPDATE jobs SET state = 'running', attempt = attempt + 1, worker_id = :worker_id, beat = 0, not_before = NULL,
        started_at = :now, finished_at = NULL
    WHERE id = ({FAIREST}) AND (deaths < {ALONE_DEATHS}
        OR NOT EXISTS (SELECT 1 FROM jobs other WHERE other.state = 'running' AND other.worker_id = :worker_id))
    RETURNING {JOB}"""
# Check whether this attempt has already completed the job.
FINISHED = "SELECT 1 FROM jobs WHERE id = :id AND state = 'completed' AND attempt = :attempt AND worker_id = :worker_id"
# The fence: the condition for a valid claim.
CLAIM_IS_VALID = "id = :id AND state = 'running' AND attempt = :attempt AND worker_id = :worker_id"
# Increase the heartbeat of a claim.
RENEW = f"UPDATE jobs SET beat = beat + 1 WHERE {CLAIM_IS_VALID} RETURNING cancel_requested"
# Read the task of a claimed job, and whether it was asked to stop.
HOLDS = f"SELECT task_id, cancel_requested FROM jobs WHERE {CLAIM_IS_VALID}"
# The same with a row lock, before a change that depends on it.
HOLDS_STILL = f"{HOLDS} /*pg FOR UPDATE */"
# Check whether a claim had no heartbeat since.
SILENT = f"SELECT 1 FROM jobs WHERE {CLAIM_IS_VALID} AND beat = :beat"
# Change a claimed job; the assignments are filled in.
WRITE = f"UPDATE jobs SET {{sets}} WHERE {CLAIM_IS_VALID} RETURNING task_id, state"
# The new state of a job that leaves its worker to wait: cancelled if it was asked to stop.
LEAVE_STATE = """state = CASE WHEN cancel_requested THEN 'cancelled' ELSE '{state}' END,
    finished_at = CASE WHEN cancel_requested THEN :now END"""
# Complete a job with an output.
COMPLETED = "state = 'completed', output_json = :output, finished_at = :now"
# Wait for a person; the output is the result if nobody comes.
AWAITING = "not_before = :until, output_json = CASE WHEN cancel_requested THEN NULL ELSE :output END"
# Queue a job again without counting a failure.
SET_ERRORS = "error_json = :errors, not_before = :until"
# Count a failure or a death.
COUNTED = """state = :state, failures = :failures, deaths = :deaths, error_json = :errors, not_before = :not_before,
    finished_at = :ended_at"""
# Read the number of failures and deaths of a claimed job, whether it was asked to stop, and whether this
# attempt completed a step.
FAILURES = f"""SELECT failures, deaths, cancel_requested, error_json,
    EXISTS (SELECT 1 FROM job_steps s WHERE s.job_id = jobs.id AND s.attempt = jobs.attempt) AS stepped
    FROM jobs WHERE {CLAIM_IS_VALID} /*pg FOR UPDATE */"""
# Check whether a child can finish in time.
HAS_CHILD = f"SELECT 1 FROM jobs child WHERE child.cause_id = :id AND {IN_TIME.format(':until')} LIMIT 1"
# Store a step, unless it exists.
KEEP_STEP = """INSERT INTO job_steps(job_id, step_key, attempt, output_json) VALUES (:id, :key, :attempt, :output)
    ON CONFLICT DO NOTHING"""
# Read the outcome of a step.
STEP = "SELECT output_json FROM job_steps WHERE job_id = :id AND step_key = :key"
# Read the outcomes of all steps of a job.
STEPS = "SELECT step_key, output_json FROM job_steps WHERE job_id = :id"
# List the claims of a worker.
HELD_BY = (
    "SELECT id, attempt FROM jobs WHERE state = 'running' AND worker_id = :worker_id ORDER BY task_id, id"
)
# List all current claims.
RUNNING = "SELECT id, attempt, worker_id, beat, deaths FROM jobs WHERE state = 'running'"
# List permanently failed jobs of these kinds, after a given one.
FAILED_OF = f"""SELECT {JOB} FROM jobs WHERE state = 'failed' AND kind IN (SELECT value FROM json_each(:kinds))
    AND id > :after ORDER BY id LIMIT :limit"""
# List the children of a job, oldest first.
CHILDREN = f"SELECT {JOB} FROM jobs WHERE cause_id = :id ORDER BY created_at, id"


class StoredJobs:
    """`ports.JobStore` over a database."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._idle = True
        self._claims = ClaimsUnderWay(self.put_back)

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        values = {"kinds": list(kinds), "timeline_now": self._transactions.timeline_now()}
        # While there was nothing to do, check before taking the lock that others may need.
        if self._idle and not await self._transactions.read_rows(DUE, values):
            return None

        def run(transaction: Transaction) -> Job | None:
            return self._take(transaction, worker_id, kinds)

        # A claim that a server crash undoes is harmless: the fence includes the worker.
        claimed = await self._claims.follow(self._transactions.write(run, lasting=False))
        self._idle = claimed is None
        return claimed

    def _take(self, transaction: Transaction, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        """Claim the first due job."""
        times = {"now": transaction.now, "timeline_now": transaction.timeline_now}
        values = times | {"worker_id": worker_id, "kinds": list(kinds)}
        row = transaction.fetch_first(CLAIM, values)
        if row is None:
            return None
        taken = job(row)
        facts = EventFacts(attempt=taken.attempt, worker_id=taken.worker_id)
        transaction.move(taken.id, JobState.QUEUED, JobState.RUNNING, facts)
        return taken

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        return await self._transactions.write(partial(_check_each, query=RENEW, claims=claims), lasting=False)

    async def check_claims(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        return await self._transactions.read(partial(_check_each, query=HOLDS, claims=claims))

    async def finish(self, claim: Claim, output: Payload) -> None:
        await self._transactions.write(lambda transaction: self._finish(transaction, claim, output))

    async def finish_and_claim(self, claim: Claim, output: Payload, kinds: Sequence[str]) -> Job | None:
        def write(transaction: Transaction) -> Job | None:
            self._finish(transaction, claim, output)
            return self._take(transaction, claim.worker_id, kinds)

        return await self._claims.follow(self._transactions.write(write))

    def _finish(self, transaction: Transaction, claim: Claim, output: Payload) -> None:
        try:
            self._complete(transaction, claim, output)
        except ClaimLost:
            if not transaction.fetch(FINISHED, fence(claim)):
                raise

    def _complete(self, transaction: Transaction, claim: Claim, output: Payload) -> None:
        self._write(transaction, claim, COMPLETED, output=output.text)
        transaction.move(claim.job_id, JobState.RUNNING, JobState.COMPLETED)

    async def fail(self, claim: Claim, error: JobError) -> None:
        def write(transaction: Transaction) -> None:
            said_errors = _extend_history(_read_failures(transaction, claim), claim, error, transaction.now)
            self._write(transaction, claim, FAILED, errors=dumps(said_errors))
            transaction.move(claim.job_id, JobState.RUNNING, JobState.FAILED, EventFacts(code=error.code))

        await self._transactions.write(write)

    async def put_back(
        self,
        claim: Claim,
        not_before: Instant | None = None,
        error: JobError | None = None,
        *,
        is_failure: bool = True,
    ) -> None:
        def write(transaction: Transaction) -> None:
            if error is None:
                self._wait(transaction, claim, JobState.QUEUED, "not_before = :until", until=not_before)
            elif is_failure:
                self._count(transaction, claim, error, not_before)
            else:
                self._note(transaction, claim, error, not_before)

        await self._transactions.write(write)

    async def take_back(
        self, running_claim: RunningClaim, error: JobError, not_before: Instant | None = None
    ) -> None:
        def write(transaction: Transaction) -> None:
            if not transaction.fetch(SILENT, fence(running_claim.claim) | {"beat": running_claim.beat}):
                raise ClaimLost
            self._count(transaction, running_claim.claim, error, not_before, is_death=True)

        await self._transactions.write(write)

    async def park(self, claim: Claim, until: Instant) -> bool:
        def write(transaction: Transaction) -> bool:
            self._hold(transaction, claim)
            if not transaction.fetch(HAS_CHILD, {"id": claim.job_id, "until": until}):
                return False
            self._wait(transaction, claim, JobState.PARKED, "not_before = :until", until=until)
            return True

        return await self._transactions.write(write)

    async def await_person(
        self, claim: Claim, output: Payload | None, until: Instant, challenge: HumanChallenge
    ) -> None:
        output_json = None if output is None else output.text

        def write(transaction: Transaction) -> None:
            state = self._wait(
                transaction,
                claim,
                JobState.AWAITING_AUTH,
                AWAITING,
                EventFacts.from_challenge(challenge),
                until=until,
                output=output_json,
            )
            if state is JobState.AWAITING_AUTH:
                raise_(transaction, claim, challenge, until)

        await self._transactions.write(write)

    async def spawn(self, claim: Claim, jobs: Sequence[NewJob]) -> Sequence[JobId]:
        def write(transaction: Transaction) -> list[JobId]:
            task_id, stop_asked = self._hold(transaction, claim)
            state = JobState.CANCELLED if stop_asked else JobState.QUEUED
            children = [replace(job, priority=Priority.HIGH) for job in jobs]
            return [transaction.insert(task_id, child, state, claim.job_id) for child in children]

        return await self._transactions.write(write)

    async def keep_step(self, claim: Claim, key: str, outcome: Payload) -> Payload:
        values = fence(claim) | {"key": key, "output": outcome.text}

        def write(transaction: Transaction) -> Payload:
            self._hold(transaction, claim)
            transaction.fetch(KEEP_STEP, values)
            (step,) = transaction.fetch(STEP, values)
            return Payload(step.output_json)

        return await self._transactions.write(write)

    async def list_steps(self, job_id: JobId) -> Mapping[str, Payload]:
        steps = await self._transactions.read_rows(STEPS, {"id": job_id})
        return {step.step_key: Payload(step.output_json) for step in steps}

    async def report(self, claim: Claim, progress: Payload) -> None:
        def write(transaction: Transaction) -> None:
            task_id, _ = self._write(transaction, claim, "progress_json = :progress", progress=progress.text)
            transaction.record_event(task_id, claim.job_id, EventKind.PROGRESS, EventFacts(progress=progress))

        await self._transactions.write(write)

    async def charge(self, claim: Claim, amounts: Mapping[str, float]) -> bool:
        def write(transaction: Transaction) -> bool:
            task_id, _ = self._hold(transaction, claim)
            return charge_task(transaction.queries, task_id, amounts, transaction.timeline_now)

        return await self._transactions.write(write)

    async def release_all(self, worker_id: WorkerId) -> int:
        def write(transaction: Transaction) -> int:
            claims = transaction.fetch(HELD_BY, {"worker_id": worker_id})
            released = 0
            for claim in claims:
                with suppress(ClaimLost):  # its completion was running on another connection
                    self._wait(transaction, Claim(JobId(claim.id), claim.attempt, worker_id), JobState.QUEUED)
                    released += 1
            return released

        await self._claims.wait()
        return await self._transactions.write(write)

    async def list_running(self) -> Sequence[RunningClaim]:
        return [_build_running(row) for row in await self._transactions.read_rows(RUNNING, {})]

    async def expire(self) -> int:
        if not await self._transactions.read_rows(
            EXPIRED, {"timeline_now": self._transactions.timeline_now()}
        ):
            return 0

        def write(transaction: Transaction) -> int:
            due = transaction.fetch(EXPIRED_NOW, {"timeline_now": transaction.timeline_now})
            for row in due:
                end_wait(transaction, row)
            return len(due)

        return await self._transactions.write(write)

    async def list_failed(self, kinds: Sequence[str], after: str, limit: int) -> Sequence[Job]:
        values = {"kinds": list(kinds), "after": after, "limit": limit}
        return jobs(await self._transactions.read_rows(FAILED_OF, values))

    async def get_job(self, job_id: JobId) -> Job:
        return await self._transactions.read(lambda transaction: get_job(transaction, job_id))

    async def list_children(self, job_id: JobId) -> Sequence[Job]:
        return jobs(await self._transactions.read_rows(CHILDREN, {"id": job_id}))

    def _hold(self, transaction: Transaction, claim: Claim) -> tuple[TaskId, bool]:
        """Lock a claimed job; return its task, and whether it was asked to stop."""
        transaction.hold(job_id=claim.job_id)
        row = transaction.fetch_first(HOLDS_STILL, fence(claim))
        if row is None:
            raise ClaimLost
        return TaskId(row.task_id), bool(row.cancel_requested)

    def _write(
        self, transaction: Transaction, claim: Claim, sets: str, **values: Any
    ) -> tuple[TaskId, JobState]:
        transaction.hold(job_id=claim.job_id)
        values |= fence(claim) | {"now": transaction.now}
        row = transaction.fetch_first(WRITE.format(sets=sets), values)
        if row is None:
            raise ClaimLost
        return TaskId(row.task_id), JobState(row.state)

    def _wait(
        self,
        transaction: Transaction,
        claim: Claim,
        state: JobState,
        sets: str = "",
        facts: EventFacts = NO_FACTS,
        **values: Any,
    ) -> JobState:
        """Leave the worker for `state`, or for cancelled if asked to stop; return the new state."""
        assignments = [LEAVE_STATE.format(state=state), *([sets] if sets else [])]
        _, left_for = self._write(transaction, claim, ", ".join(assignments), **values)
        transaction.move(claim.job_id, JobState.RUNNING, left_for, facts if left_for is state else NO_FACTS)
        return left_for

    def _note(
        self, transaction: Transaction, claim: Claim, error: JobError, not_before: Instant | None
    ) -> None:
        history = _extend_history(_read_failures(transaction, claim), claim, error, transaction.now)
        facts = EventFacts(code=error.code)
        values = {"errors": dumps(history), "until": not_before}
        self._wait(transaction, claim, JobState.QUEUED, SET_ERRORS, facts, **values)

    def _count(
        self,
        transaction: Transaction,
        claim: Claim,
        error: JobError,
        not_before: Instant | None,
        *,
        is_death: bool = False,
    ) -> None:
        row = _read_failures(transaction, claim)
        setback = count_failed_attempt(
            row.failures,
            row.deaths,
            is_death=is_death,
            stepped=bool(row.stepped),
            stop_asked=bool(row.cancel_requested),
        )
        said_errors = _extend_history(row, claim, error, transaction.now)
        if setback.state is JobState.FAILED:
            said_errors.append(setback.explain(said_errors[-1]))
        self._write(
            transaction,
            claim,
            COUNTED,
            state=setback.state,
            failures=setback.failures,
            deaths=setback.deaths,
            errors=dumps(said_errors),
            not_before=not_before,
            ended_at=None if setback.state is JobState.QUEUED else transaction.now,
        )
        facts = EventFacts(code=error.code, failures=setback.failures)
        transaction.move(claim.job_id, JobState.RUNNING, setback.state, facts)


def fence(claim: Claim) -> dict[str, Any]:
    """Return the values of the condition `CLAIM_IS_VALID`."""
    return {"id": claim.job_id, "attempt": claim.attempt, "worker_id": claim.worker_id}


def _check_each(transaction: Transaction, query: str, claims: Sequence[Claim]) -> dict[Claim, bool]:
    claim_rows = ((claim, transaction.fetch_first(query, fence(claim))) for claim in claims)
    return {claim: bool(row.cancel_requested) for claim, row in claim_rows if row is not None}


def _build_running(row: Row) -> RunningClaim:
    return RunningClaim(Claim(JobId(row.id), row.attempt, WorkerId(row.worker_id)), row.beat, row.deaths)


def _extend_history(row: Row, claim: Claim, error: JobError, now: Instant) -> list[JobError]:
    return extend_history(errors(row.error_json), replace(error, attempt=claim.attempt, at=now))


def _read_failures(transaction: Transaction, claim: Claim) -> Row:
    """Read the columns of `FAILURES`."""
    transaction.hold(job_id=claim.job_id)
    row = transaction.fetch_first(FAILURES, fence(claim))
    if row is None:
        raise ClaimLost
    return row


class ClaimsUnderWay:
    """The claims of one store. `put_back` queues a claimed job again."""

    def __init__(self, put_back: Callable[[Claim], Awaitable[None]]) -> None:
        self._put_back = put_back
        self._under_way: set[asyncio.Task[Job | None]] = set()
        self._given_up: set[asyncio.Task[None]] = set()

    async def follow(self, claiming: Coroutine[Any, Any, Job | None]) -> Job | None:
        """Return the claimed job; if the caller is cancelled, complete the claim and put it back."""
        under_way = asyncio.create_task(claiming)
        self._under_way.add(under_way)
        under_way.add_done_callback(self._under_way.discard)
        try:
            return await asyncio.shield(under_way)
        except asyncio.CancelledError:
            giving_up = asyncio.create_task(self._give_up(under_way))
            self._given_up.add(giving_up)
            giving_up.add_done_callback(self._given_up.discard)
            raise

    async def wait(self) -> None:
        """Wait for the claims in progress."""
        if self._under_way:
            await asyncio.wait(tuple(self._under_way))

    async def _give_up(self, under_way: asyncio.Task[Job | None]) -> None:
        # If this fails, other processes detect that the claim has no heartbeats.
        with suppress(ClaimLost, ShishoError):
            claimed = await under_way
            if claimed is not None:
                await self._put_back(claimed.claim)
