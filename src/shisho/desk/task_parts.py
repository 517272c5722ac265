"""The parts that the verbs of tasks are wired to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shisho.desk.access import CorpusAccess
from shisho.desk.intake import NamePage
from shisho.desk.sharing import SharedReading
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

if TYPE_CHECKING:
    from shisho.desk.conversing import ConversationDesk


class Watch(Protocol):
    """The task as soon as its revision is not `since`, or as it is after so many seconds."""

    async def __call__(self, task_id: TaskId, since: int | None, seconds: float) -> TaskNews: ...


class Consent(Protocol):
    """The person's consent to web searches."""

    def state(self) -> WebConsent: ...

    def read_since(self) -> str:
        """When they said it; "" where a setting decides, or nobody has."""

    def keep(self, consent: WebConsent) -> None:
        """Remember a yes or a no; NOT_ASKED forgets both."""


class OutgoingPreview(Protocol):
    """A preview of what would be sent, and to whom."""

    async def preview_question(self, question: str, required: Requirements) -> OutgoingQueries: ...

    async def preview_queries(self, *queries: str) -> OutgoingQueries: ...


@dataclass(frozen=True, slots=True)
class TaskParts:
    """The parts that the verbs of tasks are wired to."""

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
    """Of one question, as it is set."""
    check: Callable[[str, Requirements], None]
    """Raises InvalidParams for a question that cannot be asked, or for its requirements."""
    name_page: NamePage
    engines: Callable[[], Awaitable[Sequence[EngineStatus]]]
    make_id: Callable[[], str]
    mend: Callable[[str], Awaitable[None]]
    window: Callable[[HumanChallenge], Awaitable[bool]]
    consent: Consent
    outgoing: OutgoingPreview
    lend: Callable[[str], None]
    """To a run that is about to begin, the model that is lent here, if one is."""
    cut_short: Callable[[str], Awaitable[Answer]]
    """The answer of what a run has come to, saved. Raises NotFound for one that has not begun."""
