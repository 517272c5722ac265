"""A queue that keeps nothing: for tests, and for one process that lives as long as its work."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from shisho.domain.codec import plain
from shisho.domain.intervention import HumanChallenge, InterventionState, PendingIntervention, intervention_id
from shisho.domain.job import (
    ENDED,
    MOVES,
    STOP_ASKED,
    Claim,
    ClaimLost,
    EnqueueResult,
    Event,
    Halt,
    IdempotencyKey,
    Job,
    JobError,
    JobId,
    JobState,
    NewJob,
    NewTask,
    Priority,
    RemovedRows,
    RunningClaim,
    Snapshot,
    StopMode,
    Task,
    TaskId,
    TaskState,
    WorkerId,
    after_failure,
    gave_up,
    in_time,
    task_state,
)
from shisho.errors import Internal, KeyConflict, NotFound, TaskNotFound
from shisho.ports import Bell, Clock


@dataclass
class SharedQueue:
    """What all sides of the queue see."""

    clock: Clock
    bell: Bell
    tasks: dict[TaskId, Task] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[IdempotencyKey, EnqueueResult]] = field(default_factory=dict)
    jobs: dict[JobId, Job] = field(default_factory=dict)
    beats: dict[JobId, int] = field(default_factory=dict)
    steps: defaultdict[JobId, dict[str, tuple[int, Any]]] = field(default_factory=lambda: defaultdict(dict))
    events: defaultdict[TaskId, list[Event]] = field(default_factory=lambda: defaultdict(list))
    waiting: dict[JobId, PendingIntervention] = field(default_factory=dict)

    def move(self, job: Job, state: JobState, data: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Put a job into a state, with its event, its task's counts, and the parent that waited for it as its last child."""
        if state not in MOVES[job.state]:
            raise Internal("A {old} job cannot become {new}.", old=job.state, new=state)
        changes.setdefault("finished_at", self.clock.now() if state in ENDED else None)
        self.jobs[job.id] = replace(job, state=state, **changes)
        self.happened(job, state, data or {})
        parent = self.jobs.get(job.cause_id) if job.cause_id else None
        if parent and parent.state is JobState.PARKED and not self.awaited(parent.id, parent.not_before or ""):
            self.move(parent, JobState.QUEUED, not_before=None)

    def released(self, job: Job, state: JobState, end: InterventionState, **changes: Any) -> None:
        """As `move`, for a job that waits for a person no longer."""
        del self.waiting[job.id]
        self.move(job, state, {"person": end}, not_before=None, **changes)

    def happened(self, job: Job, kind: str, data: Mapping[str, Any]) -> None:
        task = self.tasks[job.task_id]
        jobs = Counter(each.state for each in self.jobs.values() if each.task_id == task.id)
        revision = task.revision + 1
        self.tasks[task.id] = replace(task, revision=revision, jobs=dict(jobs), state=task_state(jobs))
        self.events[task.id].append(Event(task.id, revision, job.id, self.clock.now(), kind, data))
        self.bell.ring((task.id, kind))

    def insert(self, task_id: TaskId, new: NewJob, state: JobState = JobState.QUEUED, cause: JobId | None = None) -> JobId:
        if new.id in self.jobs:
            return new.id
        same = (each for each in self.jobs.values() if each.task_id == task_id and each.dedupe_key == new.dedupe_key)
        twin = next(same, None) if new.dedupe_key is not None else None
        if twin is not None:
            return twin.id
        self.jobs[new.id] = Job(
            id=new.id,
            task_id=task_id,
            kind=new.kind,
            state=state,
            priority=int(new.priority),
            input=plain(new.input),
            created_at=self.clock.now(),
            not_before=new.not_before,
            dedupe_key=new.dedupe_key,
            cause_id=cause,
            finished_at=self.clock.now() if state in ENDED else None,
        )
        self.happened(self.jobs[new.id], state, {"kind": new.kind})
        return new.id

    def revive(self, job_id: JobId, priority: int) -> bool:
        job = self.jobs[job_id]
        if job.state not in (JobState.CANCELLED, JobState.FAILED):
            return False
        self.move(job, JobState.QUEUED, failures=0, not_before=None, stop_asked=False, priority=int(priority))
        return True

    def awaited(self, parent: JobId, until: str) -> bool:
        return any(in_time(each, until) for each in self.children(parent))

    def children(self, job_id: JobId) -> list[Job]:
        return sorted((each for each in self.jobs.values() if each.cause_id == job_id), key=_age)

    def task(self, task_id: TaskId) -> Task:
        if task_id not in self.tasks:
            raise TaskNotFound("There is no task {task_id}.", task_id=task_id)
        return self.tasks[task_id]


