"""The stores of a library in one SQLite file of the home and folders next to it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shisho.bootstrap.blobs import build_blobs
from shisho.bootstrap.sql_stores import LibraryStores, MakeClock, PageStores, build_outer_index
from shisho.settings import Settings
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore, check_database
from shisho.stores.embedded.erasure import Erasure
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.originals import BlobOriginals, BlobPageImages

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

DATABASE = "shisho.db"
EMBEDDING = "shisho.db.embedding"  # locked by the one process that embeds in the background
FOLLOWER = "shisho.db.follower"  # locked by the one process that watches the folders

FILES_FROM = 5_000  # vectors: fewer are read from the database in some 20 ms, and need no files


class EmbeddedStores(LibraryStores):
    """The stores of a library in one SQLite file of the home."""

    def __init__(self, settings: Settings, embedders: BuiltEmbedders | None, make_clock: MakeClock) -> None:
        self._settings = settings
        self._database = Database(settings.home / DATABASE)
        self.storage = self._database
        self.index = _index(settings, self._database, embedders)
        self._erasure = Erasure(settings.home / DATABASE, self.index)
        super().__init__(
            EmbeddedQueryStore(self._database), make_clock(self._database.read_timeline), self._erasure.erase
        )
        self._blobs = build_blobs(settings)
        self.pages = PageStores(
            BlobOriginals(self._blobs, self.have_text), BlobPageImages(self._blobs, self.have_text)
        )
        self.shelf = EmbeddedShelf(self._database, self.clock, self._erase_all)

    @cached_property
    def follower_turn(self) -> FollowerTurn:
        return self._make_turn(FOLLOWER)

    @cached_property
    def embedding_turn(self) -> FollowerTurn:
        return self._make_turn(EMBEDDING)

    @cached_property
    def queue(self) -> QueueStores:
        from shisho.stores.embedded.notifier import EmbeddedNotifier
        from shisho.stores.presence import FilePresence
        from shisho.stores.sql.jobs import StoredJobs
        from shisho.stores.sql.transitions import Transactions

        notifier = EmbeddedNotifier(self._database)
        transactions = Transactions(self.store, self.clock, notifier)
        presence = FilePresence(self._settings.home / "workers")
        return self.build_queue(transactions, StoredJobs(transactions), notifier, presence, self._blobs)

    def build_embeddings(self, about: EmbedderAbout) -> EmbeddingStore:
        from shisho.stores.embedded.embeddings import EmbeddedEmbeddings

        return EmbeddedEmbeddings(self._database, about)

    async def check(self) -> Check:
        return await check_database(self._database)

    async def close(self) -> None:
        await self._erasure.close()
        await self.index.close()
        await self._database.close()

    def _make_turn(self, file: str) -> FollowerTurn:
        from shisho.system.turn import FileTurn

        return FileTurn(self._settings.home / file)

    async def _erase_all(self) -> bool:
        """Erase purged data from every store that has copies.

        Returns False if a reader blocks the truncation of the database's log.
        """
        await self.pages.originals.erase_purged()
        await self.pages.images.erase_purged()
        return await self._erasure.erase()


def _index(settings: Settings, database: Database, embedders: BuiltEmbedders | None) -> MeasuredIndex:
    from shisho.stores.embedded.serving import ServingIndex

    about = None if embedders is None else embedders.current.about

    def is_usable(other: EmbedderAbout) -> bool:
        return embedders is not None and embedders.find(other) is not None

    if settings.read_text("index"):
        from shisho.stores.embedded.index_feed import EmbeddedIndexFeed

        return build_outer_index(settings, EmbeddedIndexFeed(database, about, is_usable))
    folder = settings.home / "vectors"
    dense = None if about is None else ServingIndex(folder, database, about, is_usable, FILES_FROM)
    return LexicalIndex(settings.home / "lexical", database, dense)
