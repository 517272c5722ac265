"""Updates of a collection, by one process at a time and in batches.

The progress is recorded after each batch.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from shisho.messages import Message
from shisho.stores.indexing import DocumentWords, IndexFeed, IndexFeedView, IndexMark
from shisho.stores.qdrant.server import CollectionGone, QdrantServer
from shisho.telemetry import log, span

PATIENCE = 5.0  # seconds to wait for another process that is catching up
TURN_SECONDS = 60.0  # after which the lease of a dead process expires
LOOK_SECONDS = 0.05


class Batch(NamedTuple):
    """The position of the collection after a batch, and the words of its documents."""

    mark: IndexMark
    words: Mapping[str, DocumentWords | None]


class DerivedCollection(Protocol):
    """The points of a collection, and how it applies changes."""

    index: str
    """The name of the index in the records."""

    def choose_first_mark(self, view: IndexFeedView, generation: str) -> IndexMark | None:
        """Return the start position of a new collection; None if there is nothing to index."""

    def read_newest(self, view: IndexFeedView) -> tuple[int, int]:
        """Return the newest change and vector to include; 0 for a kind it does not index."""

    async def create(self, mark: IndexMark) -> None:
        """Create the collection of a generation."""

    async def apply_changes(self, mark: IndexMark) -> Batch:
        """Apply the next changes after a mark."""


class CollectionState(NamedTuple):
    """The state of a collection, in one snapshot of the database."""

    mark: IndexMark | None
    first: IndexMark | None
    newest: tuple[int, int]

    def has_reached(self, newest: tuple[int, int]) -> bool:
        """Return True if it includes these, or if there is nothing to index."""
        if self.mark is None:
            return self.first is None
        change, vector = newest
        return self.mark.change >= change and self.mark.vector >= vector

    @property
    def is_current(self) -> bool:
        return self.has_reached(self.newest)


class CollectionFollower:
    """Keeps a collection up to date."""

    def __init__(self, server: QdrantServer, feed: IndexFeed, collection: DerivedCollection) -> None:
        self._server = server
        self._feed = feed
        self._collection = collection
        self._holder = uuid.uuid4().hex
        self._lock = asyncio.Lock()

    def state(self, view: IndexFeedView) -> CollectionState:
        mark = view.mark(self._collection.index)
        first = None if mark else self._collection.choose_first_mark(view, uuid.uuid4().hex)
        return CollectionState(mark, first, self._collection.read_newest(view))

    async def catch_up(self) -> None:
        """Apply all changes that exist now; with constant additions there are always more.

        Raises: StorageUnusable; StoreUnavailable if the server does not answer.
        """
        newest = await self._feed.read(self._collection.read_newest)
        async with self._lock:
            waited = 0.0
            while not (state := await self._feed.read(self.state)).has_reached(newest):
                if state.mark is None:
                    await self._begin(state.first)
                elif await self._feed.acquire_lease(self._collection.index, self._holder, TURN_SECONDS):
                    await self._follow(state.mark)
                elif waited > PATIENCE:
                    log.warning(Message("index.behind"))
                    return
                else:
                    await asyncio.sleep(LOOK_SECONDS)
                    waited += LOOK_SECONDS

    async def renew(self) -> None:
        """Delete the records of a collection that the server has lost."""
        log.warning(Message("qdrant.collection_remade", index=self._collection.index))
        await self._feed.forget(self._collection.index)

    async def _begin(self, mark: IndexMark | None) -> None:
        assert mark is not None
        await self._collection.create(mark)
        await self._feed.begin(self._collection.index, mark)

    async def _follow(self, mark: IndexMark) -> None:
        try:
            with span("index.catch_up", since=mark.change):
                batch = await self._collection.apply_changes(mark)
            await self._feed.advance(self._collection.index, mark, batch.mark, batch.words)
        except CollectionGone:
            await self.renew()
        finally:
            await self._feed.release_lease(self._collection.index, self._holder)


def collection_name(mark: IndexMark) -> str:
    """Return the name of a generation's collection, which no other library uses."""
    return f"shisho-{mark.generation}"
