"""The stores of a library in one SQLite file of the home and folders next to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.deferred import defer
from shisho.bootstrap.store_parts import LibraryStores, MakeClock, PageStores, QueueStores
from shisho.settings import Settings
from shisho.stores.embedded.checking import check_database
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.erasure import Erasure
from shisho.stores.embedded.figures import EmbeddedFigures
from shisho.stores.embedded.ledger import EmbeddedLedger
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.opinions import EmbeddedOpinions
from shisho.stores.embedded.originals import have_text
from shisho.stores.embedded.sessions import EmbeddedSessions
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.originals import BlobOriginals, BlobPageImages

if TYPE_CHECKING:
    from shisho.bootstrap.embedder import BuiltEmbedders
    from shisho.domain.embedding import EmbedderAbout
    from shisho.ports import (
        AuditLog,
        Blobs,
        Clock,
        Conversations,
        EmbeddingStore,
        FolderRegister,
        FollowerTurn,
        Grants,
        Limiter,
        MeasuredIndex,
        Opinions,
        Quotas,
        SessionBook,
        TaskShares,
        Users,
    )

DATABASE = "shisho.db"
EMBEDDING = "shisho.db.embedding"  # locked by the one process that embeds in the background
FOLLOWER = "shisho.db.follower"  # locked by the one process that watches the folders

FILES_FROM = 5_000  # vectors: fewer are read from the database in some 20 ms, and need no files


def build_embedded_stores(
    settings: Settings, embedders: BuiltEmbedders | None, make_clock: MakeClock
) -> LibraryStores:
    """Build the stores; see `build_stores`."""
    database = Database(settings.home / DATABASE)
    clock = make_clock(database.line)
    index = _index(settings, database, embedders)
    erasure = Erasure(settings.home / DATABASE, index)
    blobs = build_blobs(settings)
    texts = partial(have_text, database)
    pages = PageStores(BlobOriginals(blobs, texts), BlobPageImages(blobs, texts))
    opinions = EmbeddedOpinions(database, clock)
    return LibraryStores(
        storage=database,
        clock=clock,
        index=index,
        shelf=EmbeddedShelf(database, clock, partial(_erase_all, pages, erasure)),
        pages=pages,
        ledger=EmbeddedLedger(database, clock),
        opinions=opinions,
        sessions=EmbeddedSessions(database),
        conversations=defer(partial(_conversations, database, clock, erasure.erase)),
        users=defer(partial(_users, database, clock)),
        grants=defer(partial(_grants, database, clock)),
        audit=defer(partial(_audit, database, clock)),
        quotas=defer(partial(_quotas, database, clock)),
        shares=defer(partial(_shares, database, clock)),
        assistants=defer(partial(_assistants, database, clock)),
        folders=defer(partial(_folders, database, clock)),
        limiter=defer(partial(_limiter, database, clock)),
        follower_turn=defer(partial(_turn, settings, FOLLOWER)),
        embedding_turn=defer(partial(_turn, settings, EMBEDDING)),
        embeddings=partial(_embeddings, database, embedders),
        queue=cache(partial(_queue, settings, database, clock, opinions, blobs)),
        figures=EmbeddedFigures(database, clock, index.count_behind).read,
        check=partial(check_database, database),
        close=partial(_close, erasure, index, database),
    )


def _index(settings: Settings, database: Database, embedders: BuiltEmbedders | None) -> MeasuredIndex:
    from shisho.stores.embedded.serving import ServingIndex

    about = None if embedders is None else embedders.current.about

    def is_usable(other: EmbedderAbout) -> bool:
        return embedders is not None and embedders.find(other) is not None

    if settings.text("index"):
        from shisho.bootstrap.outer_index import build_outer_index
        from shisho.stores.embedded.index_feed import EmbeddedIndexFeed

        return build_outer_index(settings, EmbeddedIndexFeed(database, about, is_usable))
    folder = settings.home / "vectors"
    dense = None if about is None else ServingIndex(folder, database, about, is_usable, FILES_FROM)
    return LexicalIndex(settings.home / "lexical", database, dense)


async def _erase_all(pages: PageStores, erasure: Erasure) -> bool:
    """Erase purged data from every store that has copies.

    Returns False if a reader blocks the truncation of the database's log.
    """
    await pages.originals.erase_purged()
    await pages.images.erase_purged()
    return await erasure.erase()


async def _close(erasure: Erasure, index: MeasuredIndex, database: Database) -> None:
    await erasure.close()
    await index.close()
    await database.close()


def _conversations(database: Database, clock: Clock, erase: Callable[[], Awaitable[bool]]) -> Conversations:
    from shisho.stores.embedded.conversations import EmbeddedConversations

    return EmbeddedConversations(database, clock, erase)


def _assistants(database: Database, clock: Clock) -> SessionBook:
    from shisho.stores.embedded.assistants import EmbeddedAssistants
    from shisho.web.http.site import find_registered_domain

    return EmbeddedAssistants(database, clock, find_registered_domain)


def _folders(database: Database, clock: Clock) -> FolderRegister:
    from shisho.stores.embedded.folders import EmbeddedFolders

    return EmbeddedFolders(database, clock)


def _users(database: Database, clock: Clock) -> Users:
    from shisho.stores.embedded.queries import EmbeddedQueryStore
    from shisho.stores.users import StoredUsers

    return StoredUsers(EmbeddedQueryStore(database), clock)


def _quotas(database: Database, clock: Clock) -> Quotas:
    from shisho.stores.embedded.queries import EmbeddedQueryStore
    from shisho.stores.quotas import StoredQuotas

    return StoredQuotas(EmbeddedQueryStore(database), clock)


def _shares(database: Database, clock: Clock) -> TaskShares:
    from shisho.stores.embedded.queries import EmbeddedQueryStore
    from shisho.stores.task_shares import StoredTaskShares

    return StoredTaskShares(EmbeddedQueryStore(database), clock)


def _audit(database: Database, clock: Clock) -> AuditLog:
    from shisho.stores.audit import StoredAudit
    from shisho.stores.embedded.queries import EmbeddedQueryStore

    return StoredAudit(EmbeddedQueryStore(database), clock)


def _grants(database: Database, clock: Clock) -> Grants:
    from shisho.stores.embedded.grants import EmbeddedGrants

    return EmbeddedGrants(database, clock)


def _limiter(database: Database, clock: Clock) -> Limiter:
    from shisho.stores.embedded.limiter import EmbeddedLimiter

    return EmbeddedLimiter(database, clock)


def _turn(settings: Settings, file: str) -> FollowerTurn:
    from shisho.system.turn import FileTurn

    return FileTurn(settings.home / file)


def _embeddings(database: Database, embedders: BuiltEmbedders | None) -> EmbeddingStore:
    from shisho.stores.embedded.embeddings import EmbeddedEmbeddings

    assert embedders is not None
    return EmbeddedEmbeddings(database, embedders.current.about)


def _queue(
    settings: Settings, database: Database, clock: Clock, opinions: Opinions, blobs: Blobs
) -> QueueStores:
    """Build the queue stores of all owners: they share the workers and their notifications."""
    from shisho.bootstrap.web import Manners
    from shisho.stores.embedded.bell import EmbeddedBell
    from shisho.stores.embedded.cache import EmbeddedCache
    from shisho.stores.embedded.finds import EmbeddedUrls
    from shisho.stores.embedded.health import EmbeddedHealth
    from shisho.stores.embedded.interventions import EmbeddedInterventions
    from shisho.stores.embedded.jobs import EmbeddedJobs
    from shisho.stores.embedded.limiter import EmbeddedLimiter
    from shisho.stores.embedded.tasks import EmbeddedTasks
    from shisho.stores.presence import FilePresence
    from shisho.stores.staging import BlobStaging

    bell = EmbeddedBell(database)
    interventions = EmbeddedInterventions(database, clock, bell)
    limiter = EmbeddedLimiter(database, clock)
    health = EmbeddedHealth(database, clock)
    finds = EmbeddedUrls(database, clock)
    return QueueStores(
        bell=bell,
        jobs=EmbeddedJobs(database, clock, bell),
        interventions=interventions,
        tasks=EmbeddedTasks(database, clock, bell),
        finds=finds,
        reports=finds,
        opinions=opinions,
        staging=BlobStaging(blobs),
        presence=FilePresence(settings.home / "workers"),
        manners=Manners(limiter, health, EmbeddedCache(database, clock), interventions, clock),
    )
