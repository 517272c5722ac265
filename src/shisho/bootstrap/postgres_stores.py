"""The stores of a library in one PostgreSQL database, shared by any number of machines.

Data of one machine only, such as its workers and its folders, is in its home.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.deferred import defer
from shisho.bootstrap.sql_stores import SqlStores
from shisho.bootstrap.store_parts import LibraryStores, MakeClock, PageStores
from shisho.settings import Settings
from shisho.stores.originals import BlobOriginals, BlobPageImages
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.purge import erase_rows
from shisho.stores.postgres.shelf import PostgresShelf
from shisho.stores.postgres.storage import PostgresStorage, check_database

if TYPE_CHECKING:
    from shisho.bootstrap.embedder import BuiltEmbedders
    from shisho.domain.embedding import EmbedderAbout
    from shisho.ports import (
        Blobs,
        Clock,
        EmbeddingStore,
        FollowerTurn,
        Index,
        MeasuredIndex,
    )
    from shisho.services.stores import QueueStores

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
    shared = SqlStores(PostgresQueryStore(database), clock)
    blobs = build_blobs(settings)
    pages = PageStores(BlobOriginals(blobs, shared.have_text), BlobPageImages(blobs, shared.have_text))
    return LibraryStores(
        storage=PostgresStorage(database, blobs),
        clock=clock,
        index=index,
        shelf=PostgresShelf(database, clock, partial(_erase_all, database, pages, index)),
        pages=pages,
        ledger=shared.ledger,
        opinions=shared.opinions,
        sessions=shared.sessions,
        conversations=defer(lambda: shared.conversations),
        assistants=defer(lambda: shared.assistants),
        folders=defer(lambda: shared.folders),
        users=defer(lambda: shared.users),
        grants=defer(lambda: shared.grants),
        audit=defer(lambda: shared.audit),
        quotas=defer(lambda: shared.quotas),
        shares=defer(lambda: shared.shares),
        limiter=defer(lambda: shared.limiter),
        follower_turn=defer(partial(_follower_turn, settings)),
        embedding_turn=defer(partial(_embedding_turn, database)),
        embeddings=partial(_embeddings, database, embedders),
        queue=cache(partial(_queue, settings, database, clock, shared, blobs)),
        figures=shared.build_figures(index.count_behind),
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


async def _erase_all(database: PostgresDatabase, pages: PageStores, index: Index) -> bool:
    """Erase purged data from every store that has copies."""
    await pages.originals.erase_purged()
    await pages.images.erase_purged()
    await index.catch_up()
    return await erase_rows(database)


def _follower_turn(settings: Settings) -> FollowerTurn:
    from shisho.system.turn import FileTurn

    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return FileTurn(settings.home / FOLLOWER)


def _embedding_turn(database: PostgresDatabase) -> FollowerTurn:
    from shisho.stores.postgres.connect import PostgresTurn

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
    blobs: Blobs,
) -> QueueStores:
    from shisho.stores.postgres.bell import PostgresBell
    from shisho.stores.postgres.jobs import PostgresJobs, build_postgres_transactions
    from shisho.stores.postgres.presence import PostgresPresence

    bell = PostgresBell(database)
    transactions = build_postgres_transactions(database, clock, bell)
    jobs = PostgresJobs(database, clock, bell)
    presence = PostgresPresence(database, settings.home / "workers")
    return shared.build_queue(transactions, jobs, bell, presence, blobs)
