"""The queue: jobs and tasks, staged bytes, discovered URLs of jobs, and waits for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.codec import Payload
    from shisho.domain.conversation import NewTurn
    from shisho.domain.corpus import DocumentId
    from shisho.domain.discovered_url import DiscoveredUrl, Report, SearchNote, StoredUrl
    from shisho.domain.event import Event
    from shisho.domain.intervention import (
        AuthTarget,
        HumanChallenge,
        InterventionState,
        PendingIntervention,
    )
    from shisho.domain.job import (
        Claim,
        EnqueueResult,
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
        StopResult,
        Task,
        TaskId,
        TaskState,
        WorkerId,
    )
    from shisho.domain.team import AuditAct
    from shisho.domain.time import Instant


class JobStore(Protocol):
    """The queue as its workers see it.

    Every method that takes a claim raises `ClaimLost` if the claim has been lost, and returns after the
    commit. A job with a stop request that would wait or be queued again is cancelled instead.
    """

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        """Claim the first due job of these kinds, by priority, age and id.

        Returns None too if that one runs alone (`Job.runs_alone`) while this worker runs others.
        """

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        """Renew the heartbeats of these claims. Returns the valid ones, each with its stop request."""

    async def check_claims(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        """Return what `renew` returns, without a heartbeat."""

    async def finish(self, claim: Claim, output: Payload) -> None:
        """Complete the job. Idempotent within an attempt."""

    async def finish_and_claim(self, claim: Claim, output: Payload, kinds: Sequence[str]) -> Job | None:
        """Do `finish`, then `claim` for the same worker, in one transaction."""

    async def fail(self, claim: Claim, error: JobError) -> None:
        """Fail the job for good."""

    async def put_back(
        self,
        claim: Claim,
        not_before: Instant | None = None,
        error: JobError | None = None,
        *,
        is_failure: bool = True,
    ) -> None:
        """Queue the job again.

        With an error it counts as a failure: the third without a new step fails the job for good. If
        `is_failure` is false, the error belongs to something else and is only recorded in the history.
        """

    async def take_back(
        self, running_claim: RunningClaim, error: JobError, not_before: Instant | None = None
    ) -> None:
        """Queue the job of a dead or silent worker again and count a death of its process.

        The tenth without a new step fails the job. Raises ClaimLost too if the worker has sent a heartbeat
        since `running_claim`.
        """

    async def park(self, claim: Claim, until: Instant) -> bool:
        """Wait for those of this job's children that can end in time, at most until `until`.

        Returns False, and keeps the claim, if there are none.
        """

    async def await_person(
        self, claim: Claim, output: Payload | None, until: Instant, challenge: HumanChallenge
    ) -> None:
        """Wait for a person because of a challenge.

        If it is skipped, or nobody acts in time, the job completes with `output`; after a timeout with None
        it fails.
        """

    async def spawn(self, claim: Claim, jobs: Sequence[NewJob]) -> Sequence[JobId]:
        """Queue children with high priority in the same task; existing ones stay unchanged.

        Returns the stored jobs, as `TaskStore.enqueue` does. Children of a job with a stop request are
        cancelled from the start.
        """

    async def keep_step(self, claim: Claim, key: str, outcome: Payload) -> Payload:
        """Store the outcome of a step once; return the stored one."""

    async def list_steps(self, job_id: JobId) -> Mapping[str, Payload]:
        """Return the outcomes of all steps so far, by key."""

    async def report(self, claim: Claim, progress: Payload) -> None:
        """Report progress, and wake waiting readers."""

    async def charge(self, claim: Claim, amounts: Mapping[str, float]) -> bool:
        """Spend from the task's budget. If one limit would be exceeded, spend nothing and return False.

        `pages` is limited by `max_pages`, and so on.
        """

    async def release_all(self, worker_id: WorkerId) -> int:
        """Queue all claims of this worker again, without counting an attempt. Returns their number."""

    async def list_running(self) -> Sequence[RunningClaim]:
        """List all current claims of all workers."""

    async def expire(self) -> int:
        """End waits that have timed out: queue parked jobs, complete or fail jobs that await a person.

        Returns their number.
        """

    async def list_failed(self, kinds: Sequence[str], after: str, limit: int) -> Sequence[Job]:
        """Return the permanently failed jobs of these kinds by id, after the one with id `after`."""

    async def get_job(self, job_id: JobId) -> Job:
        """Return a job. Raises NotFound."""

    async def list_children(self, job_id: JobId) -> Sequence[Job]:
        """List the jobs that this one spawned, oldest first."""


class TaskStore(Protocol):
    """The queue as its visitors see it.

    Every method that names a task raises TaskNotFound if there is none.
    """

    async def open(self, task: NewTask, key: IdempotencyKey | None = None) -> Task:
        """Open a task, or return the existing one of its id or key. Raises Conflict as `enqueue`."""

    async def enqueue(
        self,
        task: NewTask | TaskId,
        jobs: Sequence[NewJob],
        key: IdempotencyKey | None = None,
        turn: NewTurn | None = None,
        act: AuditAct | None = None,
    ) -> EnqueueResult:
        """Queue jobs in one transaction, opening the task if it is new.

        A repeated call adds nothing, but queues cancelled and failed jobs again. The same transaction stores
        the key, the turn of a conversation that a job is, and the audit record.

        Raises: Conflict if the key belongs to another request; NotFound for an unknown conversation.
        """

    async def find_repeated(self, key: IdempotencyKey) -> EnqueueResult | None:
        """Return the result of the first request under this key, or None if it is new.

        Raises: Conflict as `enqueue`.
        """

    async def get_task(self, task_id: TaskId) -> Task: ...

    async def get_job_and_task(self, job_id: JobId) -> tuple[Job, Task]:
        """Read a job and its task in one snapshot.

        A caller that waits for a change of the task then misses no change of the job. Raises NotFound.
        """

    async def find(self, prefix: str, owner: str) -> TaskId:
        """Return a task's id by id, unique prefix or `last`.

        Raises InvalidParams for a blank, TaskNotFound.
        """

    async def list_tasks(
        self,
        owner: str,
        states: Sequence[TaskState] = (),
        after: TaskId | None = None,
        limit: int = 50,
    ) -> Sequence[Task]:
        """List tasks, newest first; `after` is the id of the last one seen."""

    async def take_snapshot(
        self, task_id: TaskId, after: JobId | None = None, limit: int = 200
    ) -> Snapshot: ...

    async def list_events(self, task_id: TaskId, after: int = 0, limit: int = 200) -> Sequence[Event]:
        """Return the events after revision `after`, in order."""

    async def stop(self, task_id: TaskId, mode: StopMode) -> StopResult:
        """Cancel queued, parked and awaiting jobs.

        `immediate` cancels running jobs too; `graceful` lets them finish.
        """

    async def resume(self, task_id: TaskId) -> Sequence[JobId]:
        """Queue cancelled and failed jobs again, and withdraw the stop requests of running ones."""

    async def remove(self, task_id: TaskId) -> RemovedRows:
        """Delete the rows of a task: jobs, steps, events. A worker that still runs one loses its claim."""

    async def list_durations(self, kind: str, limit: int = 20) -> Sequence[float]:
        """Return the seconds from claim to end of the latest completed jobs of a kind."""


class Subscription(Protocol):
    """One subscription to change notifications."""

    async def wait(self, seconds: float) -> bool:
        """Wait for a notification.

        Returns True as soon as one has arrived since the last wait, or since the subscription began; False
        after a timeout.
        """


class ChangeNotifier(Protocol):
    """A notifier of changes, without their content: the table is the truth. Belongs to one event loop."""

    def notify(self, topics: Iterable[str]) -> None:
        """Notify subscribers. Call it after the commit. A topic is a task's id or a kind of event."""

    def subscribe(self, *topics: str) -> AbstractContextManager[Subscription]:
        """Subscribe first, then read, then wait: changes in between are not missed.

        There may be one spurious notification soon after the start.
        """


