"""The vectors of one embedder, in a collection that is created and deleted with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import Embedding, unpack_floats
from shisho.stores.indexing import IndexFeed, IndexFeedView, IndexMark, VectorEntry
from shisho.stores.nouns import passage_id
from shisho.stores.qdrant.catching_up import Batch, collection_name
from shisho.stores.qdrant.server import DensePoint, QdrantServer, list_excluded_numbers

DOCUMENTS = 100  # documents per recorded batch
VECTORS = 1_000  # vectors to index at once


def index_name(server: QdrantServer, embedder: str = "") -> str:
    """Return the name of an embedder's index, or the prefix of all such names."""
    return f"{server.name} vectors {embedder}"


class VectorCollection:
    """The collection of an embedder's vectors, as a `DerivedCollection`."""

    def __init__(self, server: QdrantServer, feed: IndexFeed, embedder: str) -> None:
        self.index = index_name(server, embedder)
        self._server = server
        self._feed = feed
        self._embedder = embedder
        self._dimensions = 0

    def choose_first_mark(self, view: IndexFeedView, generation: str) -> IndexMark | None:
        self._dimensions = view.find_dimensions(self._embedder)
        if not self._dimensions:
            return None
        # Vectors of all live documents are listed anyway; only later changes must be applied.
        change, _ = view.read_newest(self._embedder)
        return IndexMark(generation, change, 0)

    def read_newest(self, view: IndexFeedView) -> tuple[int, int]:
        return view.read_newest(self._embedder)

    async def create(self, mark: IndexMark) -> None:
        await asyncio.to_thread(self._server.create_vectors, collection_name(mark), self._dimensions)

    async def apply_changes(self, mark: IndexMark) -> Batch:
        changed = await self._feed.read(lambda view: view.list_changed(mark.change, DOCUMENTS))
        collection = collection_name(mark)
        if changed:
            documents = {change.document_id: change.is_live for change in changed}
            await asyncio.to_thread(self._server.drop_documents, collection, [*documents])
            for document_id in (name for name, is_live in documents.items() if is_live):
                await self._put_document(collection, document_id)
            return Batch(replace(mark, change=changed[-1].seq), {})
        entries, last = await self._feed.read(
            lambda view: view.list_new_vectors(self._embedder, mark.vector, VECTORS)
        )
        await self._put(collection, entries)
        return Batch(replace(mark, vector=last), {})

    async def _put_document(self, collection: str, document_id: str) -> None:
        after = 0
        while entries := await self._list_vectors_of(document_id, after):
            await self._put(collection, entries)
            after = entries[-1].seq

    async def _list_vectors_of(self, document_id: str, after: int) -> Sequence[VectorEntry]:
        return await self._feed.read(
            lambda view: view.list_vectors_of(document_id, self._embedder, after, VECTORS)
        )

    async def _put(self, collection: str, entries: Sequence[VectorEntry]) -> None:
        points = [DensePoint(entry.place, unpack_floats(entry.vector)) for entry in entries]
        await asyncio.to_thread(self._server.put_vectors, collection, points)

    def find_nearest(
        self,
        view: IndexFeedView,
        vector: Embedding,
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> Mapping[PassageId, float]:
        """Implement `ports.SearchView.find_nearest`.

        With more than `server.MAX_EXACT_PASSAGES` passages in scope it uses the graph, which is not exact.
        """
        mark = view.mark(self.index)
        within = view.index_scope(scope)
        if mark is None or () in (within.documents, within.corpora):
            return {}
        hits = self._server.search_vectors(
            collection_name(mark),
            unpack_floats(vector),
            within,
            limit,
            list_excluded_numbers(passage_ids),
            view.count(scope),
        )
        scores = {passage_id(number): score for number, score in hits}
        return dict(sorted(scores.items(), key=lambda scored: (-scored[1], scored[0])))
