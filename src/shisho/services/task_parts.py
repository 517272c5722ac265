"""The dependencies of the task verbs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shisho.domain.inquiry import Answer, Budget
from shisho.domain.intervention import (
    HumanChallenge,
)
from shisho.domain.job import (
    TaskId,
    TaskNews,
)
from shisho.domain.requirements import Requirements
from shisho.domain.task import (
    EngineStatus,
    OutgoingQueries,
    WebConsent,
)
from shisho.ports import (
    Files,
    Interventions,
    JobStore,
    Ledger,
    Opinions,
    Originals,
    Reports,
    Shelf,
    Staging,
    TaskStore,
)
from shisho.services.access import CorpusAccess
from shisho.services.intake import NamePage
from shisho.services.sharing import SharedReading

if TYPE_CHECKING:
    from shisho.services.conversing import ConversationDesk


class Watch(Protocol):
    """Returns the task when its revision is not `since`, or after the timeout."""

    async def __call__(self, task_id: TaskId, since: int | None, seconds: float) -> TaskNews: ...


class Consent(Protocol):
    """The user's consent to web searches."""

    def state(self) -> WebConsent: ...

    def read_since(self) -> str:
        """Return the time of the choice; "" if there is none, or a setting decides."""

    def keep(self, consent: WebConsent) -> None:
        """Store a yes or a no; NOT_ASKED deletes both."""


class OutgoingPreview(Protocol):
    """A preview of outgoing queries and their recipients."""

    async def preview_question(self, question: str, required: Requirements) -> OutgoingQueries: ...

    async def preview_queries(self, *queries: str) -> OutgoingQueries: ...


@dataclass(frozen=True, slots=True)
class TaskParts:
    """The dependencies of the task verbs."""

    owner: str
    access: CorpusAccess
    shared: SharedReading
    tasks: TaskStore
    jobs: JobStore
    interventions: Interventions
    reports: Reports
    opinions: Opinions
    shelf: Shelf
    ledger: Ledger
    conversations: ConversationDesk
    disk: Files
    staging: Staging
    originals: Originals
    roots: tuple[Path, ...]
    watch: Watch
    estimate: Callable[[Mapping[str, int]], Awaitable[float]]
    budget: Budget
    """The configured budget of one question."""
    check: Callable[[str, Requirements], None]
    """Raises InvalidParams for an invalid question or invalid requirements."""
    name_page: NamePage
    engines: Callable[[], Awaitable[Sequence[EngineStatus]]]
    make_id: Callable[[], str]
    mend: Callable[[str], Awaitable[None]]
    window: Callable[[HumanChallenge], Awaitable[bool]]
    consent: Consent
    outgoing: OutgoingPreview
    lend: Callable[[str], None]
    """Assigns the borrowed model, if there is one, to a run that is about to begin."""
    cut_short: Callable[[str], Awaitable[Answer]]
    """Returns the saved partial answer of a run. Raises NotFound for one that has not begun."""
