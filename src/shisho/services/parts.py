"""The desk's dependencies other than ports: the ranking, the librarian, a worker in its own event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shisho.domain.corpus import Check, DocumentId, RankedPassage, Scope, SearchRequest
from shisho.domain.figures import LibraryFigures
from shisho.domain.find import ExcludedSources
from shisho.domain.inquiry import Answer, Budget
from shisho.domain.requirements import Requirements
from shisho.domain.setting import SettingValue
from shisho.ports import BorrowedModel, Files, Ingester, Ledger, Notifier, PreparedInquiry, Shelf, Storage
from shisho.services.access import CorpusAccess
from shisho.services.callbacks import Notify, Stop

if TYPE_CHECKING:
    from shisho.services.answers import AnswerDesk
    from shisho.services.conversing import ConversationDesk
    from shisho.services.embeddings import EmbeddingDesk
    from shisho.services.exporting import ExportDesk
    from shisho.services.folders import FolderDesk
    from shisho.services.modelling import ModelDesk
    from shisho.services.proving import ProofDesk
    from shisho.services.references import ReferenceDesk
    from shisho.services.sessions import Sessions
    from shisho.services.tasks import TaskDesk
    from shisho.services.team import TeamDesk
    from shisho.services.viewing import ViewerDesk


class Rankings(Protocol):
    """A ranking of passages for a request outside a session."""

    async def rank_top(
        self, request: SearchRequest, scope: Scope, limit: int | None = None, room_tokens: int = ...
    ) -> Sequence[RankedPassage]: ...

    async def rank(self, request: SearchRequest, scope: Scope, depth: int) -> Sequence[RankedPassage]: ...

    async def rank_documents(
        self, request: SearchRequest, scope: Scope, depth: int
    ) -> Sequence[DocumentId]: ...


class Inquiries(Protocol):
    """A runner of the librarian's loop."""

    def check(self, question: str, required: Requirements = ...) -> None:
        """Raise InvalidParams for a question that can't be asked, and for requirements that can't be met."""

    async def run(self, run_id: str, notify: Notify, stop: Stop) -> Answer:
        """Begin or resume the run with this id."""

    async def prepare(self, run_id: str, notify: Notify, stop: Stop) -> PreparedInquiry:
        """Return the run for a caller that executes the table of nodes itself."""

    def lend(self, model: BorrowedModel) -> AbstractContextManager[bool]:
        """Let runs that begin inside the block use this model; yields False if a model is configured."""

    def assign(self, run_id: str) -> None:
        """Let a run that begins here use the borrowed model, if there is one."""

    async def replay(self, run_id: str, answer: Answer) -> Answer:
        """Recompute the answer from the inputs that the run had.

        Raises: NotFound if these are no longer stored, SourceRemoved after a purge.
        """


class InlineWorker(Protocol):
    """A worker that runs jobs in this event loop during a block, `slots` at once (None: as configured).

    `notifier` is notified of challenges for a person.
    """

    def __call__(
        self, slots: int | None = None, notifier: Notifier | None = None
    ) -> AbstractAsyncContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class DeskParts:
    """The dependencies of a desk's verbs."""

    owner: str
    access: CorpusAccess
    team: TeamDesk
    shelf: Shelf
    ledger: Ledger
    files: Files
    ingest: Ingester
    folders: FolderDesk
    references: ReferenceDesk
    embeddings: EmbeddingDesk
    viewer: ViewerDesk
    proofs: ProofDesk
    exports: ExportDesk
    models: ModelDesk
    rankings: Rankings
    inquiries: Inquiries
    budget: Budget
    tasks: TaskDesk
    conversations: ConversationDesk
    sessions: Sessions
    answers: AnswerDesk
    working: InlineWorker
    new_run: Callable[[], str]
    tokens: Callable[[str], int]
    settings: Callable[[], Sequence[SettingValue]]
    checks: Callable[[], Awaitable[Sequence[Check]]]
    storage: Storage
    figures: Callable[[], Awaitable[LibraryFigures]]
    close: Callable[[], Awaitable[None]]
    left_out: Callable[[str], Awaitable[ExcludedSources]]
    for_owner: Callable[[str], DeskParts]
