"""Protocols of everything that the application needs from outside, in verbs of the domain.

The implementations are in `stores/`, `system/`, `corpus/readers/` and `web/`; `bootstrap` connects them. No
method here speaks SQL or HTTP.
"""

from __future__ import annotations

from shisho.ports.audit import AuditLog
from shisho.ports.blobs import Blobs
from shisho.ports.clock import Clock
from shisho.ports.conversations import ConversationStore
from shisho.ports.corpus import (
    Index,
    Ingester,
    MeasuredIndex,
    Reader,
    Searcher,
    SearchSession,
    SearchView,
    SessionLog,
    Shelf,
)
from shisho.ports.embedding import (
    Embedder,
    Embedders,
    EmbeddingStore,
    Reranker,
)
from shisho.ports.files import Files
from shisho.ports.folders import FolderRegister, FolderWatcher, FollowerTurn
from shisho.ports.interventions import Interventions, Notifier
from shisho.ports.librarian import Ledger, PreparedInquiry
from shisho.ports.model import BorrowedModel, Llm
from shisho.ports.opinions import Opinions
from shisho.ports.printing import Typesetter
from shisho.ports.proving import ProofSigner
from shisho.ports.queue import Bell, Ear, JobStore, Presence, TaskStore
from shisho.ports.sessions import SessionBook
from shisho.ports.staging import Staging
from shisho.ports.storage import Storage
from shisho.ports.team import Grants, Quotas, TaskShares, Users
from shisho.ports.urls import DiscoveredUrls, Reports
from shisho.ports.viewing import Originals, PageImages, PageRenderer, TextFinder
from shisho.ports.web import (
    Browser,
    Cache,
    Fetcher,
    Health,
    Limiter,
    Resolver,
    SerpEngine,
    SerpParser,
)

__all__ = [
    "AuditLog",
    "Bell",
    "Blobs",
    "BorrowedModel",
    "Browser",
    "Cache",
    "Clock",
    "ConversationStore",
    "DiscoveredUrls",
    "Ear",
    "Embedder",
    "Embedders",
    "EmbeddingStore",
    "Fetcher",
    "Files",
    "FolderRegister",
    "FolderWatcher",
    "FollowerTurn",
    "Grants",
    "Health",
    "Index",
    "Ingester",
    "Interventions",
    "JobStore",
    "Ledger",
    "Limiter",
    "Llm",
    "MeasuredIndex",
    "Notifier",
    "Opinions",
    "Originals",
    "PageImages",
    "PageRenderer",
    "PreparedInquiry",
    "Presence",
    "ProofSigner",
    "Quotas",
    "Reader",
    "Reports",
    "Reranker",
    "Resolver",
    "SearchSession",
    "SearchView",
    "Searcher",
    "SerpEngine",
    "SerpParser",
    "SessionBook",
    "SessionLog",
    "Shelf",
    "Staging",
    "Storage",
    "TaskShares",
    "TaskStore",
    "TextFinder",
    "Typesetter",
    "Users",
]
