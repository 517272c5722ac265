"""The queue's working side, in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shisho.domain.codec import Payload
from shisho.domain.event import NO_FACTS, EventFacts, EventKind
from shisho.domain.intervention import (
    HumanChallenge,
    InterventionState,
    PendingIntervention,
    intervention_id,
)
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
    WorkerId,
    add_giving_up,
    judge_failure,
)
from shisho.domain.quota import QuotaResource
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.stores.memory.transitions import SharedQueue, age


class MemoryJobs:
    """`ports.JobStore` in dictionaries."""

    def __init__(self, shared: SharedQueue) -> None:
        self._shared = shared

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        now = self._shared.clock.now()
        queued = (
            job for job in self._shared.jobs.values() if job.state is JobState.QUEUED and job.kind in kinds
        )
        due = [
            job for job in queued if job.not_before is None or job.not_before <= self._shared.clock.steady()
        ]
        if not due:
            return None
        job = min(due, key=lambda other_job: (other_job.priority, *age(other_job)))
        facts = EventFacts(attempt=job.attempt + 1, worker_id=worker_id)
        changes = {
            "attempt": job.attempt + 1,
            "worker_id": worker_id,
            "not_before": None,
            "started_at": now,
        }
        self._shared.move(job, JobState.RUNNING, facts, **changes)
        self._shared.beats[job.id] = 0
        return self._shared.jobs[job.id]

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        stop_wishes = await self.check_claims(claims)
        for claim in stop_wishes:
            self._shared.beats[claim.job_id] += 1
        return stop_wishes

    async def check_claims(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        jobs = ((claim, self._shared.jobs.get(claim.job_id)) for claim in claims)
        return {claim: job.stop_asked for claim, job in jobs if job is not None and is_held(job, claim)}

    async def finish(self, claim: Claim, output: Payload) -> None:
        job = self._shared.jobs.get(claim.job_id)
        if job is not None and job.state is JobState.COMPLETED and job.claim == claim:
            return
        self._shared.move(self._held(claim), JobState.COMPLETED, output=output)

    async def finish_and_claim(self, claim: Claim, output: Payload, kinds: Sequence[str]) -> Job | None:
        await self.finish(claim, output)
        return await self.claim(claim.worker_id, kinds)

    async def fail(self, claim: Claim, error: JobError) -> None:
        job = self._held(claim)
        errors = self._extend_history(job, error)
        self._shared.move(job, JobState.FAILED, EventFacts(code=error.code), errors=tuple(errors))

    async def put_back(
        self,
        claim: Claim,
        not_before: Instant | None = None,
        error: JobError | None = None,
        *,
        is_failure: bool = True,
    ) -> None:
        job = self._held(claim)
        if error is None:
            self._wait(job, JobState.QUEUED, not_before=not_before)
        elif is_failure:
            self._count_failure(job, error, not_before)
        else:
            facts = EventFacts(code=error.code)
            history = self._extend_history(job, error)
            self._wait(job, JobState.QUEUED, facts, not_before=not_before, errors=tuple(history))

    async def take_back(self, running_claim: RunningClaim, error: JobError) -> None:
        job = self._held(running_claim.claim)
        if self._shared.beats[job.id] != running_claim.beat:
            raise ClaimLost
        self._count_failure(job, error, None)

    async def park(self, claim: Claim, until: Instant) -> bool:
        job = self._held(claim)
        if not self._shared.is_awaited(job.id, until):
            return False
        self._wait(job, JobState.PARKED, not_before=until)
        return True

    async def await_person(
        self, claim: Claim, output: Payload | None, until: Instant, challenge: HumanChallenge
    ) -> None:
        job = self._held(claim)
        now = self._shared.clock.now()
        if not job.stop_asked:
            self._shared.waiting[job.id] = PendingIntervention(
                id=intervention_id(job.id, job.attempt),
                job_id=job.id,
                task_id=job.task_id,
                domain=challenge.domain,
                url=challenge.url,
                engine=challenge.engine,
                kind=challenge.kind,
                state=InterventionState.PENDING,
                since=now,
                expires_at=until,
            )
        facts = EventFacts.from_challenge(challenge)
        stands = None if job.stop_asked else output
        self._wait(job, JobState.AWAITING_AUTH, facts, not_before=until, output=stands)

    async def spawn(self, claim: Claim, jobs: Sequence[NewJob]) -> Sequence[JobId]:
        parent = self._held(claim)
        state = JobState.CANCELLED if parent.stop_asked else JobState.QUEUED
        children = (replace(job, priority=Priority.HIGH) for job in jobs)
        return [self._shared.insert(parent.task_id, child, state, parent.id) for child in children]

    async def keep_step(self, claim: Claim, key: str, outcome: Payload) -> Payload:
        steps = self._shared.steps[self._held(claim).id]
        return steps.setdefault(key, (claim.attempt, outcome))[1]

    async def list_steps(self, job_id: JobId) -> Mapping[str, Payload]:
        return {key: outcome for key, (_, outcome) in self._shared.steps[job_id].items()}

    async def report(self, claim: Claim, progress: Payload) -> None:
        job = self._held(claim)
        self._shared.jobs[job.id] = replace(job, progress=progress)
        self._shared.record_event(job, EventKind.PROGRESS, EventFacts(progress=progress))

    async def charge(self, claim: Claim, amounts: Mapping[str, float]) -> bool:
        task = self._shared.tasks[self._held(claim).task_id]
        total = {
            **task.spent,
            **{name: task.spent.get(name, 0) + amount for name, amount in amounts.items()},
        }
        if any(total[name] > task.budget.get(f"max_{name}", total[name]) for name in amounts):
            return False
        self._shared.charge_quotas(task.owner, QuotaResource.PAGES, int(amounts.get("pages", 0)))
        self._shared.tasks[task.id] = replace(task, spent=total)
        return True

    async def release_all(self, worker_id: WorkerId) -> int:
        jobs = [
            job
            for job in self._shared.jobs.values()
            if job.state is JobState.RUNNING and job.worker_id == worker_id
        ]
        for job in jobs:
            self._wait(job, JobState.QUEUED)
        return len(jobs)

    async def list_running(self) -> Sequence[RunningClaim]:
        jobs = (job for job in self._shared.jobs.values() if job.state is JobState.RUNNING)
        return [RunningClaim(job.claim, self._shared.beats[job.id]) for job in jobs]

    async def expire(self) -> int:
        now = self._shared.clock.now()
        waiting = (JobState.PARKED, JobState.AWAITING_AUTH)
        steady = self._shared.clock.steady()
        due = [
            job
            for job in self._shared.jobs.values()
            if job.state in waiting and (job.not_before or steady) <= steady
        ]
        for job in due:
            if job.state is JobState.PARKED:
                self._shared.move(job, JobState.QUEUED, not_before=None)
            elif job.output is not None:
                self._shared.record_release(job, JobState.COMPLETED, InterventionState.EXPIRED)
            else:
                error = JobError("AUTH_REQUIRED", "Nobody came.", at=now)
                self._shared.record_release(
                    job, JobState.FAILED, InterventionState.EXPIRED, errors=(*job.errors, error)
                )
        return len(due)

    async def list_failed(self, kinds: Sequence[str], after: str, limit: int) -> Sequence[Job]:
        failed = [job for job in self._shared.jobs.values() if job.state is JobState.FAILED]
        later = [job for job in failed if job.kind in kinds and job.id > after]
        return sorted(later, key=lambda job: job.id)[:limit]

    async def get_job(self, job_id: JobId) -> Job:
        if job_id not in self._shared.jobs:
            raise NotFound("There is no job {job_id}.", job_id=job_id)
        return self._shared.jobs[job_id]

    async def list_children(self, job_id: JobId) -> Sequence[Job]:
        return self._shared.list_children(job_id)

    def _held(self, claim: Claim) -> Job:
        job = self._shared.jobs.get(claim.job_id)
        if job is None or not is_held(job, claim):
            raise ClaimLost
        return job

    def _extend_history(self, job: Job, error: JobError) -> list[JobError]:
        return [*job.errors, replace(error, attempt=job.attempt, at=self._shared.clock.now())]

    def _wait(self, job: Job, state: JobState, facts: EventFacts = NO_FACTS, **changes: Any) -> None:
        if job.stop_asked:
            state = JobState.CANCELLED
            facts = NO_FACTS
        self._shared.move(job, state, facts, **changes)

    def _count_failure(self, job: Job, error: JobError, not_before: Instant | None) -> None:
        stepped = any(attempt == job.attempt for attempt, _ in self._shared.steps[job.id].values())
        state, failures = judge_failure(job.failures, stepped=stepped, stop_asked=job.stop_asked)
        said_errors = self._extend_history(job, error)
        if state is JobState.FAILED:
            said_errors.append(add_giving_up(said_errors[-1]))
        facts = EventFacts(code=error.code, failures=failures)
        self._shared.move(
            job, state, facts, failures=failures, errors=tuple(said_errors), not_before=not_before
        )


def is_held(job: Job, claim: Claim) -> bool:
    is_theirs = (job.attempt, job.worker_id) == (claim.attempt, claim.worker_id)
    return job.state is JobState.RUNNING and is_theirs
