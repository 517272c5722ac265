"""Protocols of everything that the application needs from outside, in verbs of the domain.

The implementations are in `stores/`, `system/`, `corpus/readers/` and `web/`; `bootstrap` connects them. No
method here speaks SQL or HTTP.
"""

from __future__ import annotations

from shisho.ports.conversations import ConversationStore, SessionStore
from shisho.ports.corpus import (
    Embedder,
    Embedders,
    EmbeddingStore,
    Index,
    Ingester,
    MeasuredIndex,
    Reader,
    Reranker,
    Searcher,
    SearchSession,
    SearchView,
    SessionLog,
    Shelf,
)
from shisho.ports.librarian import BorrowedModel, Ledger, Llm, Opinions, PreparedInquiry
from shisho.ports.queue import (
    ChangeNotifier,
    DiscoveredUrls,
    Interventions,
    JobStore,
    Notifier,
    Presence,
    Reports,
    Staging,
    Subscription,
    TaskStore,
)
from shisho.ports.storage import Blobs, Clock, Files, FolderRegister, FolderWatcher, FollowerTurn, Storage
from shisho.ports.team import AuditLog, Grants, Quotas, TaskShares, Users
from shisho.ports.viewing import Originals, PageImages, PageRenderer, ProofSigner, Typesetter
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
    "Blobs",
    "BorrowedModel",
    "Browser",
    "Cache",
    "ChangeNotifier",
    "Clock",
    "ConversationStore",
    "DiscoveredUrls",
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
    "SessionLog",
    "SessionStore",
    "Shelf",
    "Staging",
    "Storage",
    "Subscription",
    "TaskShares",
    "TaskStore",
    "Typesetter",
    "Users",
]
