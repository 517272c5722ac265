"""The queue as its workers, its visitors and its listeners see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.audit import AuditAct
    from shisho.domain.codec import Payload
    from shisho.domain.conversation import NewTurn
    from shisho.domain.event import Event
    from shisho.domain.intervention import HumanChallenge
    from shisho.domain.job import (
        Claim,
        EnqueueResult,
        Halt,
        IdempotencyKey,
        Job,
        JobError,
        JobId,
        NewJob,
        NewTask,
        RemovedRows,
        RunningClaim,
        Snapshot,
        StopMode,
        Task,
        TaskId,
        TaskState,
        WorkerId,
    )
    from shisho.domain.time import Instant


class JobStore(Protocol):
    """The queue as its workers see it. Every verb that takes a claim raises `ClaimLost` where the claim is no
    longer held, and returns after the commit. A job that was asked to stop and would wait or be queued again
    is cancelled instead."""

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        """Claim the first queued job of these kinds that is due, by priority, age and id. None too if that
        one runs alone (`Job.runs_alone`) while this worker runs others."""

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        """Raise the beat of those still held: they come back, with whether they were asked to stop."""

    async def check_claims(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        """Give what `renew` returns, without a beat."""

    async def finish(self, claim: Claim, output: Payload) -> None:
        """The job is completed. Said again by the same attempt, it changes nothing."""

    async def finish_and_claim(self, claim: Claim, output: Payload, kinds: Sequence[str]) -> Job | None:
        """Do what `finish` does, then what `claim` does for the same worker, in one go."""

    async def fail(self, claim: Claim, error: JobError) -> None:
        """The job has failed for good."""

    async def put_back(
        self,
        claim: Claim,
        not_before: Instant | None = None,
        error: JobError | None = None,
        *,
        is_failure: bool = True,
    ) -> None:
        """Queue it again. With an error it counts as a failure: the third without a new step fails the job
        for good. Where the error `is_failure` of something else, it stands in the history alone."""

    async def take_back(
        self, running_claim: RunningClaim, error: JobError, not_before: Instant | None = None
    ) -> None:
        """Queue a dead or silent worker's job again and count a death of its process: the tenth without a new
        step fails the job. Raises ClaimLost too if the worker has beaten since `running_claim`."""

    async def park(self, claim: Claim, until: Instant) -> bool:
        """Wait for those of this job's own children that can end in time, at most `until`. False, and still
        held, where there are none."""

    async def await_person(
        self, claim: Claim, output: Payload | None, until: Instant, challenge: HumanChallenge
    ) -> None:
        """Wait for a person because of what was met. Skipped, the job completes with `output`; where nobody
        comes, too, but with None it fails."""

    async def spawn(self, claim: Claim, jobs: Sequence[NewJob]) -> Sequence[JobId]:
        """Queue children with high priority in the same task. Those already there are left as they are.
        Returns what stands, as `TaskStore.enqueue` does. The children of a job that was asked to stop are
        cancelled from the start."""

    async def keep_step(self, claim: Claim, key: str, outcome: Payload) -> Payload:
        """Store the outcome of a step once; returns the one that stands."""

    async def list_steps(self, job_id: JobId) -> Mapping[str, Payload]:
        """The outcomes of all steps taken so far, by key."""

    async def report(self, claim: Claim, progress: Payload) -> None:
        """Say how far it has come, and wake those who wait."""

    async def charge(self, claim: Claim, amounts: Mapping[str, float]) -> bool:
        """Spend from the task's budget, or nothing of it and False. `pages` is held against `max_pages`, and
        so on."""

    async def release_all(self, worker_id: WorkerId) -> int:
        """Queue again, uncounted, all that this worker still holds. Returns how many."""

    async def list_running(self) -> Sequence[RunningClaim]:
        """All claims now held, by anyone."""

    async def expire(self) -> int:
        """End what has waited until its time: parked jobs are queued, awaiting ones completed or failed. How
        many."""

    async def list_failed(self, kinds: Sequence[str], after: str, limit: int) -> Sequence[Job]:
        """The jobs of these kinds that have failed for good, by id, after the one with id `after`."""

    async def get_job(self, job_id: JobId) -> Job:
        """Raises NotFound."""

    async def list_children(self, job_id: JobId) -> Sequence[Job]:
        """The jobs that this one spawned, oldest first."""


class TaskStore(Protocol):
    """The queue as its visitors see it. Every verb that names a task raises TaskNotFound where there is
    none."""

    async def open(self, task: NewTask, key: IdempotencyKey | None = None) -> Task:
        """Open a task, or return the one that stands under its id or the key. Raises Conflict as
        `enqueue`."""

    async def enqueue(
        self,
        task: NewTask | TaskId,
        jobs: Sequence[NewJob],
        key: IdempotencyKey | None = None,
        turn: NewTurn | None = None,
        act: AuditAct | None = None,
    ) -> EnqueueResult:
        """Queue jobs in one transaction, opening the task if it is new. Asking again adds nothing, but queues
        again what was cancelled or has failed. The key is stored in the same transaction, and the turn of a
        conversation that a job is, and the act that queues them is put on record. Raises Conflict if the key
        belongs to another request, NotFound for an unknown conversation."""

    async def find_repeated(self, key: IdempotencyKey) -> EnqueueResult | None:
        """The result of the first request under this key, None where it is new. Raises Conflict as
        `enqueue`."""

    async def get_task(self, task_id: TaskId) -> Task: ...

    async def get_job_and_task(self, job_id: JobId) -> tuple[Job, Task]:
        """Read a job and its task in one snapshot: whoever waits for a change of the task misses no change of
        the job. Raises NotFound."""

    async def find(self, prefix: str, owner: str) -> TaskId:
        """By id, unique prefix or `last`. Raises InvalidParams for a blank, TaskNotFound."""

    async def list_tasks(
        self,
        owner: str,
        states: Sequence[TaskState] = (),
        after: TaskId | None = None,
        limit: int = 50,
    ) -> Sequence[Task]:
        """Newest first; `after` is the id of the last one seen."""

    async def take_snapshot(
        self, task_id: TaskId, after: JobId | None = None, limit: int = 200
    ) -> Snapshot: ...

    async def list_events(self, task_id: TaskId, after: int = 0, limit: int = 200) -> Sequence[Event]:
        """The events after revision `after`, in order."""

    async def stop(self, task_id: TaskId, mode: StopMode) -> Halt:
        """Cancel what is queued, parked or awaiting. `immediate` cancels what runs too; `graceful` lets it
        come to its end."""

    async def resume(self, task_id: TaskId) -> Sequence[JobId]:
        """Queue again what was cancelled or has failed, and take back what was asked of running jobs."""

    async def remove(self, task_id: TaskId) -> RemovedRows:
        """Delete the rows of a task: jobs, steps, events. A worker that still runs one finds its claim
        stale."""

    async def list_durations(self, kind: str, limit: int = 20) -> Sequence[float]:
        """Seconds from claim to end of the latest completed jobs of a kind."""


class Ear(Protocol):
    """One listener at the bell."""

    async def wait(self, seconds: float) -> bool:
        """True as soon as it has rung since the last wait, or since listening began; False after so long in
        silence."""


class Bell(Protocol):
    """Tells that something has changed, never what: the table is the truth. Belongs to one event loop."""

    def ring(self, topics: Iterable[str]) -> None:
        """To be called after the commit. A topic is a task's id or a kind of event."""

    def listen(self, *topics: str) -> AbstractContextManager[Ear]:
        """Listen first, then read, then wait: what happens in between is not missed. It may ring once for
        nothing, soon after it has begun."""


class Presence(Protocol):
    """Which workers are alive. A hint that saves waiting; safety is the fence's."""

    def register(self, worker_id: WorkerId) -> None:
        """This process works under this name, until it leaves or dies."""

    def deregister(self, worker_id: WorkerId) -> None: ...

    def find_gone(self, worker_ids: Iterable[WorkerId]) -> frozenset[WorkerId]:
        """Those known to be dead."""
