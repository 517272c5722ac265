"""Tasks and their jobs: states, claims, outcomes, and the rules of state transitions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from dataclasses import field, replace
from enum import IntEnum, StrEnum
from typing import Any, NewType, TypeVar

from shisho.domain.codec import Payload
from shisho.domain.corpus import DocumentId
from shisho.domain.time import Instant
from shisho.messages import Message
from shisho.records import dataclass

T = TypeVar("T")

JobId = NewType("JobId", str)
TaskId = NewType("TaskId", str)
WorkerId = NewType("WorkerId", str)

MAX_FAILURES = 3
MAX_DEATHS = 10
ALONE_DEATHS = 3
"""From this many deaths of its process on, a job runs alone on its worker."""


class JobState(StrEnum):
    """The state of a job.

    `parked` waits for its own children, `awaiting_auth` for a person; neither occupies a worker.
    """

    QUEUED = "queued"
    RUNNING = "running"
    PARKED = "parked"
    AWAITING_AUTH = "awaiting_auth"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TaskState(StrEnum):
    """The state of a task.

    `waiting`: only jobs that await a person are left. `failed`: it ended and no job completed.
    """

    CREATED = "created"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"


ENDED_TASK = frozenset({TaskState.COMPLETED, TaskState.FAILED, TaskState.STOPPED})


class Priority(IntEnum):
    """The priority of a job; lower numbers run first."""

    HIGH = 10
    MEDIUM = 50
    LOW = 90


class StopMode(StrEnum):
    """How a task is stopped.

    `graceful` lets running jobs finish; `immediate` cancels them too.
    """

    GRACEFUL = "graceful"
    IMMEDIATE = "immediate"


LIVE = frozenset({JobState.QUEUED, JobState.RUNNING, JobState.PARKED})
ENDED = frozenset({JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED})

MOVES: Mapping[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.CANCELLED}),
    JobState.RUNNING: frozenset(set(JobState) - {JobState.RUNNING}),
    JobState.PARKED: frozenset({JobState.QUEUED, JobState.CANCELLED}),
    JobState.AWAITING_AUTH: frozenset(
        {JobState.QUEUED, JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED}
    ),
    JobState.COMPLETED: frozenset(),
    JobState.FAILED: frozenset({JobState.QUEUED}),
    JobState.CANCELLED: frozenset({JobState.QUEUED}),
}


class ClaimLost(Exception):
    """The claim was lost: its job was reclaimed, stopped, ended or removed.

    Stop, and discard the work.
    """


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task to open. If the id exists already, the existing task is kept."""

    id: TaskId
    owner: str
    question: str = ""
    budget: Mapping[str, float] = field(default_factory=dict)
    state: TaskState = TaskState.CREATED
    """The state until a job belongs to it."""


@dataclass(frozen=True, slots=True)
class ReplyFacts:
    """Facts that the first reply to a request reported in addition to its jobs."""

    estimated_seconds: float | None = None
    known: tuple[DocumentId, ...] = ()
    """Documents that were already in the library."""


SUBJECT = 80  # characters of a request's subject that are stored with its key


def shorten_subject(text: str) -> str:
    """Return the beginning of a request's subject, as stored with its key."""
    return text if len(text) <= SUBJECT else f"{text[:SUBJECT]}…"


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A key by which an owner repeats one request.

    `request` is the hash of the arguments of `verb`. `subject` reminds the owner of the request. `facts` are
    stored to give the first reply again.
    """

    owner: str
    key: str
    verb: str
    request: str
    subject: str
    facts: ReplyFacts = field(default_factory=ReplyFacts)

    def describe_taken(self, task_id: TaskId) -> Message:
        """Return the message to a caller who used the key for another request."""
        return Message(
            "request_key.taken",
            key=self.key,
            verb=self.verb,
            subject=self.subject,
            task_id=task_id,
        )


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to queue."""

    id: JobId
    """Created by the caller, so that repeating the request after a doubtful commit adds nothing."""
    kind: str
    """The name of its handler; the queue knows no others. The library queues kinds of `task.JobKind`."""
    input: Payload
    priority: int = Priority.MEDIUM
    not_before: Instant | None = None
    """A moment from `Clock.steady`."""
    dedupe_key: str | None = None
    """Identifies one job within a task, in any state."""


@dataclass(frozen=True, slots=True)
class EnqueueResult:
    """The result of an enqueue. A repeated idempotency key returns the first result."""

    task_id: TaskId
    job_ids: tuple[JobId, ...]
    """For each requested job, in order, its own id or that of the job it repeats."""
    added: tuple[JobId, ...] = ()
    """Jobs that this request queued: new ones, and cancelled or failed ones requested again."""
    facts: ReplyFacts = field(default_factory=ReplyFacts)
    """Stored with the idempotency key; for a repeat, the facts of the first request."""
    is_repeat: bool = False
    """The idempotency key was used before."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to write the results of a running job."""

    job_id: JobId
    attempt: int
    """The fence: a later claim has a higher number."""
    worker_id: WorkerId


@dataclass(frozen=True, slots=True)
class RunningClaim:
    """A claim, its number of renewals, and the earlier deaths of the job's process."""

    claim: Claim
    beat: int
    deaths: int = 0


