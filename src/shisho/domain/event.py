"""The events of a task: each change of one of its jobs, under the next revision."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from shisho.domain.codec import Payload
from shisho.domain.intervention import HumanChallenge, InterventionState
from shisho.domain.job import JobId, TaskId, WorkerId
from shisho.domain.time import Instant
from shisho.records import dataclass


class EventKind(StrEnum):
    """The new state of a job, or another kind of change.

    Each event notifies the subscribers of its task's id and of its kind.
    """

    QUEUED = "queued"
    RUNNING = "running"
    PARKED = "parked"
    AWAITING_AUTH = "awaiting_auth"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PROGRESS = "progress"
    STOP_ASKED = "stop_asked"
    PERSON = "person"
    """A browser was opened or closed for the person a job waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """Facts of an event besides its kind. None: not applicable."""

    job_kind: str | None = None
    """The kind of a new job."""
    attempt: int | None = None
    worker_id: WorkerId | None = None
    code: str | None = None
    """The code of the error that ended an attempt."""
    failures: int | None = None
    engine: str | None = None
    """The engine whose page needs, or needed, a person."""
    domain: str | None = None
    proof: str | None = None
    """The kind of proof that the page requires."""
    person: InterventionState | None = None
    """The state of the person's intervention."""
    progress: Payload | None = None

    @classmethod
    def from_challenge(cls, challenge: HumanChallenge) -> EventFacts:
        """Return the facts of a challenge, without its page."""
        return cls(engine=challenge.engine, domain=challenge.domain, proof=challenge.kind)


NO_FACTS = EventFacts()


@dataclass(frozen=True, slots=True)
class Event:
    """A change of a job."""

    task_id: TaskId
    revision: int
    job_id: JobId
    at: Instant
    kind: EventKind
    facts: EventFacts = field(default_factory=EventFacts)
