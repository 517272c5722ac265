"""The events of a task: each change of one of its jobs, under the next revision."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from shisho.domain.codec import Payload
from shisho.domain.intervention import HumanChallenge, InterventionState
from shisho.domain.job import JobId, TaskId, WorkerId
from shisho.domain.time import Instant


class EventKind(StrEnum):
    """The state that a job came to, or what else became of it. Each event rings under its task's id and under
    its kind."""

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
    """A browser was opened, or closed, for the person a job waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """The facts that an event tells beside its kind. None: it tells nothing of that."""

    job_kind: str | None = None
    """Of a job that is new."""
    attempt: int | None = None
    worker_id: WorkerId | None = None
    code: str | None = None
    """Of the error that an attempt ended with."""
    failures: int | None = None
    engine: str | None = None
    """Whose page asks for a person, or asked for one."""
    domain: str | None = None
    proof: str | None = None
    """The kind of proof that it asks for."""
    person: InterventionState | None = None
    """How far the person has come."""
    progress: Payload | None = None

    @classmethod
    def from_challenge(cls, challenge: HumanChallenge) -> EventFacts:
        """The facts that the event of a challenge tells: nothing of the page."""
        return cls(engine=challenge.engine, domain=challenge.domain, proof=challenge.kind)


NO_FACTS = EventFacts()


@dataclass(frozen=True, slots=True)
class Event:
    """One change of a job."""

    task_id: TaskId
    revision: int
    job_id: JobId
    at: Instant
    kind: EventKind
    facts: EventFacts = field(default_factory=EventFacts)
