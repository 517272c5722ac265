"""The lexical index over a shelf in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from shisho.domain.corpus import Passage, PassageId, Scope, TermVector
from shisho.domain.embedding import EmbedderAbout, Embedding, cosine
from shisho.domain.ranking import NamedPassage
from shisho.ports import SearchView
from shisho.stores.memory.embeddings import MemoryEmbeddings
from shisho.stores.memory.shelf import MemoryShelf
from shisho.stores.proposals import rarity
from shisho.stores.vectors import vector_of

T = TypeVar("T")


class MemoryIndex:
    """`ports.Index` over a `MemoryShelf`."""

    def __init__(self, shelf: MemoryShelf, embeddings: MemoryEmbeddings | None = None) -> None:
        self._shelf = shelf
        self._embeddings = embeddings

    async def catch_up(self) -> None:
        """There is nothing to catch up with."""

    async def view(self, work: Callable[[SearchView], T], *, current: bool = True) -> T:
        return work(MemoryView(self._shelf, self._embeddings))


class MemoryView:
    """`ports.SearchView` by plain BM25 over a `MemoryShelf`."""

    def __init__(self, shelf: MemoryShelf, embeddings: MemoryEmbeddings | None) -> None:
        self._shelf = shelf
        self._embeddings = embeddings

    def count(self, scope: Scope) -> int:
        return len(self._shelf.list_searchable(scope))

    def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> Sequence[PassageId]:
        wanted_terms = {"terms": set(terms), "bigrams": set(bigrams)}
        weights = {field: self._weights(field, words, scope) for field, words in wanted_terms.items()}
        scored = []
        for passage in self._shelf.list_searchable(scope):
            counted = {field: Counter(_words(passage, field)) for field in wanted_terms}
            score = sum(
                weight * counted[field][word] / (counted[field][word] + 1.2)
                for field, table in weights.items()
                for word, weight in table.items()
            )
            if score > 0 and passage.id not in passage_ids:
                scored.append((-score, passage.id))
        return [name for _, name in sorted(scored)[:limit]]

    def frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        word_sets = [
            set(_words(passage, field)) for passage in self._shelf.list_searchable(Scope(scope.owner))
        ]
        return {term: sum(term in words for words in word_sets) for term in set(terms)}

    def statistics(self, scope: Scope) -> Mapping[str, float]:
        passages = self._shelf.list_searchable(Scope(scope.owner))
        texts = {
            "terms": [passage.terms for passage in passages],
            "bigrams": [passage.bigrams for passage in passages],
            "heading": [passage.heading_terms for passage in passages],
        }
        means = {
            name: sum(len(text.split()) for text in field_texts) / max(1, len(passages))
            for name, field_texts in texts.items()
        }
        return {"passages": len(passages), **means}

    def vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        return {passage.id: vector_of(passage) for passage in self._live(ids)}

    def fetch_passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]:
        documents = self._shelf.known_documents
        return {
            passage.id: NamedPassage(
                passage, documents[passage.document_id].source, documents[passage.document_id].title
            )
            for passage in self._live(ids)
        }

    def _live(self, ids: Sequence[PassageId]) -> list[Passage]:
        passage_ids = set(ids)
        return [passage for passage in self._shelf.list_searchable() if passage.id in passage_ids]

    def texts(self, scope: Scope, most: int) -> Sequence[str]:
        passages = self._shelf.list_searchable(scope)
        return (
            [] if len(passages) > most else [f"{passage.heading}\n\n{passage.text}" for passage in passages]
        )

    @property
    def serving(self) -> EmbedderAbout | None:
        has_vectors = self._embeddings is not None and self._embeddings.vectors()
        return self._embeddings.about if self._embeddings is not None and has_vectors else None

    def find_nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        names = [
            passage.id for passage in self._shelf.list_searchable(scope) if passage.id not in passage_ids
        ]
        scores = self.similarities(vector, names)
        return dict(sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))[:limit])

    def similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        vectors = {} if self._embeddings is None else self._embeddings.vectors()
        return {name: cosine(vector, vectors[name]) for name in ids if name in vectors}

    def embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        vectors = {} if self._embeddings is None else self._embeddings.vectors()
        return {name: vectors[name] for name in ids if name in vectors}

    def _weights(self, field: str, words: set[str], scope: Scope) -> dict[str, float]:
        total = len(self._shelf.list_searchable(Scope(scope.owner)))
        frequencies = self.frequencies(field, list(words), scope)
        return {word: rarity(count, total) for word, count in frequencies.items() if count}


def _words(passage: Passage, field: str) -> list[str]:
    return (f"{passage.terms} {passage.heading_terms}" if field == "terms" else passage.bigrams).split()
