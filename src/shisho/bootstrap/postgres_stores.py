"""The stores of a library in one PostgreSQL database, shared by any number of machines.

Data of one machine only, such as its workers and its folders, is in its home.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.sql_stores import LibraryStores, MakeClock, PageStores, build_outer_index
from shisho.settings import Settings
from shisho.stores.originals import BlobOriginals, BlobPageImages
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.lexical import PostgresIndex
from shisho.stores.postgres.shelf import PostgresShelf, erase_rows
from shisho.stores.postgres.storage import PostgresStorage, check_database

if TYPE_CHECKING:
    from shisho.bootstrap.embedder import BuiltEmbedders
    from shisho.domain.corpus import Check
    from shisho.domain.embedding import EmbedderAbout
    from shisho.ports import (
        EmbeddingStore,
        FollowerTurn,
        MeasuredIndex,
    )
    from shisho.services.stores import QueueStores

FOLLOWER = "postgres.follower"  # locked by the one process of this machine that watches its folders
EMBEDDING = (
    "shisho embedding"  # advisory lock of the one process, on any machine, that embeds in the background
)


class PostgresStores(LibraryStores):
    """The stores of a library in one PostgreSQL database."""

    def __init__(self, settings: Settings, embedders: BuiltEmbedders | None, make_clock: MakeClock) -> None:
        self._settings = settings
        self._database = PostgresDatabase(settings.read_text("store"))
        super().__init__(PostgresQueryStore(self._database), make_clock(self._database.read_timeline))
        self._blobs = build_blobs(settings)
        self.storage = PostgresStorage(self._database, self._blobs)
        self.index = _index(settings, self._database, embedders)
        self.pages = PageStores(
            BlobOriginals(self._blobs, self.have_text), BlobPageImages(self._blobs, self.have_text)
        )
        self.shelf = PostgresShelf(self._database, self.clock, self._erase_all)

    @cached_property
    def follower_turn(self) -> FollowerTurn:
        from shisho.system.turn import FileTurn

        self._settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return FileTurn(self._settings.home / FOLLOWER)

    @cached_property
    def embedding_turn(self) -> FollowerTurn:
        from shisho.stores.postgres.connect import PostgresTurn

        return PostgresTurn(self._database, EMBEDDING)

    @cached_property
    def queue(self) -> QueueStores:
        from shisho.stores.postgres.jobs import PostgresJobs, build_postgres_transactions
        from shisho.stores.postgres.notifier import PostgresNotifier
        from shisho.stores.postgres.presence import PostgresPresence

        notifier = PostgresNotifier(self._database)
        transactions = build_postgres_transactions(self._database, self.clock, notifier)
        jobs = PostgresJobs(self._database, self.clock, notifier)
        presence = PostgresPresence(self._database, self._settings.home / "workers")
        return self.build_queue(transactions, jobs, notifier, presence, self._blobs)

    def build_embeddings(self, about: EmbedderAbout) -> EmbeddingStore:
        from shisho.stores.postgres.embeddings import PostgresEmbeddings

        return PostgresEmbeddings(self._database, about)

    async def check(self) -> Check:
        return await check_database(self._database)

    async def close(self) -> None:
        await self.index.close()
        await self._database.close()

    async def _erase_all(self) -> bool:
        """Erase purged data from every store that has copies."""
        await self.pages.originals.erase_purged()
        await self.pages.images.erase_purged()
        await self.index.catch_up()
        return await erase_rows(self._database)


def _index(settings: Settings, database: PostgresDatabase, embedders: BuiltEmbedders | None) -> MeasuredIndex:
    from shisho.stores.postgres.serving import PostgresServing

    def is_usable(other: EmbedderAbout) -> bool:
        return embedders is not None and embedders.find(other) is not None

    serving = None if embedders is None else PostgresServing(database, embedders.current.about, is_usable)
    if settings.read_text("index"):
        from shisho.stores.postgres.index_feed import PostgresIndexFeed

        return build_outer_index(settings, PostgresIndexFeed(database, serving))
    return PostgresIndex(database, serving)
