"""The queue that its sides share in one process, and a job's change of state in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from shisho.domain.codec import Payload
from shisho.domain.event import NO_FACTS, Event, EventFacts, EventKind
from shisho.domain.intervention import InterventionState, PendingIntervention
from shisho.domain.job import (
    ENDED,
    MOVES,
    EnqueueResult,
    IdempotencyKey,
    Job,
    JobId,
    JobState,
    NewJob,
    Task,
    TaskId,
    can_end_in_time,
    derive_task_state,
)
from shisho.domain.quota import QuotaResource
from shisho.domain.time import Instant
from shisho.errors import InternalError, TaskNotFound
from shisho.ports import Bell, Clock
from shisho.stores.memory.quotas import MemoryQuotas


@dataclass
class SharedQueue:
    """The state that all sides of the queue share."""

    clock: Clock
    bell: Bell
    tasks: dict[TaskId, Task] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[IdempotencyKey, EnqueueResult]] = field(default_factory=dict)
    jobs: dict[JobId, Job] = field(default_factory=dict)
    beats: dict[JobId, int] = field(default_factory=dict)
    steps: defaultdict[JobId, dict[str, tuple[int, Payload]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    events: defaultdict[TaskId, list[Event]] = field(default_factory=lambda: defaultdict(list))
    waiting: dict[JobId, PendingIntervention] = field(default_factory=dict)
    quotas: MemoryQuotas | None = None

    def charge_quotas(self, owner: str, resource: QuotaResource, amount: int) -> None:
        """As `stores.quotas.charge_quotas`."""
        if self.quotas is not None:
            self.quotas.charge(owner, resource, amount)

    def move(self, job: Job, state: JobState, facts: EventFacts = NO_FACTS, **changes: Any) -> None:
        """Put a job into a state, with its event, its task's counts, and the parent that waited for it as its
        last child."""
        if state not in MOVES[job.state]:
            raise InternalError("A {old} job cannot become {new}.", old=job.state, new=state)
        changes.setdefault("finished_at", self.clock.now() if state in ENDED else None)
        self.jobs[job.id] = replace(job, state=state, **changes)
        self.record_event(job, EventKind(state), facts)
        parent = self.jobs.get(job.cause_id) if job.cause_id else None
        if (
            parent
            and parent.state is JobState.PARKED
            and not self.is_awaited(parent.id, parent.not_before or Instant(""))
        ):
            self.move(parent, JobState.QUEUED, not_before=None)

    def record_release(self, job: Job, state: JobState, end: InterventionState, **changes: Any) -> None:
        """As `move`, for a job that waits for a person no longer."""
        del self.waiting[job.id]
        self.move(job, state, EventFacts(person=end), not_before=None, **changes)

    def record_event(self, job: Job, kind: EventKind, facts: EventFacts = NO_FACTS) -> None:
        task = self.tasks[job.task_id]
        jobs = Counter(job.state for job in self.jobs.values() if job.task_id == task.id)
        revision = task.revision + 1
        self.tasks[task.id] = replace(task, revision=revision, jobs=dict(jobs), state=derive_task_state(jobs))
        self.events[task.id].append(Event(task.id, revision, job.id, self.clock.now(), kind, facts))
        self.bell.ring((task.id, kind))

    def insert(
        self,
        task_id: TaskId,
        new: NewJob,
        state: JobState = JobState.QUEUED,
        cause: JobId | None = None,
    ) -> JobId:
        if new.id in self.jobs:
            return new.id
        twin = self.find_twin(task_id, new)
        if twin is not None:
            return twin.id
        self.jobs[new.id] = Job(
            id=new.id,
            task_id=task_id,
            kind=new.kind,
            state=state,
            priority=int(new.priority),
            input=new.input,
            created_at=self.clock.now(),
            not_before=new.not_before,
            dedupe_key=new.dedupe_key,
            cause_id=cause,
            finished_at=self.clock.now() if state in ENDED else None,
        )
        self.record_event(self.jobs[new.id], EventKind(state), EventFacts(job_kind=new.kind))
        return new.id

    def find_twin(self, task_id: TaskId, new: NewJob) -> Job | None:
        """The job of a task that stands for a new one."""
        same = (
            job for job in self.jobs.values() if job.task_id == task_id and job.dedupe_key == new.dedupe_key
        )
        return next(same, None) if new.dedupe_key is not None else None

    def revive(self, job_id: JobId, priority: int) -> bool:
        job = self.jobs[job_id]
        if job.state not in (JobState.CANCELLED, JobState.FAILED):
            return False
        self.move(
            job,
            JobState.QUEUED,
            failures=0,
            not_before=None,
            stop_asked=False,
            priority=int(priority),
        )
        return True

    def is_awaited(self, parent: JobId, until: Instant) -> bool:
        return any(can_end_in_time(child, until) for child in self.list_children(parent))

    def list_children(self, job_id: JobId) -> list[Job]:
        return sorted((job for job in self.jobs.values() if job.cause_id == job_id), key=age)

    def task(self, task_id: TaskId) -> Task:
        if task_id not in self.tasks:
            raise TaskNotFound("There is no task {task_id}.", task_id=task_id)
        return self.tasks[task_id]


def age(item: Job | Task) -> tuple[str, str]:
    """The order of the queue: by time, then by id."""
    return item.created_at, item.id
