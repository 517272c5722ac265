"""The stores of a library by their ports, for either database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shisho.ports import (
    AuditLog,
    Clock,
    ConversationStore,
    FolderRegister,
    Grants,
    Ledger,
    Limiter,
    MeasuredIndex,
    Opinions,
    Originals,
    PageImages,
    Quotas,
    SessionBook,
    SessionLog,
    Shelf,
    Storage,
    TaskShares,
    Users,
)

if TYPE_CHECKING:
    from shisho.domain.corpus import Check
    from shisho.domain.figures import LibraryFigures
    from shisho.ports import EmbeddingStore, FollowerTurn
    from shisho.services.stores import QueueStores

MakeClock = Callable[[Callable[[], float]], Clock]


@dataclass(frozen=True, slots=True)
class PageStores:
    """The files that pages are drawn from, and the drawn images."""

    originals: Originals
    images: PageImages


@dataclass(frozen=True, slots=True)
class LibraryStores:
    """The stores of one library over one `storage`.

    Parts that questions do not need are built at first use.
    """

    storage: Storage
    clock: Clock
    index: MeasuredIndex
    shelf: Shelf
    pages: PageStores
    ledger: Ledger
    opinions: Opinions
    sessions: SessionLog
    conversations: ConversationStore
    users: Users
    grants: Grants
    audit: AuditLog
    quotas: Quotas
    shares: TaskShares
    assistants: SessionBook
    folders: FolderRegister
    limiter: Limiter
    follower_turn: FollowerTurn
    embedding_turn: FollowerTurn
    embeddings: Callable[[], EmbeddingStore]
    """The vectors of the configured embedder."""
    queue: Callable[[], QueueStores]
    figures: Callable[[], Awaitable[LibraryFigures]]
    """The counts of the library for /metrics."""
    check: Callable[[], Awaitable[Check]]
    """Check the database for `shisho doctor`."""
    close: Callable[[], Awaitable[None]]
    """Close everything that was opened, the storage last."""