class Presence(Protocol):
    """The register of live workers. A hint that saves waiting; the fence provides safety."""

    def register(self, worker_id: WorkerId) -> None:
        """Register this process under this name until it leaves or dies."""

    def deregister(self, worker_id: WorkerId) -> None: ...

    def find_dead(self, worker_ids: Iterable[WorkerId]) -> frozenset[WorkerId]:
        """Return the workers known to be dead."""


class Interventions(Protocol):
    """The store of pending interventions.

    `JobStore` and `TaskStore` create and end an intervention with the waiting of its job; the methods here
    end it because someone acted. Each applies to all interventions of the same owner on the same domain or
    engine.
    """

    async def list_waiting(self, owner: str, task_id: TaskId | None = None) -> Sequence[PendingIntervention]:
        """List all, oldest first."""

    async def find_pending(self, owner: str, engine: str) -> HumanChallenge | None:
        """Return the challenge that blocks an engine.

        Another job can then wait for the same person without a request to the engine.
        """

    async def mark(
        self, owner: str, target: AuthTarget, name: str, state: InterventionState
    ) -> Sequence[PendingIntervention]:
        """Set pending or in progress, with all interventions on the same domain or engine."""

    async def complete(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """Queue the waiting jobs again, with all that wait on the same domain or engine.

        Returns the interventions that were pending.
        """

    async def skip(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """End exactly these jobs with their partial results."""

    async def list_solved(self, owner: str, engine: str) -> Sequence[PendingIntervention]:
        """Complete all interventions on an engine that answers again, as `complete`.

        Cheap if there are none.
        """

    async def take_unannounced(self, owner: str) -> Sequence[PendingIntervention]:
        """Return one intervention per domain that no desktop notification has announced.

        Each is returned once, to whichever process asks first.
        """


class Notifier(Protocol):
    """A notifier that asks the user for help."""

    async def notify(self, waiting: PendingIntervention) -> None:
        """Send a notification. Never raises: notifications are best effort."""


class Staging(Protocol):
    """Bytes staged for a job, readable by their owner alone."""

    def put(self, data: bytes, owner: str) -> str:
        """Store an owner's bytes durably and return the key.

        Raises StorageUnusable, Conflict on a full disk.
        """

    def get(self, key: str) -> bytes:
        """Return the bytes. Raises NotFound if there are none, or no longer."""

    def drop(self, key: str) -> None:
        """Delete staged bytes; unknown keys are ignored. Raises NotFound for an invalid key."""

    def drop_bytes(self, sha256: str, owner: str) -> None:
        """Delete every copy of the owner's bytes with this hash; copies of other owners stay."""


class DiscoveredUrls(Protocol):
    """The store of discovered URLs. Methods that take a claim raise `ClaimLost` if it has been lost."""

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        """Store the discovered URLs of one page once. Returns the number that are new to the task."""

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        """Record the document that a discovered URL will become, so that its origin is known in advance."""

    async def settle(
        self,
        claim: Claim,
        canonical_url: str,
        document_id: DocumentId | None = None,
        *,
        code: str = "",
        reason: str = "",
    ) -> None:
        """Record the outcome of a discovered URL: a document, a failure, or neither if it is skipped.

        A failure does not hide the origin of an expected document that already exists.
        """

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        """Record whether the document of a discovered URL answers its query."""

    async def note(self, claim: Claim, note: SearchNote) -> None:
        """Record the progress of this job's search, replacing earlier progress."""

    async def list_of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        """Return the discovered URLs of a job in order of rank."""


class Reports(Protocol):
    """Reports on the discovered URLs of tasks."""

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        """Return everything that a status adds to the task itself, in one snapshot.

        At most `limit` results after a position; results and failures since a revision. Those of that same
        revision are included: it may have been read before they were written.
        """

    async def find_last_place(self, task_id: TaskId) -> int:
        """Return the position of the task's latest result, 0 if there is none.

        It never decreases: no report has given a later one.
        """

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        """Return True if a job has ended, waits for a person, or failed since a revision."""

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        """Return web pages that only this task refers to.

        No other task's finds or answers, no session and no other answer refer to them.
        """

    async def forget(self, task_id: TaskId) -> int:
        """Delete the discovered URLs and search records of a task. Returns the number of discovered URLs."""