@dataclass(frozen=True, slots=True)
class JobError:
    """The reason why an attempt did not finish."""

    code: str
    message: str
    details: Payload = field(default_factory=Payload)
    """The details of the original ShishoError, for raising it again."""
    attempt: int = 0
    at: Instant | None = None


UNREADABLE = "UNREADABLE_JOB"
"""The code of an attempt at a job that only another version can read."""


def extend_history(history: Sequence[JobError], error: JobError) -> list[JobError]:
    """Return the history with an error added.

    Of consecutive errors of unreadable jobs, only the last is kept.
    """
    is_repeat = bool(history) and history[-1].code == error.code == UNREADABLE
    return [*(history[:-1] if is_repeat else history), error]


@dataclass(frozen=True, slots=True)
class Job:
    """One queued piece of a task's work.

    `errors` is the history, latest last. `cause_id` is the job that spawned it. `not_before`: a queued job is
    not claimed earlier; a parked or awaiting one leaves its state automatically then.
    """

    id: JobId
    task_id: TaskId
    kind: str
    state: JobState
    priority: int
    input: Payload
    created_at: Instant
    output: Payload | None = None
    """Read it with `payloads.read_outcome`."""
    errors: tuple[JobError, ...] = ()
    progress: Payload = field(default_factory=Payload)
    attempt: int = 0
    failures: int = 0
    deaths: int = 0
    """How often the process that ran it died."""
    worker_id: WorkerId | None = None
    not_before: Instant | None = None
    stop_asked: bool = False
    dedupe_key: str | None = None
    cause_id: JobId | None = None
    started_at: Instant | None = None
    finished_at: Instant | None = None

    @property
    def claim(self) -> Claim:
        """The claim of its current worker, or of the last one."""
        return Claim(self.id, self.attempt, self.worker_id or WorkerId(""))

    @property
    def runs_alone(self) -> bool:
        """True if its worker must not run anything else at the same time."""
        return self.deaths >= ALONE_DEATHS


@dataclass(frozen=True, slots=True)
class Delay:
    """Queued jobs that are delayed for one reason; the first of them resumes at `until`."""

    jobs: int
    until: Instant
    reason: str


@dataclass(frozen=True, slots=True)
class Task:
    """A research task of a client.

    `revision` rises with every event; `jobs` counts its jobs by state.
    """

    id: TaskId
    owner: str
    question: str
    state: TaskState
    revision: int
    budget: Mapping[str, float]
    spent: Mapping[str, float]
    created_at: Instant
    jobs: Mapping[JobState, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskNews:
    """A task read once for all its waiters, with a cache of the views made for them."""

    task: Task
    made: dict[Hashable, asyncio.Task[Any]] = field(default_factory=dict, compare=False)

    async def make_once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the value for this key, made by its first caller.

        A caller that is cancelled does not cancel the work for the others.
        """
        if key not in self.made:
            self.made[key] = asyncio.create_task(make())
        value: T = await asyncio.shield(self.made[key])
        return value


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A task and its jobs in order of age, as of one moment. `more`: there are further jobs."""

    task: Task
    jobs: tuple[Job, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class StopResult:
    """The effect of stopping a task.

    How many jobs were cancelled, by their previous state, and which keep running to their end.
    """

    cancelled: Mapping[JobState, int]
    still_running: tuple[JobId, ...]


@dataclass(frozen=True, slots=True)
class RemovedRows:
    """The number of removed rows of a task."""

    jobs: int
    events: int


def derive_task_state(jobs: Mapping[JobState, int]) -> TaskState:
    """Return the state of a task from the numbers of its jobs by state."""
    if any(jobs.get(state, 0) for state in LIVE):
        return TaskState.RUNNING
    for job_state, state in (
        (JobState.AWAITING_AUTH, TaskState.WAITING),
        (JobState.CANCELLED, TaskState.STOPPED),
        (JobState.COMPLETED, TaskState.COMPLETED),
        (JobState.FAILED, TaskState.FAILED),
    ):
        if jobs.get(job_state, 0):
            return state
    return TaskState.CREATED


def can_end_in_time(child: Job, until: Instant) -> bool:
    """Return whether a child can end before its parent's wait is over.

    A child postponed until later cannot.
    """
    return child.state in LIVE and (child.state is not JobState.QUEUED or (child.not_before or "") < until)


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An unsuccessful attempt: the job's updated counts and its next state."""

    state: JobState
    failures: int
    deaths: int

    def explain(self, last: JobError) -> JobError:
        """Return the last entry in the history of a job that has been given up."""
        if self.failures >= MAX_FAILURES:
            message = Message("job.gave_up", count=self.failures, cause=last.message)
        else:
            message = Message(GAVE_UP_DEATHS, count=self.deaths, failures=self.failures, cause=last.message)
        return replace(last, message=message)


GAVE_UP_DEATHS = "job.process_died_often"


def count_failed_attempt(
    failures: int, deaths: int, *, is_death: bool, stepped: bool, stop_asked: bool
) -> FailedAttempt:
    """Count an unsuccessful attempt as a failure of the job or as a death of its process.

    An attempt that stored a new step made progress and counts as neither.
    """
    failures += not (stepped or is_death)
    deaths += is_death and not stepped
    state = JobState.QUEUED
    if stop_asked:
        state = JobState.CANCELLED
    elif failures >= MAX_FAILURES or deaths >= MAX_DEATHS:
        state = JobState.FAILED
    return FailedAttempt(state, failures, deaths)
