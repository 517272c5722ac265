"""How a collection catches up with the truth: one process at a time, a batch of changes at a time, and after
each batch the book says so."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from shisho.messages.message import Message
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

    def read_newest(self, view: IndexFeedView) -> tuple[int, int]:
        """The change of the shelf, and the vector, that it has to come to; 0 where it takes in none."""

    async def create(self, mark: IndexMark) -> None:
        """Make the collection of a generation."""

    async def take_in(self, mark: IndexMark) -> Batch:
        """Take in the next changes after a mark."""


class CollectionState(NamedTuple):
    """The state of a collection, by one look at the truth."""

    mark: IndexMark | None
    first: IndexMark | None
    newest: tuple[int, int]

    def has_reached(self, newest: tuple[int, int]) -> bool:
        """True where it has come so far, and where there is nothing to make it of."""
        if self.mark is None:
            return self.first is None
        change, vector = newest
        return self.mark.change >= change and self.mark.vector >= vector

    @property
    def is_current(self) -> bool:
        return self.has_reached(self.newest)


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
        first = None if mark else self._collection.choose_first_mark(view, uuid.uuid4().hex)
        return CollectionState(mark, first, self._collection.read_newest(view))

    async def catch_up(self) -> None:
        """With what is there now: where others add without a pause, there is always more. Raises
        StorageUnusable; StoreUnavailable where the server does not answer."""
        newest = await self._feed.read(self._collection.read_newest)
        async with self._lock:
            waited = 0.0
            while not (state := await self._feed.read(self.state)).has_reached(newest):
                if state.mark is None:
                    await self._begin(state.first)
                elif await self._feed.take_turn(self._collection.index, self._holder, TURN_SECONDS):
                    await self._follow(state.mark)
                elif waited > PATIENCE:
                    log.warning(Message("index.behind"))
                    return
                else:
                    await asyncio.sleep(LOOK_SECONDS)
                    waited += LOOK_SECONDS

    async def renew(self) -> None:
        """The server has lost the collection: what the book says of it is no longer true."""
        log.warning(Message("qdrant.collection_remade", index=self._collection.index))
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