class MemoryJobs:
    """`ports.JobStore` in dictionaries."""

    def __init__(self, shared: SharedQueue) -> None:
        self._shared = shared

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        now = self._shared.clock.now()
        queued = (each for each in self._shared.jobs.values() if each.state is JobState.QUEUED and each.kind in kinds)
        due = [each for each in queued if each.not_before is None or each.not_before <= self._shared.clock.steady()]
        if not due:
            return None
        job = min(due, key=lambda each: (each.priority, *_age(each)))
        data = {"attempt": job.attempt + 1, "worker_id": worker_id}
        changes = {"attempt": job.attempt + 1, "worker_id": worker_id, "not_before": None, "started_at": now}
        self._shared.move(job, JobState.RUNNING, data, **changes)
        self._shared.beats[job.id] = 0
        return self._shared.jobs[job.id]

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        held = await self.held(claims)
        for claim in held:
            self._shared.beats[claim.job_id] += 1
        return held

    async def held(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        jobs = ((claim, self._shared.jobs.get(claim.job_id)) for claim in claims)
        return {claim: job.stop_asked for claim, job in jobs if job is not None and _is_held(job, claim)}

    async def finish(self, claim: Claim, output: Any) -> None:
        job = self._shared.jobs.get(claim.job_id)
        if job is not None and job.state is JobState.COMPLETED and job.claim == claim:
            return
        self._shared.move(self._held(claim), JobState.COMPLETED, output=plain(output))

    async def fail(self, claim: Claim, error: JobError) -> None:
        job = self._held(claim)
        said = (*job.errors, replace(error, attempt=claim.attempt, at=self._shared.clock.now()))
        self._shared.move(job, JobState.FAILED, {"code": error.code}, errors=said)

    async def put_back(self, claim: Claim, not_before: str | None = None, error: JobError | None = None) -> None:
        job = self._held(claim)
        if error is not None:
            self._count_failure(job, error, not_before)
        else:
            self._wait(job, JobState.QUEUED, not_before=not_before)

    async def take_back(self, seen: RunningClaim, error: JobError) -> None:
        job = self._held(seen.claim)
        if self._shared.beats[job.id] != seen.beat:
            raise ClaimLost
        self._count_failure(job, error, None)

    async def park(self, claim: Claim, until: str) -> bool:
        job = self._held(claim)
        if not self._shared.awaited(job.id, until):
            return False
        self._wait(job, JobState.PARKED, not_before=until)
        return True

    async def await_person(self, claim: Claim, output: Any, until: str, met: HumanChallenge) -> None:
        job, now = self._held(claim), self._shared.clock.now()
        if not job.stop_asked:
            self._shared.waiting[job.id] = PendingIntervention(
                id=intervention_id(job.id, job.attempt),
                job_id=job.id,
                task_id=job.task_id,
                domain=met.domain,
                url=met.url,
                engine=met.engine,
                kind=met.kind,
                state=InterventionState.PENDING,
                since=now,
                expires_at=until,
            )
        kept = None if job.stop_asked else plain(output)
        self._wait(job, JobState.AWAITING_AUTH, met.facts, not_before=until, output=kept)

    async def spawn(self, claim: Claim, jobs: Sequence[NewJob]) -> Sequence[JobId]:
        parent = self._held(claim)
        state = JobState.CANCELLED if parent.stop_asked else JobState.QUEUED
        children = (replace(each, priority=Priority.HIGH) for each in jobs)
        return [self._shared.insert(parent.task_id, each, state, parent.id) for each in children]

    async def keep_step(self, claim: Claim, key: str, output: Any) -> Any:
        steps = self._shared.steps[self._held(claim).id]
        return steps.setdefault(key, (claim.attempt, plain(output)))[1]

    async def steps(self, job_id: JobId) -> Mapping[str, Any]:
        return {key: output for key, (_, output) in self._shared.steps[job_id].items()}

    async def report(self, claim: Claim, progress: Mapping[str, Any]) -> None:
        job = self._held(claim)
        self._shared.jobs[job.id] = replace(job, progress=plain(progress))
        self._shared.happened(job, "progress", progress)

    async def charge(self, claim: Claim, amounts: Mapping[str, float]) -> bool:
        task = self._shared.tasks[self._held(claim).task_id]
        total = {**task.spent, **{name: task.spent.get(name, 0) + amount for name, amount in amounts.items()}}
        if any(total[name] > task.budget.get(f"max_{name}", total[name]) for name in amounts):
            return False
        self._shared.tasks[task.id] = replace(task, spent=total)
        return True

    async def leave(self, worker_id: WorkerId) -> int:
        held = [each for each in self._shared.jobs.values() if each.state is JobState.RUNNING and each.worker_id == worker_id]
        for job in held:
            self._wait(job, JobState.QUEUED)
        return len(held)

    async def running(self) -> Sequence[RunningClaim]:
        jobs = (each for each in self._shared.jobs.values() if each.state is JobState.RUNNING)
        return [RunningClaim(job.claim, self._shared.beats[job.id]) for job in jobs]

    async def expire(self) -> int:
        now = self._shared.clock.now()
        waiting = (JobState.PARKED, JobState.AWAITING_AUTH)
        steady = self._shared.clock.steady()
        due = [each for each in self._shared.jobs.values() if each.state in waiting and (each.not_before or steady) <= steady]
        for job in due:
            if job.state is JobState.PARKED:
                self._shared.move(job, JobState.QUEUED, not_before=None)
            elif job.output is not None:
                self._shared.released(job, JobState.COMPLETED, InterventionState.EXPIRED)
            else:
                error = JobError("AUTH_REQUIRED", "Nobody came.", at=now)
                self._shared.released(job, JobState.FAILED, InterventionState.EXPIRED, errors=(*job.errors, error))
        return len(due)

    async def job(self, job_id: JobId) -> Job:
        if job_id not in self._shared.jobs:
            raise NotFound("There is no job {job_id}.", job_id=job_id)
        return self._shared.jobs[job_id]

    async def children(self, job_id: JobId) -> Sequence[Job]:
        return self._shared.children(job_id)

    def _held(self, claim: Claim) -> Job:
        job = self._shared.jobs.get(claim.job_id)
        if job is None or not _is_held(job, claim):
            raise ClaimLost
        return job

    def _wait(self, job: Job, state: JobState, data: Mapping[str, Any] | None = None, **changes: Any) -> None:
        if job.stop_asked:
            state, data = JobState.CANCELLED, None
        self._shared.move(job, state, data, **changes)

    def _count_failure(self, job: Job, error: JobError, not_before: str | None) -> None:
        stepped = any(attempt == job.attempt for attempt, _ in self._shared.steps[job.id].values())
        state, failures = after_failure(job.failures, stepped=stepped, stop_asked=job.stop_asked)
        said = [*job.errors, replace(error, attempt=job.attempt, at=self._shared.clock.now())]
        if state is JobState.FAILED:
            said.append(gave_up(said[-1]))
        data = {"code": error.code, "failures": failures}
        self._shared.move(job, state, data, failures=failures, errors=tuple(said), not_before=not_before)


class MemoryTasks:
    """`ports.TaskStore` in dictionaries."""

    def __init__(self, shared: SharedQueue) -> None:
        self._shared = shared

    async def open(self, task: NewTask, key: IdempotencyKey | None = None) -> Task:
        return self._shared.task((await self.enqueue(task, (), key)).task_id)

    async def enqueue(self, task: NewTask | TaskId, jobs: Sequence[NewJob], key: IdempotencyKey | None = None) -> EnqueueResult:
        if key is not None and (again := await self.repeated(key)) is not None:
            return again
        if isinstance(task, NewTask) and task.id not in self._shared.tasks:
            made = Task(task.id, task.owner, task.question, TaskState.CREATED, 0, task.budget, {}, self._shared.clock.now())
            self._shared.tasks[task.id] = made
        task_id = self._shared.task(task.id if isinstance(task, NewTask) else task).id
        stands = [self._shared.insert(task_id, job) for job in jobs]
        added = [at for at, job in zip(stands, jobs, strict=True) if at == job.id or self._shared.revive(at, job.priority)]
        enqueued = EnqueueResult(task_id, tuple(stands), tuple(added), key.facts if key else {})
        if key is not None:
            self._shared.keys[key.owner, key.key] = key, enqueued
        return enqueued

    async def repeated(self, key: IdempotencyKey) -> EnqueueResult | None:
        if (key.owner, key.key) not in self._shared.keys:
            return None
        first, enqueued = self._shared.keys[key.owner, key.key]
        if (first.verb, first.request) != (key.verb, key.request):
            raise KeyConflict(first.taken(enqueued.task_id), verb=first.verb, task_id=enqueued.task_id)
        return replace(enqueued, is_repeat=True)

    async def task(self, task_id: TaskId) -> Task:
        return self._shared.task(task_id)

    async def find(self, prefix: str, owner: str) -> TaskId:
        newest = [each.id for each in await self.tasks(owner, limit=len(self._shared.tasks))]
        found = newest[:1] if prefix == "last" else [each for each in newest if each.startswith(prefix)]
        if len(found) != 1:
            raise TaskNotFound("There is no one task {prefix}.", prefix=prefix)
        return found[0]

    async def tasks(
        self, owner: str, states: Sequence[TaskState] = (), after: TaskId | None = None, limit: int = 50
    ) -> Sequence[Task]:
        newest = sorted((each for each in self._shared.tasks.values() if each.owner == owner), key=_age, reverse=True)
        begin = 1 + next((at for at, each in enumerate(newest) if each.id == after), -1)
        return [each for each in newest[begin:] if not states or each.state in states][:limit]

    async def snapshot(self, task_id: TaskId, after: JobId | None = None, limit: int = 200) -> Snapshot:
        jobs = sorted(self._jobs(task_id), key=_age)
        begin = 1 + next((at for at, each in enumerate(jobs) if each.id == after), -1)
        return Snapshot(self._shared.tasks[task_id], tuple(jobs[begin : begin + limit]), len(jobs) > begin + limit)

    async def events(self, task_id: TaskId, after: int = 0, limit: int = 200) -> Sequence[Event]:
        self._shared.task(task_id)
        return [each for each in self._shared.events[task_id] if each.revision > after][:limit]

    async def stop(self, task_id: TaskId, mode: StopMode) -> Halt:
        active = [each for each in self._jobs(task_id) if each.state not in ENDED]
        active.sort(key=lambda each: each.state is not JobState.PARKED)
        spared = [each for each in active if each.state is JobState.RUNNING and mode is StopMode.GRACEFUL]
        cancelled = [each for each in active if each not in spared]
        for job in cancelled:
            if job.state is JobState.AWAITING_AUTH:
                self._shared.released(job, JobState.CANCELLED, InterventionState.CANCELLED, output=None)
            else:
                self._shared.move(job, JobState.CANCELLED, output=None, not_before=None)
        for job in spared:
            self._shared.jobs[job.id] = replace(job, stop_asked=True)
            self._shared.happened(job, STOP_ASKED, {})
        return Halt(Counter(each.state for each in cancelled), tuple(each.id for each in spared))

    async def resume(self, task_id: TaskId) -> Sequence[JobId]:
        for job in self._jobs(task_id):
            self._shared.jobs[job.id] = replace(job, stop_asked=False)
        return [job.id for job in sorted(self._jobs(task_id), key=_age) if self._shared.revive(job.id, job.priority)]

    async def remove(self, task_id: TaskId) -> RemovedRows:
        jobs = self._jobs(task_id)
        for job in jobs:
            del self._shared.jobs[job.id]
            self._shared.steps.pop(job.id, None)
            self._shared.waiting.pop(job.id, None)
        events = self._shared.events.pop(task_id, [])
        del self._shared.tasks[task_id]
        self._shared.keys = {name: used for name, used in self._shared.keys.items() if used[1].task_id != task_id}
        self._shared.bell.ring((task_id, JobState.CANCELLED))
        return RemovedRows(len(jobs), len(events))

    async def durations(self, kind: str, limit: int = 20) -> Sequence[float]:
        jobs = [each for each in self._shared.jobs.values() if each.kind == kind and each.state is JobState.COMPLETED]
        spans = sorted(((each.finished_at or "", each.started_at or "") for each in jobs), reverse=True)[:limit]
        return [(datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() for end, start in spans]

    def _jobs(self, task_id: TaskId) -> list[Job]:
        self._shared.task(task_id)
        return [each for each in self._shared.jobs.values() if each.task_id == task_id]


def _is_held(job: Job, claim: Claim) -> bool:
    return job.state is JobState.RUNNING and job.attempt == claim.attempt


def _age(each: Job | Task) -> tuple[str, str]:
    return each.created_at, each.id
