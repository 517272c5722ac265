"""How a collection catches up with the truth: one process at a time, a batch of changes at a time, and after
each batch the book says so."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from shisho.stores.index_feed import DocumentWords, IndexFeed, IndexFeedView, IndexMark
from shisho.stores.qdrant.server import CollectionGone, QdrantServer
from shisho.telemetry import log, span

PATIENCE = 5.0  # seconds to wait for another process that is catching up
TURN_SECONDS = 60.0  # a process that died in its turn holds the others up so long
LOOK_SECONDS = 0.05


class Batch(NamedTuple):
    """Where the collection stands after a batch, and the words of the documents in it."""

    mark: IndexMark
    words: Mapping[str, DocumentWords | None]


class DerivedCollection(Protocol):
    """The points of a collection, and how it follows the truth."""

    index: str
    """Its name in the book."""

    def choose_first_mark(self, view: IndexFeedView, generation: str) -> IndexMark | None:
        """Where a new collection stands; None where there is nothing to make one of."""

    def is_current(self, view: IndexFeedView, mark: IndexMark) -> bool: ...

    async def create(self, mark: IndexMark) -> None:
        """Make the collection of a generation."""

    async def take_in(self, mark: IndexMark) -> Batch:
        """Take in the next changes after a mark."""


class CollectionState(NamedTuple):
    """The state of a collection, by one look at the truth."""

    mark: IndexMark | None
    first: IndexMark | None
    is_current: bool


class CollectionFollower:
    """Lets a collection catch up."""

    def __init__(self, server: QdrantServer, feed: IndexFeed, collection: DerivedCollection) -> None:
        self._server = server
        self._feed = feed
        self._collection = collection
        self._holder = uuid.uuid4().hex
        self._lock = asyncio.Lock()

    def state(self, view: IndexFeedView) -> CollectionState:
        mark = view.mark(self._collection.index)
        if mark is None:
            first = self._collection.choose_first_mark(view, uuid.uuid4().hex)
            return CollectionState(None, first, first is None)
        return CollectionState(mark, None, self._collection.is_current(view, mark))

    async def catch_up(self) -> None:
        """Raises StorageUnusable; StoreUnavailable where the server does not answer."""
        async with self._lock:
            waited = 0.0
            while not (state := await self._feed.read(self.state)).is_current:
                if state.mark is None:
                    await self._begin(state.first)
                elif await self._feed.take_turn(self._collection.index, self._holder, TURN_SECONDS):
                    await self._follow(state.mark)
                elif waited > PATIENCE:
                    log.warning("the index is behind: another process is still catching up")
                    return
                else:
                    await asyncio.sleep(LOOK_SECONDS)
                    waited += LOOK_SECONDS

    async def renew(self) -> None:
        """The server has lost the collection: what the book says of it is no longer true."""
        log.warning("the collection of %s is gone and is made anew", self._collection.index)
        await self._feed.forget(self._collection.index)

    async def _begin(self, mark: IndexMark | None) -> None:
        assert mark is not None
        await self._collection.create(mark)
        await self._feed.begin(self._collection.index, mark)

    async def _follow(self, mark: IndexMark) -> None:
        try:
            with span("index.catch_up", since=mark.change):
                batch = await self._collection.take_in(mark)
            await self._feed.advance(self._collection.index, mark, batch.mark, batch.words)
        except CollectionGone:
            await self.renew()
        finally:
            await self._feed.give_back(self._collection.index, self._holder)


def collection_name(mark: IndexMark) -> str:
    """The name of a generation's collection, which no other library uses."""
    return f"shisho-{mark.generation}"
