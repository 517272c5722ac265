"""The stores that are the same over both databases."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shisho.domain.figures import LibraryFigures
    from shisho.ports import (
        AuditLog,
        Bell,
        Blobs,
        Clock,
        ConversationStore,
        FolderRegister,
        Grants,
        JobStore,
        Ledger,
        Limiter,
        Opinions,
        Presence,
        Quotas,
        SessionBook,
        SessionLog,
        TaskShares,
        Users,
    )
    from shisho.services.stores import QueueStores
    from shisho.stores.sql.queries import QueryStore
    from shisho.stores.sql.transitions import Transactions


class SqlStores:
    """The stores over one database, each built at first use.

    `erase` removes deleted rows from the database's log.
    """

    def __init__(
        self, store: QueryStore, clock: Clock, erase: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        self.store = store
        self._clock = clock
        self._erase = erase

    @cached_property
    def ledger(self) -> Ledger:
        from shisho.stores.sql.ledger import StoredLedger

        return StoredLedger(self.store, self._clock)

    @cached_property
    def opinions(self) -> Opinions:
        from shisho.stores.sql.opinions import StoredOpinions

        return StoredOpinions(self.store, self._clock)

    @cached_property
    def sessions(self) -> SessionLog:
        from shisho.stores.sql.sessions import StoredSessions

        return StoredSessions(self.store)

    @cached_property
    def grants(self) -> Grants:
        from shisho.stores.sql.grants import StoredGrants

        return StoredGrants(self.store, self._clock)

    @cached_property
    def folders(self) -> FolderRegister:
        from shisho.stores.sql.folders import StoredFolders

        return StoredFolders(self.store, self._clock)

    async def have_text(self, hashes: Sequence[str]) -> Mapping[str, bool]:
        """Select the hashes that any document has, and whether it has its text or is being added."""
        from shisho.stores.originals import have_text

        return await have_text(self.store, hashes)

    def build_figures(self, behind: Callable[[], Awaitable[int]]) -> Callable[[], Awaitable[LibraryFigures]]:
        """Build the library's metrics; `behind` returns the number of unindexed changes."""
        from shisho.stores.sql.figures import StoredFigures

        return StoredFigures(self.store, self._clock, behind).read

    @cached_property
    def conversations(self) -> ConversationStore:
        from shisho.stores.sql.conversations import StoredConversations

        return StoredConversations(self.store, self._clock, self._erase)

    @cached_property
    def assistants(self) -> SessionBook:
        from shisho.stores.sql.assistants import StoredAssistants
        from shisho.web.http.site import find_registered_domain

        return StoredAssistants(self.store, self._clock, find_registered_domain)

    @cached_property
    def users(self) -> Users:
        from shisho.stores.sql.users import StoredUsers

        return StoredUsers(self.store, self._clock)

    @cached_property
    def audit(self) -> AuditLog:
        from shisho.stores.sql.audit import StoredAudit

        return StoredAudit(self.store, self._clock)

    @cached_property
    def quotas(self) -> Quotas:
        from shisho.stores.sql.quotas import StoredQuotas

        return StoredQuotas(self.store, self._clock)

    @cached_property
    def shares(self) -> TaskShares:
        from shisho.stores.sql.task_shares import StoredTaskShares

        return StoredTaskShares(self.store, self._clock)

    @cached_property
    def limiter(self) -> Limiter:
        from shisho.stores.sql.limiter import StoredLimiter

        return StoredLimiter(self.store, self._clock)

    def build_queue(
        self, transactions: Transactions, jobs: JobStore, bell: Bell, presence: Presence, blobs: Blobs
    ) -> QueueStores:
        """Build the queue stores of all owners: they share the workers and their notifications."""
        from shisho.services.stores import Manners, QueueStores
        from shisho.stores.sql.cache import StoredCache
        from shisho.stores.sql.finds import StoredUrls
        from shisho.stores.sql.health import StoredHealth
        from shisho.stores.sql.interventions import StoredInterventions
        from shisho.stores.sql.tasks import StoredTasks
        from shisho.stores.staging import BlobStaging

        interventions = StoredInterventions(transactions)
        health = StoredHealth(self.store, self._clock)
        pages = StoredCache(self.store, self._clock)
        finds = StoredUrls(self.store, self._clock)
        return QueueStores(
            bell=bell,
            jobs=jobs,
            interventions=interventions,
            tasks=StoredTasks(transactions),
            finds=finds,
            reports=finds,
            staging=BlobStaging(blobs),
            presence=presence,
            manners=Manners(self.limiter, health, pages, interventions, self._clock),
        )
