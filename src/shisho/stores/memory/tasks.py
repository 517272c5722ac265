"""The queue's visiting side, in one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.event import Event, EventKind
from shisho.domain.intervention import InterventionState
from shisho.domain.job import (
    ENDED,
    EnqueueResult,
    Halt,
    IdempotencyKey,
    Job,
    JobId,
    JobState,
    NewJob,
    NewTask,
    RemovedRows,
    ReplyFacts,
    Snapshot,
    StopMode,
    Task,
    TaskId,
    TaskState,
)
from shisho.domain.quota import QuotaResource
from shisho.domain.time import count_seconds
from shisho.errors import KeyConflict, TaskNotFound
from shisho.stores.beginnings import check_beginning
from shisho.stores.memory.transitions import SharedQueue, age


class MemoryTasks:
    """`ports.TaskStore` in dictionaries."""

    def __init__(self, shared: SharedQueue) -> None:
        self._shared = shared

    async def open(self, task: NewTask, key: IdempotencyKey | None = None) -> Task:
        return self._shared.task((await self.enqueue(task, (), key)).task_id)

    async def enqueue(
        self, task: NewTask | TaskId, jobs: Sequence[NewJob], key: IdempotencyKey | None = None
    ) -> EnqueueResult:
        if key is not None and (again := await self.find_repeated(key)) is not None:
            return again
        self._charge(task, jobs)
        if isinstance(task, NewTask) and task.id not in self._shared.tasks:
            made_task = Task(
                task.id,
                task.owner,
                task.question,
                task.state,
                0,
                task.budget,
                {},
                self._shared.clock.now(),
            )
            self._shared.tasks[task.id] = made_task
        task_id = self._shared.task(task.id if isinstance(task, NewTask) else task).id
        job_ids = [self._shared.insert(task_id, job) for job in jobs]
        added = [
            at
            for at, job in zip(job_ids, jobs, strict=True)
            if at == job.id or self._shared.revive(at, job.priority)
        ]
        enqueued = EnqueueResult(task_id, tuple(job_ids), tuple(added), key.facts if key else ReplyFacts())
        if key is not None:
            self._shared.keys[key.owner, key.key] = key, enqueued
        return enqueued

    def _charge(self, task: NewTask | TaskId, jobs: Sequence[NewJob]) -> None:
        """Nothing can be undone here, so the quota is charged before anything is stored."""
        is_there = not isinstance(task, NewTask) or task.id in self._shared.tasks
        stored = self._shared.task(task.id if isinstance(task, NewTask) else task) if is_there else None
        owner = stored.owner if stored is not None else task.owner if isinstance(task, NewTask) else ""
        task_id = TaskId("") if stored is None else stored.id
        twins = (self._shared.find_twin(task_id, job) for job in jobs)
        ended = (JobState.CANCELLED, JobState.FAILED)
        accepted = sum(twin is None or twin.state in ended for twin in twins)
        self._shared.charge_quotas(owner, QuotaResource.JOBS, accepted)

    async def find_repeated(self, key: IdempotencyKey) -> EnqueueResult | None:
        if (key.owner, key.key) not in self._shared.keys:
            return None
        first, enqueued = self._shared.keys[key.owner, key.key]
        if (first.verb, first.request) != (key.verb, key.request):
            raise KeyConflict(
                first.describe_taken(enqueued.task_id), verb=first.verb, task_id=enqueued.task_id
            )
        return replace(enqueued, is_repeat=True)

    async def get_task(self, task_id: TaskId) -> Task:
        return self._shared.task(task_id)

    async def find(self, prefix: str, owner: str) -> TaskId:
        check_beginning(prefix, "task")
        newest = [task.id for task in await self.list_tasks(owner, limit=len(self._shared.tasks))]
        task_ids = (
            newest[:1] if prefix == "last" else [task_id for task_id in newest if task_id.startswith(prefix)]
        )
        if len(task_ids) != 1:
            raise TaskNotFound("There is no one task {prefix}.", prefix=prefix)
        return task_ids[0]

    async def list_tasks(
        self,
        owner: str,
        states: Sequence[TaskState] = (),
        after: TaskId | None = None,
        limit: int = 50,
    ) -> Sequence[Task]:
        newest = sorted(
            (task for task in self._shared.tasks.values() if task.owner == owner),
            key=age,
            reverse=True,
        )
        begin = 1 + next((at for at, task in enumerate(newest) if task.id == after), -1)
        return [task for task in newest[begin:] if not states or task.state in states][:limit]

    async def take_snapshot(self, task_id: TaskId, after: JobId | None = None, limit: int = 200) -> Snapshot:
        jobs = sorted(self._jobs(task_id), key=age)
        begin = 1 + next((at for at, job in enumerate(jobs) if job.id == after), -1)
        return Snapshot(
            self._shared.tasks[task_id], tuple(jobs[begin : begin + limit]), len(jobs) > begin + limit
        )

    async def list_events(self, task_id: TaskId, after: int = 0, limit: int = 200) -> Sequence[Event]:
        self._shared.task(task_id)
        return [event for event in self._shared.events[task_id] if event.revision > after][:limit]

    async def stop(self, task_id: TaskId, mode: StopMode) -> Halt:
        active = [job for job in self._jobs(task_id) if job.state not in ENDED]
        active.sort(key=lambda other_job: other_job.state is not JobState.PARKED)
        spared = [job for job in active if job.state is JobState.RUNNING and mode is StopMode.GRACEFUL]
        cancelled = [job for job in active if job not in spared]
        for job in cancelled:
            if job.state is JobState.AWAITING_AUTH:
                self._shared.record_release(job, JobState.CANCELLED, InterventionState.CANCELLED, output=None)
            else:
                self._shared.move(job, JobState.CANCELLED, output=None, not_before=None)
        for job in spared:
            self._shared.jobs[job.id] = replace(job, stop_asked=True)
            self._shared.record_event(job, EventKind.STOP_ASKED)
        return Halt(Counter(job.state for job in cancelled), tuple(job.id for job in spared))

    async def resume(self, task_id: TaskId) -> Sequence[JobId]:
        for job in self._jobs(task_id):
            self._shared.jobs[job.id] = replace(job, stop_asked=False)
        return [
            job.id
            for job in sorted(self._jobs(task_id), key=age)
            if self._shared.revive(job.id, job.priority)
        ]

    async def remove(self, task_id: TaskId) -> RemovedRows:
        jobs = self._jobs(task_id)
        for job in jobs:
            del self._shared.jobs[job.id]
            self._shared.steps.pop(job.id, None)
            self._shared.waiting.pop(job.id, None)
        events = self._shared.events.pop(task_id, [])
        del self._shared.tasks[task_id]
        self._shared.keys = {
            name: used for name, used in self._shared.keys.items() if used[1].task_id != task_id
        }
        self._shared.bell.ring((task_id, JobState.CANCELLED))
        return RemovedRows(len(jobs), len(events))

    async def list_durations(self, kind: str, limit: int = 20) -> Sequence[float]:
        jobs = [
            job for job in self._shared.jobs.values() if job.kind == kind and job.state is JobState.COMPLETED
        ]
        spans = [(job.finished_at, job.started_at) for job in jobs if job.finished_at and job.started_at]
        return [count_seconds(start, end) for end, start in sorted(spans, reverse=True)[:limit]]

    def _jobs(self, task_id: TaskId) -> list[Job]:
        self._shared.task(task_id)
        return [job for job in self._shared.jobs.values() if job.task_id == task_id]
