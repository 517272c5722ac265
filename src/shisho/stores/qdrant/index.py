"""The index in Qdrant, which selects candidates by words and by vectors.

Our own scoring ranks them, with the data in the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from shisho.domain.corpus import NamedPassage, PassageId, Scope, TermVector
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.domain.library import IndexDamage
from shisho.ports import SearchView
from shisho.stores.indexing import IndexFeed, IndexFeedView, IndexMark
from shisho.stores.qdrant.catching_up import CollectionFollower, collection_name
from shisho.stores.qdrant.meanings import VectorCollection, index_name
from shisho.stores.qdrant.server import CollectionGone, QdrantServer
from shisho.stores.qdrant.words import WordCollection

T = TypeVar("T")


class QdrantIndex:
    """`ports.Index` over collections of a Qdrant server, and the database they derive from."""

    def __init__(self, server: QdrantServer, feed: IndexFeed) -> None:
        self._server = server
        self._feed = feed
        self._words = WordCollection(server, feed)
        self._follower = CollectionFollower(server, feed, self._words)
        self._vectors: dict[str, tuple[VectorCollection, CollectionFollower]] = {}

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        look = self._search_if_current if current else self._search_anyway
        try:
            outcome = await self._feed.read(lambda view: look(view, work))
        except CollectionGone:
            await self._renew()
            outcome = None
        if outcome is None:
            await self.catch_up()
            outcome = await self._feed.read(lambda view: self._search_anyway(view, work))
        return outcome[0]

    async def count_behind(self) -> int:
        return await self._feed.read(self._words.count_behind)

    async def examine(self) -> Sequence[IndexDamage]:
        """Return no damage: the index has no files here."""
        return ()

    async def close(self) -> None:
        await asyncio.to_thread(self._server.close)

    async def catch_up(self) -> None:
        await self._follower.catch_up()
        serving = await self._feed.read(lambda view: view.find_serving())
        if serving is not None:
            _, follower = self._find_vectors(serving[0])
            await follower.catch_up()
            await self._delete_unused_collections(serving[0])

    def _search_if_current(self, view: IndexFeedView, work: Callable[[SearchView], T]) -> tuple[T] | None:
        """Return the outcome of the work, or None if the index must catch up first."""
        serving = view.find_serving()
        is_current = self._follower.state(view).is_current
        if is_current and serving is not None:
            is_current = self._find_vectors(serving[0])[1].state(view).is_current
        return self._search_anyway(view, work) if is_current else None

    def _search_anyway(self, view: IndexFeedView, work: Callable[[SearchView], T]) -> tuple[T]:
        serving = view.find_serving()
        vectors = None if serving is None else self._find_vectors(serving[0])[0]
        return (work(QdrantView(view, self._words, vectors)),)

    def _find_vectors(self, about: EmbedderAbout) -> tuple[VectorCollection, CollectionFollower]:
        if about.name not in self._vectors:
            collection = VectorCollection(self._server, self._feed, about.name)
            self._vectors[about.name] = (collection, CollectionFollower(self._server, self._feed, collection))
        return self._vectors[about.name]

    async def _renew(self) -> None:
        """Reset all collections: one is missing, so the server was set up again."""
        await self._follower.renew()
        for _, follower in self._vectors.values():
            await follower.renew()

    async def _delete_unused_collections(self, serving: EmbedderAbout) -> None:
        """Delete the collections of embedders that are no longer used."""
        marks = await self._feed.read(lambda view: view.list_marks(index_name(self._server)))
        for index, mark in marks.items():
            if index != index_name(self._server, serving.name):
                await self._delete(index, mark)

    async def _delete(self, index: str, mark: IndexMark) -> None:
        await asyncio.to_thread(self._server.delete_collection, collection_name(mark))
        await self._feed.forget(index)


class QdrantView:
    """`ports.SearchView`: candidates come from the collections, all else from the database."""

    def __init__(self, truth: IndexFeedView, words: WordCollection, vectors: VectorCollection | None) -> None:
        self._truth = truth
        self._words = words
        self._vectors = vectors
        self.count = truth.count
        self.read_statistics = truth.read_statistics
        self.read_vectors: Callable[[Sequence[PassageId]], Mapping[PassageId, TermVector]] = (
            truth.read_vectors
        )
        self.fetch_passages: Callable[[Sequence[PassageId]], Mapping[PassageId, NamedPassage]] = (
            truth.fetch_passages
        )
        self.find_short_names = truth.find_short_names
        self.find_definitions = truth.find_definitions
        self.read_texts = truth.read_texts

    def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> Sequence[PassageId]:
        return self._words.propose(self._truth, terms, bigrams, scope, limit, passage_ids)

    def read_frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        counted = self._words.read_frequencies(self._truth, [(field, term) for term in terms], scope)
        return {term: count for (_, term), count in counted.items()}

    @property
    def serving(self) -> EmbedderAbout | None:
        serving = self._truth.find_serving()
        return serving[0] if serving is not None and serving[1] else None

    def find_nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        if self._vectors is None:
            return {}
        return self._vectors.find_nearest(self._truth, vector, scope, limit, passage_ids)

    def measure_similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        return self._truth.measure_similarities(vector, ids)

    def read_embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        return self._truth.read_embeddings(ids)
