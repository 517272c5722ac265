"""The stores of a library that are the same over both databases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from shisho.ports import Clock, MeasuredIndex, Originals, PageImages, Shelf, Storage
from shisho.records import dataclass
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.domain.corpus import Check
    from shisho.domain.embedding import EmbedderAbout
    from shisho.domain.library import LibraryMetrics
    from shisho.ports import (
        AuditLog,
        Blobs,
        ChangeNotifier,
        ConversationStore,
        EmbeddingStore,
        FolderRegister,
        FollowerTurn,
        Grants,
        JobStore,
        Ledger,
        Limiter,
        Opinions,
        Presence,
        Quotas,
        SessionLog,
        SessionStore,
        TaskShares,
        Users,
    )
    from shisho.services.stores import QueueStores
    from shisho.stores.indexing import IndexFeed
    from shisho.stores.sql import QueryStore
    from shisho.stores.sql.transitions import Transactions

MakeClock = Callable[[Callable[[], float]], Clock]


@dataclass(frozen=True, slots=True)
class PageStores:
    """The files that pages are drawn from, and the drawn images."""

    originals: Originals
    images: PageImages


class LibraryStores(ABC):
    """The stores of one library over one database.

    `erase` removes deleted rows from the database's log.
    """

    storage: Storage
    index: MeasuredIndex
    shelf: Shelf
    pages: PageStores

    def __init__(
        self, store: QueryStore, clock: Clock, erase: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        self.store = store
        self.clock = clock
        self._erase = erase

    @cached_property
    def ledger(self) -> Ledger:
        from shisho.stores.sql.ledger import StoredLedger

        return StoredLedger(self.store, self.clock)

    @cached_property
    def opinions(self) -> Opinions:
        from shisho.stores.sql.opinions import StoredOpinions

        return StoredOpinions(self.store, self.clock)

    @cached_property
    def sessions(self) -> SessionLog:
        from shisho.stores.sql.sessions import StoredSessions

        return StoredSessions(self.store)

    @cached_property
    def grants(self) -> Grants:
        from shisho.stores.sql.grants import StoredGrants

        return StoredGrants(self.store, self.clock)

    @cached_property
    def folders(self) -> FolderRegister:
        from shisho.stores.sql.folders import StoredFolders

        return StoredFolders(self.store, self.clock)

    async def have_text(self, hashes: Sequence[str]) -> Mapping[str, bool]:
        """Select the hashes that any document has, and whether it has its text or is being added."""
        from shisho.stores.originals import have_text

        return await have_text(self.store, hashes)

    async def read_figures(self) -> LibraryMetrics:
        """Return the counts of the library for /metrics."""
        from shisho.stores.sql.figures import StoredFigures

        return await StoredFigures(self.store, self.clock, self.index.count_behind).read()

    @cached_property
    def conversations(self) -> ConversationStore:
        from shisho.stores.sql.conversations import StoredConversations

        return StoredConversations(self.store, self.clock, self._erase)

    @cached_property
    def assistants(self) -> SessionStore:
        from shisho.stores.sql.assistants import StoredAssistants
        from shisho.web.http.url import find_registered_domain

        return StoredAssistants(self.store, self.clock, find_registered_domain)

    @cached_property
    def users(self) -> Users:
        from shisho.stores.sql.users import StoredUsers

        return StoredUsers(self.store, self.clock)

    @cached_property
    def audit(self) -> AuditLog:
        from shisho.stores.sql.audit import StoredAudit

        return StoredAudit(self.store, self.clock)

    @cached_property
    def quotas(self) -> Quotas:
        from shisho.stores.sql.quotas import StoredQuotas

        return StoredQuotas(self.store, self.clock)

    @cached_property
    def shares(self) -> TaskShares:
        from shisho.stores.sql.task_shares import StoredTaskShares

        return StoredTaskShares(self.store, self.clock)

    @cached_property
    def limiter(self) -> Limiter:
        from shisho.stores.sql.limiter import StoredLimiter

        return StoredLimiter(self.store, self.clock)

    @property
    @abstractmethod
    def follower_turn(self) -> FollowerTurn:
        """The lock of the one process that watches the folders."""

    @property
    @abstractmethod
    def embedding_turn(self) -> FollowerTurn:
        """The lock of the one process that embeds in the background."""

    @property
    @abstractmethod
    def queue(self) -> QueueStores:
        """The queue's stores, for all owners: they share the workers and their notifications."""

    @abstractmethod
    def build_embeddings(self, about: EmbedderAbout) -> EmbeddingStore:
        """Build the store of this embedder's vectors."""

    @abstractmethod
    async def check(self) -> Check:
        """Check the database for `shisho doctor`."""

    @abstractmethod
    async def close(self) -> None:
        """Close everything that was opened, the storage last."""

    def build_queue(
        self,
        transactions: Transactions,
        jobs: JobStore,
        notifier: ChangeNotifier,
        presence: Presence,
        blobs: Blobs,
    ) -> QueueStores:
        """Build the queue stores of all owners: they share the workers and their notifications."""
        from shisho.services.stores import QueueStores, RateLimits
        from shisho.stores.sql.cache import StoredCache
        from shisho.stores.sql.finds import StoredUrls
        from shisho.stores.sql.health import StoredHealth
        from shisho.stores.sql.interventions import StoredInterventions
        from shisho.stores.sql.tasks import StoredTasks
        from shisho.stores.staging import BlobStaging

        interventions = StoredInterventions(transactions)
        health = StoredHealth(self.store, self.clock)
        pages = StoredCache(self.store, self.clock)
        finds = StoredUrls(self.store, self.clock)
        return QueueStores(
            notifier=notifier,
            jobs=jobs,
            interventions=interventions,
            tasks=StoredTasks(transactions),
            finds=finds,
            reports=finds,
            staging=BlobStaging(blobs),
            presence=presence,
            rate_limits=RateLimits(self.limiter, health, pages, interventions, self.clock),
        )


def build_outer_index(settings: Settings, feed: IndexFeed) -> MeasuredIndex:
    """Build the index of the setting over the rows of `feed`. Connects at the first search."""
    from shisho.stores.qdrant.index import QdrantIndex
    from shisho.stores.qdrant.server import QdrantServer

    return QdrantIndex(QdrantServer(settings.read_text("index"), settings.read_text("index_key")), feed)
