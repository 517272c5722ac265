"""Human interventions: challenges that jobs meet, and how people resolve them."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from enum import StrEnum

from shisho.domain.job import JobId, TaskId
from shisho.domain.time import Instant
from shisho.records import dataclass


class InterventionState(StrEnum):
    """The state of an intervention.

    `in_progress`: a browser has been opened for it. The first two are waiting; the others are final, each
    with its job's end.
    """

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class AuthTarget(StrEnum):
    """The scope of a solved challenge: one item, all of a domain, or all of a task."""

    ITEM = "item"
    DOMAIN = "domain"
    TASK = "task"


class AuthAction(StrEnum):
    """A person's decision.

    `complete`: the challenge is solved, for everything that waits for the same domain or engine. `skip`:
    finish with the partial result.
    """

    COMPLETE = "complete"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class HumanChallenge:
    """A page that needs a person: `kind` of proof, at `url`.

    `engine` is "" unless the page is a result page.
    """

    engine: str
    domain: str
    url: str
    kind: str


@dataclass(frozen=True, slots=True)
class PendingIntervention:
    """A job that waits for a person: at which page, for what kind of proof, until when."""

    id: str
    job_id: JobId
    task_id: TaskId
    domain: str
    url: str
    engine: str
    kind: str
    state: InterventionState
    since: Instant
    expires_at: Instant | None = None

    @property
    def met(self) -> HumanChallenge:
        """The challenge that blocks the job."""
        return HumanChallenge(self.engine, self.domain, self.url, self.kind)


@dataclass(frozen=True, slots=True)
class AuthResolved:
    """The jobs that a person's help has unblocked."""

    resolved: int
    requeued: tuple[JobId, ...]


@dataclass(frozen=True, slots=True)
class WindowResult:
    """The result of a window that was opened for a person.

    `through`: the page needs no more proof. The jobs that it blocked are requeued, unless they had ended
    before.
    """

    through: bool
    resolved: int = 0
    requeued: tuple[JobId, ...] = ()


def make_intervention_id(job_id: JobId, attempt: int) -> str:
    """Return the intervention's id. An attempt waits once at most."""
    return f"{job_id}-{attempt}"


def select_interventions(target: AuthTarget, name: str) -> Callable[[PendingIntervention], bool]:
    """Return a predicate that selects the interventions of this target."""
    field = {AuthTarget.ITEM: "id", AuthTarget.DOMAIN: "domain", AuthTarget.TASK: "task_id"}[target]
    return lambda intervention: bool(getattr(intervention, field) == name)


def find_solved_together(
    interventions: Sequence[PendingIntervention], matches: Callable[[PendingIntervention], bool]
) -> list[PendingIntervention]:
    """Find all that are solved together: those of the same domain or the same engine."""
    found_interventions = [intervention for intervention in interventions if matches(intervention)]
    domains = {intervention.domain for intervention in found_interventions}
    engines = {intervention.engine for intervention in found_interventions} - {""}
    return [
        intervention
        for intervention in interventions
        if intervention.domain in domains or intervention.engine in engines
    ]


def find_intervention(interventions: Sequence[PendingIntervention], name: str) -> PendingIntervention | None:
    """Find an intervention by `last`, a domain (its newest), an id or a unique prefix of one.

    `interventions`: oldest first.
    """
    if name == "last":
        return interventions[-1] if interventions else None
    of_domain = [intervention for intervention in interventions if intervention.domain == name]
    begun = [intervention for intervention in interventions if name and intervention.id.startswith(name)]
    return of_domain[-1] if of_domain else begun[0] if len(begun) == 1 else None


def select_unannounced(
    interventions: Sequence[PendingIntervention], announced_ids: Set[str]
) -> list[PendingIntervention]:
    """Return one intervention for each domain without an announced one."""
    known_domains = {
        intervention.domain for intervention in interventions if intervention.id in announced_ids
    }
    return list(
        {
            intervention.domain: intervention
            for intervention in interventions
            if intervention.domain not in known_domains
        }.values()
    )
