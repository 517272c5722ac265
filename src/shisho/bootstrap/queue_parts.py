"""The parts that the queue is built from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shisho.bootstrap.web import WebAccess, build_consent
from shisho.domain.inquiry import Budget
from shisho.ports import Clock, Files, Ingester, Ledger, Originals, Quotas, SessionBook, Shelf, Storage
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher
    from shisho.services.access import CorpusAccess
    from shisho.services.conversing import ConversationDesk
    from shisho.services.embeddings import EmbeddingDesk
    from shisho.services.folders import FolderDesk
    from shisho.services.inquiries import LibrarianInquiries
    from shisho.services.search_jobs import Judge
    from shisho.services.session_parts import SentenceChecks
    from shisho.services.sharing import SharedReading
    from shisho.system.consent import ConsentFile


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a desk that are built before its queue."""

    settings: Settings
    storage: Storage
    clock: Clock
    owner: str
    access: CorpusAccess
    shared: SharedReading
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
    assistants: SessionBook
    checks: SentenceChecks
    quotas: Quotas

    def consent(self, owner: str) -> ConsentFile:
        """Return this person's consent to send their words to the web."""
        return build_consent(self.settings, self.web, self.clock, owner)
