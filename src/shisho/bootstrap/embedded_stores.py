"""The stores of a library in one SQLite file of the home and folders next to it."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.deferred import defer
from shisho.bootstrap.sql_stores import SqlStores
from shisho.bootstrap.store_parts import LibraryStores, MakeClock, PageStores
from shisho.settings import Settings
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore, check_database
from shisho.stores.embedded.erasure import Erasure
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.originals import BlobOriginals, BlobPageImages

if TYPE_CHECKING:
    from shisho.bootstrap.embedder import BuiltEmbedders
    from shisho.domain.embedding import EmbedderAbout
    from shisho.ports import (
        Blobs,
        Clock,
        EmbeddingStore,
        FollowerTurn,
        MeasuredIndex,
    )
    from shisho.services.stores import QueueStores

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
    shared = SqlStores(EmbeddedQueryStore(database), clock, erasure.erase)
    blobs = build_blobs(settings)
    pages = PageStores(BlobOriginals(blobs, shared.have_text), BlobPageImages(blobs, shared.have_text))
    return LibraryStores(
        storage=database,
        clock=clock,
        index=index,
        shelf=EmbeddedShelf(database, clock, partial(_erase_all, pages, erasure)),
        pages=pages,
        ledger=shared.ledger,
        opinions=shared.opinions,
        sessions=shared.sessions,
        conversations=defer(lambda: shared.conversations),
        users=defer(lambda: shared.users),
        grants=defer(lambda: shared.grants),
        audit=defer(lambda: shared.audit),
        quotas=defer(lambda: shared.quotas),
        shares=defer(lambda: shared.shares),
        assistants=defer(lambda: shared.assistants),
        folders=defer(lambda: shared.folders),
        limiter=defer(lambda: shared.limiter),
        follower_turn=defer(partial(_turn, settings, FOLLOWER)),
        embedding_turn=defer(partial(_turn, settings, EMBEDDING)),
        embeddings=partial(_embeddings, database, embedders),
        queue=cache(partial(_queue, settings, database, clock, shared, blobs)),
        figures=shared.build_figures(index.count_behind),
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


def _turn(settings: Settings, file: str) -> FollowerTurn:
    from shisho.system.turn import FileTurn

    return FileTurn(settings.home / file)


def _embeddings(database: Database, embedders: BuiltEmbedders | None) -> EmbeddingStore:
    from shisho.stores.embedded.embeddings import EmbeddedEmbeddings

    assert embedders is not None
    return EmbeddedEmbeddings(database, embedders.current.about)


def _queue(
    settings: Settings, database: Database, clock: Clock, shared: SqlStores, blobs: Blobs
) -> QueueStores:
    from shisho.stores.embedded.bell import EmbeddedBell
    from shisho.stores.presence import FilePresence
    from shisho.stores.sql.jobs import StoredJobs
    from shisho.stores.sql.transitions import Transactions

    bell = EmbeddedBell(database)
    transactions = Transactions(shared.store, clock, bell)
    presence = FilePresence(settings.home / "workers")
    jobs = StoredJobs(transactions)
    return shared.build_queue(transactions, jobs, bell, presence, blobs)
