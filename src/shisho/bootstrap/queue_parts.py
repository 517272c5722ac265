"""The parts that the queue's side of the wiring is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shisho.bootstrap.web import Manners, WebAccess, build_consent
from shisho.domain.inquiry import Budget
from shisho.ports import Clock, Files, Ingester, Ledger, Originals, Shelf
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher
    from shisho.desk.conversing import ConversationDesk
    from shisho.desk.embeddings import EmbeddingDesk
    from shisho.desk.folders import FolderDesk
    from shisho.handlers.inquiries import LibrarianInquiries
    from shisho.handlers.search import Judge
    from shisho.stores.embedded.bell import EmbeddedBell
    from shisho.stores.embedded.connect import Database
    from shisho.stores.embedded.finds import EmbeddedUrls
    from shisho.stores.embedded.interventions import EmbeddedInterventions
    from shisho.stores.embedded.jobs import EmbeddedJobs
    from shisho.stores.embedded.opinions import EmbeddedOpinions
    from shisho.stores.embedded.tasks import EmbeddedTasks
    from shisho.system.consent import ConsentFile
    from shisho.system.staging import FileStaging


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that a desk has made before its queue is wired."""

    settings: Settings
    database: Database
    clock: Clock
    owner: str
    shelf: Shelf
    ledger: Ledger
    files: Files
    originals: Originals
    ingest: Ingester
    inquiries: LibrarianInquiries
    searcher: CorpusSearcher
    budget: Budget
    judge: Judge
    web: WebAccess | None
    folders: FolderDesk
    conversations: ConversationDesk
    embeddings: EmbeddingDesk

    @property
    def consent(self) -> ConsentFile:
        """The consent that says whether words may go out."""
        return build_consent(self.settings, self.web, self.clock)


@dataclass(frozen=True, slots=True)
class Stores:
    """The queue's side of the database, and what stands beside it."""

    bell: EmbeddedBell
    jobs: EmbeddedJobs
    interventions: EmbeddedInterventions
    tasks: EmbeddedTasks
    finds: EmbeddedUrls
    opinions: EmbeddedOpinions
    staging: FileStaging
    manners: Manners
