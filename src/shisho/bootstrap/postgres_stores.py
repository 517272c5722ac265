"""The stores of a library in one PostgreSQL database, shared by any number of machines.

Data of one machine only, such as its workers and its folders, is in its home.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.deferred import defer
from shisho.bootstrap.sql_stores import SqlStores
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
from shisho.stores.postgres.queries import PostgresQueryStore
from shisho.stores.postgres.sessions import PostgresSessions
from shisho.stores.postgres.shelf import PostgresShelf
from shisho.stores.postgres.storage import PostgresStorage

if TYPE_CHECKING:
    from shisho.bootstrap.embedder import BuiltEmbedders
    from shisho.domain.embedding import EmbedderAbout
    from shisho.ports import (
        Blobs,
        Clock,
        EmbeddingStore,
        FolderRegister,
        FollowerTurn,
        Grants,
        Index,
        MeasuredIndex,
        Opinions,
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
    shared = SqlStores(PostgresQueryStore(database), clock)
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
        conversations=defer(lambda: shared.conversations),
        assistants=defer(lambda: shared.assistants),
        folders=defer(partial(_folders, database, clock)),
        users=defer(lambda: shared.users),
        grants=defer(partial(_grants, database, clock)),
        audit=defer(lambda: shared.audit),
        quotas=defer(lambda: shared.quotas),
        shares=defer(lambda: shared.shares),
        limiter=defer(lambda: shared.limiter),
        follower_turn=defer(partial(_follower_turn, settings)),
        embedding_turn=defer(partial(_embedding_turn, database)),
        embeddings=partial(_embeddings, database, embedders),
        queue=cache(partial(_queue, settings, database, clock, shared, opinions, blobs)),
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


def _grants(database: PostgresDatabase, clock: Clock) -> Grants:
    from shisho.stores.postgres.grants import PostgresGrants

    return PostgresGrants(database, clock)


async def _erase_all(database: PostgresDatabase, pages: PageStores, index: Index) -> bool:
    """Erase purged data from every store that has copies."""
    await pages.originals.erase_purged()
    await pages.images.erase_purged()
    await index.catch_up()
    return await erase_rows(database)


def _folders(database: PostgresDatabase, clock: Clock) -> FolderRegister:
    from shisho.stores.postgres.folders import PostgresFolders

    return PostgresFolders(database, clock)


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
    settings: Settings,
    database: PostgresDatabase,
    clock: Clock,
    shared: SqlStores,
    opinions: Opinions,
    blobs: Blobs,
) -> QueueStores:
    from shisho.stores.postgres.bell import PostgresBell
    from shisho.stores.postgres.cache import PostgresCache
    from shisho.stores.postgres.finds import PostgresUrls
    from shisho.stores.postgres.jobs import PostgresJobs, build_postgres_transactions
    from shisho.stores.postgres.presence import PostgresPresence

    bell = PostgresBell(database)
    transactions = build_postgres_transactions(database, clock, bell)
    jobs = PostgresJobs(database, clock, bell)
    presence = PostgresPresence(database, settings.home / "workers")
    finds = PostgresUrls(database, clock)
    pages = PostgresCache(database, clock)
    return shared.build_queue(transactions, jobs, bell, presence, blobs, opinions, finds, finds, pages)
