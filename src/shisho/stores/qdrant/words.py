"""The words of passages as sparse vectors.

A passage's weights are BM25's term-frequency factors; a query's are IDFs over all that the reader may search.
The IDF is computed here for each query: shards do not use their own, and documents that the reader may not
search do not affect it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.corpus import PassageId, Scope
from shisho.stores.indexing import (
    WEIGHTS,
    DocumentWords,
    IndexFeed,
    IndexFeedView,
    IndexMark,
    PassageEntry,
    Word,
    count_codes,
    rarity,
    select_informative,
    word_code,
    words_of,
)
from shisho.stores.nouns import passage_id
from shisho.stores.qdrant.catching_up import Batch, collection_name
from shisho.stores.qdrant.server import QdrantServer, SparsePoint, list_excluded_numbers

DOCUMENTS = 100  # documents to index per recorded batch
ENTRIES = 1_000  # passages of one document that are in memory at once
SATURATION = 1.2
LENGTH = 0.75
# Approximate lengths of a passage of 500 characters, measured on JSQuAD: fixed, so that stored weights do not
# change as the library grows.
MEANS = {"terms": 45.0, "bigrams": 110.0}


class WordCollection:
    """The collection of words, as a `DerivedCollection`."""

    def __init__(self, server: QdrantServer, feed: IndexFeed) -> None:
        self.index = f"{server.name} words"
        self._server = server
        self._feed = feed

    def choose_first_mark(self, view: IndexFeedView, generation: str) -> IndexMark | None:
        return IndexMark(generation, 0, 0)

    def read_newest(self, view: IndexFeedView) -> tuple[int, int]:
        change, _ = view.read_newest("")
        return change, 0

    def count_behind(self, view: IndexFeedView) -> int:
        """Return the number of changes of the shelf that are not indexed yet."""
        change, _ = view.read_newest("")
        mark = view.mark(self.index)
        return change if mark is None else max(0, change - mark.change)

    async def create(self, mark: IndexMark) -> None:
        await asyncio.to_thread(self._server.create_words, collection_name(mark))

    async def apply_changes(self, mark: IndexMark) -> Batch:
        changed = await self._feed.read(lambda view: view.list_changed(mark.change, DOCUMENTS))
        if not changed:
            return Batch(mark, {})
        documents = {change.document_id: change.is_live for change in changed}
        collection = collection_name(mark)
        await asyncio.to_thread(self._server.drop_documents, collection, [*documents])
        words = {
            name: await self._put(collection, name) if is_live else None
            for name, is_live in documents.items()
        }
        return Batch(replace(mark, change=changed[-1].seq), words)

    async def _put(self, collection: str, document_id: str) -> DocumentWords | None:
        """Store the words of a document; return None if it was removed since."""
        counted: Counter[int] = Counter()
        corpus = None
        after = -1
        while entries := await self._list_entries(document_id, after):
            points = [*map(weigh_entry, entries)]
            await asyncio.to_thread(self._server.put_words, collection, points)
            for point in points:
                counted.update(point.weights.keys())
            corpus = entries[-1].place.corpus
            after = entries[-1].ordinal
        return None if corpus is None else DocumentWords(corpus, counted)

    async def _list_entries(self, document_id: str, after: int) -> Sequence[PassageEntry]:
        return await self._feed.read(lambda view: view.list_entries(document_id, after, ENTRIES))

    def propose(
        self,
        view: IndexFeedView,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> list[PassageId]:
        """Implement `ports.SearchView.propose`."""
        mark = view.mark(self.index)
        within = view.index_scope(scope)
        words = words_of(terms, bigrams)
        if mark is None or not words or () in (within.documents, within.corpora):
            return []
        passages = int(view.read_statistics(scope)["passages"])
        frequencies = self.read_frequencies(view, words, scope)
        informative = select_informative(words, frequencies.__getitem__, passages)
        weights = {
            word_code(word): WEIGHTS[word[0]] * rarity(frequencies[word], passages)
            for word in informative
            if frequencies[word]
        }
        if not weights:
            return []
        excluded = list_excluded_numbers(passage_ids)
        hits = self._server.search_words(collection_name(mark), weights, within, limit, excluded)
        return [passage_id(number) for number, _ in hits]

    def read_frequencies(self, view: IndexFeedView, words: Sequence[Word], scope: Scope) -> dict[Word, int]:
        """Count the passages that the scope's owner may search and that contain each word."""
        codes = {word: word_code(word) for word in words}
        counted = view.count_passages_with(self.index, [*codes.values()], scope)
        return {word: counted[code] for word, code in codes.items()}


def weigh_entry(entry: PassageEntry) -> SparsePoint:
    """Return a passage with BM25's term-frequency factor of each word, without the IDF."""
    weights: dict[int, float] = {}
    terms, pairs = count_codes(entry.terms, entry.heading, entry.pairs)
    for field, counted in (("terms", terms), ("bigrams", pairs)):
        floor = SATURATION * (1 - LENGTH + LENGTH * counted.total() / MEANS[field])
        for code, count in counted.items():
            weights[code] = weights.get(code, 0.0) + count * (SATURATION + 1) / (count + floor)
    return SparsePoint(entry.place, weights)
