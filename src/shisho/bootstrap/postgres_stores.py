"""The stores of a library in one PostgreSQL database, shared by any number of machines.

Data of one machine only, such as its workers and its folders, is in its home.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.deferred import defer
from shisho.bootstrap.store_parts import LibraryStores, MakeClock, PageStores, QueueStores
from shisho.settings import Settings
from shisho.stores.originals import BlobOriginals, BlobPageImages
from shisho.stores.postgres.checking import check_database
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.figures import PostgresFigures
from shisho.stores.postgres.ledger import PostgresLedger
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.opinions import PostgresOpinions
from shisho.stores.postgres.originals import have_text
from shisho.stores.postgres.purge import erase_rows
from shisho.stores.postgres.sessions import PostgresSessions
from shisho.stores.postgres.shelf import PostgresShelf
from shisho.stores.postgres.storage import PostgresStorage

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
        Index,
        Limiter,
        MeasuredIndex,
        Opinions,
        Quotas,
        SessionBook,
        TaskShares,
        Users,
    )

FOLLOWER = "postgres.follower"  # locked by the one process of this machine that watches its folders
EMBEDDING = (
    "shisho embedding"  # advisory lock of the one process, on any machine, that embeds in the background
)


def build_postgres_stores(
    settings: Settings, embedders: BuiltEmbedders | None, make_clock: MakeClock
) -> LibraryStores:
    """Build the stores; see `build_stores`."""
    database = PostgresDatabase(settings.text("store"))
    clock = make_clock(database.line)
    index = _index(settings, database, embedders)
    blobs = build_blobs(settings)
    texts = partial(have_text, database)
    pages = PageStores(BlobOriginals(blobs, texts), BlobPageImages(blobs, texts))
    opinions = PostgresOpinions(database, clock)
    return LibraryStores(
        storage=PostgresStorage(database, blobs),
        clock=clock,
        index=index,
        shelf=PostgresShelf(database, clock, partial(_erase_all, database, pages, index)),
        pages=pages,
        ledger=PostgresLedger(database, clock),
        opinions=opinions,
        sessions=PostgresSessions(database),
        conversations=defer(partial(_conversations, database, clock)),
        assistants=defer(partial(_assistants, database, clock)),
        folders=defer(partial(_folders, database, clock)),
        users=defer(partial(_users, database, clock)),
        grants=defer(partial(_grants, database, clock)),
        audit=defer(partial(_audit, database, clock)),
        quotas=defer(partial(_quotas, database, clock)),
        shares=defer(partial(_shares, database, clock)),
        limiter=defer(partial(_limiter, database, clock)),
        follower_turn=defer(partial(_follower_turn, settings)),
        embedding_turn=defer(partial(_embedding_turn, database)),
        embeddings=partial(_embeddings, database, embedders),
        queue=cache(partial(_queue, settings, database, clock, opinions, blobs)),
        figures=PostgresFigures(database, clock, index.count_behind).read,
        check=partial(check_database, database),
        close=partial(_close, index, database),
    )


async def _close(index: MeasuredIndex, database: PostgresDatabase) -> None:
    await index.close()
    await database.close()


def _index(settings: Settings, database: PostgresDatabase, embedders: BuiltEmbedders | None) -> MeasuredIndex:
    from shisho.stores.postgres.serving import PostgresServing

    def is_usable(other: EmbedderAbout) -> bool:
        return embedders is not None and embedders.find(other) is not None

    serving = None if embedders is None else PostgresServing(database, embedders.current.about, is_usable)
    if settings.text("index"):
        from shisho.bootstrap.outer_index import build_outer_index
        from shisho.stores.postgres.index_feed import PostgresIndexFeed

        return build_outer_index(settings, PostgresIndexFeed(database, serving))
    return PostgresIndex(database, serving)


def _users(database: PostgresDatabase, clock: Clock) -> Users:
    from shisho.stores.postgres.queries import PostgresQueryStore
    from shisho.stores.users import StoredUsers

    return StoredUsers(PostgresQueryStore(database), clock)


def _quotas(database: PostgresDatabase, clock: Clock) -> Quotas:
    from shisho.stores.postgres.queries import PostgresQueryStore
    from shisho.stores.quotas import StoredQuotas

    return StoredQuotas(PostgresQueryStore(database), clock)


def _shares(database: PostgresDatabase, clock: Clock) -> TaskShares:
    from shisho.stores.postgres.queries import PostgresQueryStore
    from shisho.stores.task_shares import StoredTaskShares

    return StoredTaskShares(PostgresQueryStore(database), clock)


def _audit(database: PostgresDatabase, clock: Clock) -> AuditLog:
    from shisho.stores.audit import StoredAudit
    from shisho.stores.postgres.queries import PostgresQueryStore

    return StoredAudit(PostgresQueryStore(database), clock)


def _grants(database: PostgresDatabase, clock: Clock) -> Grants:
    from shisho.stores.postgres.grants import PostgresGrants

    return PostgresGrants(database, clock)


async def _erase_all(database: PostgresDatabase, pages: PageStores, index: Index) -> bool:
    """Erase purged data from every store that has copies."""
    await pages.originals.erase_purged()
    await pages.images.erase_purged()
    await index.catch_up()
    return await erase_rows(database)


def _conversations(database: PostgresDatabase, clock: Clock) -> Conversations:
    from shisho.stores.postgres.conversations import PostgresConversations

    return PostgresConversations(database, clock)


def _assistants(database: PostgresDatabase, clock: Clock) -> SessionBook:
    from shisho.stores.postgres.assistants import PostgresAssistants
    from shisho.web.http.site import find_registered_domain

    return PostgresAssistants(database, clock, find_registered_domain)


def _folders(database: PostgresDatabase, clock: Clock) -> FolderRegister:
    from shisho.stores.postgres.folders import PostgresFolders

    return PostgresFolders(database, clock)


def _limiter(database: PostgresDatabase, clock: Clock) -> Limiter:
    from shisho.stores.postgres.limiter import PostgresLimiter

    return PostgresLimiter(database, clock)


def _follower_turn(settings: Settings) -> FollowerTurn:
    from shisho.system.turn import FileTurn

    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return FileTurn(settings.home / FOLLOWER)


def _embedding_turn(database: PostgresDatabase) -> FollowerTurn:
    from shisho.stores.postgres.turn import PostgresTurn

    return PostgresTurn(database, EMBEDDING)


def _embeddings(database: PostgresDatabase, embedders: BuiltEmbedders | None) -> EmbeddingStore:
    from shisho.stores.postgres.embeddings import PostgresEmbeddings

    assert embedders is not None
    return PostgresEmbeddings(database, embedders.current.about)


def _queue(
    settings: Settings, database: PostgresDatabase, clock: Clock, opinions: Opinions, blobs: Blobs
) -> QueueStores:
    """Build the queue stores of all owners: they share the workers and their notifications."""
    from shisho.bootstrap.web import Manners
    from shisho.stores.postgres.bell import PostgresBell
    from shisho.stores.postgres.cache import PostgresCache
    from shisho.stores.postgres.finds import PostgresUrls
    from shisho.stores.postgres.health import PostgresHealth
    from shisho.stores.postgres.interventions import PostgresInterventions
    from shisho.stores.postgres.jobs import PostgresJobs
    from shisho.stores.postgres.limiter import PostgresLimiter
    from shisho.stores.postgres.presence import PostgresPresence
    from shisho.stores.postgres.tasks import PostgresTasks
    from shisho.stores.staging import BlobStaging

    bell = PostgresBell(database)
    interventions = PostgresInterventions(database, clock, bell)
    limiter = PostgresLimiter(database, clock)
    health = PostgresHealth(database, clock)
    finds = PostgresUrls(database, clock)
    return QueueStores(
        bell=bell,
        jobs=PostgresJobs(database, clock, bell),
        interventions=interventions,
        tasks=PostgresTasks(database, clock, bell),
        finds=finds,
        reports=finds,
        opinions=opinions,
        staging=BlobStaging(blobs),
        presence=PostgresPresence(database, settings.home / "workers"),
        manners=Manners(limiter, health, PostgresCache(database, clock), interventions, clock),
    )
