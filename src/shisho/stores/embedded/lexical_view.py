"""A view of the lexical index and the shelf for one search, in one snapshot.

The index selects candidates, and our scoring ranks them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import apsw
import tantivy

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.stores import nouns
from shisho.stores.embedded.index_damage import notice_damage
from shisho.stores.embedded.lexical_files import CorpusIndexes, write_token
from shisho.stores.embedded.vectors import EmbeddedShelfView
from shisho.stores.indexing import WEIGHTS, IndexScope, Word, rarity, select_informative, words_of
from shisho.stores.sql.scope import list_corpus_ids, read_index_scope

if TYPE_CHECKING:
    from shisho.stores.embedded.dense import DenseIndex
    from shisho.stores.embedded.serving import ServingIndex


class LexicalView(EmbeddedShelfView):
    """`ports.SearchView` on a connection in a transaction, with indexes that are up to date."""

    def __init__(
        self, connection: apsw.Connection, indexes: CorpusIndexes, dense: ServingIndex | None
    ) -> None:
        super().__init__(connection)
        self._indexes = indexes
        self._dense = dense
        self._searchers: dict[int, Any] = {}
        self._readable: dict[str, list[Any]] = {}
        self._frequencies: dict[tuple[str, Word], int] = {}
        self._within: tuple[Scope, IndexScope] | None = None

    def has_newest_vectors(self) -> bool:
        """Check that the vector index, if any, includes everything that the connection sees."""
        _, index = self._vectors
        return index is None or index.is_current(self._connection)

    def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> list[PassageId]:
        # Over-fetching by the number of seen passages fills the gaps; excluding them in the query costs two
        # to four times as much.
        most = limit + len(passage_ids)
        hits: list[tuple[float, int]] = []
        with notice_damage():
            words = self._select_informative(words_of(terms, bigrams), scope)
            within = self._index_scope(scope)
            if not words or within.documents == ():
                return []
            for corpus_id in list_corpus_ids(self._queries, scope):
                if query := self._query(corpus_id, words, scope, within):
                    hits += self._find_hits(corpus_id, query, most)
        hits.sort(key=lambda hit: -hit[0])  # stable: ties keep the order of their indexes
        best = (nouns.passage_id(number) for _, number in hits[:most])
        return [name for name in best if name not in passage_ids][:limit]

    def _query(self, corpus_id: int, words: Sequence[Word], scope: Scope, within: IndexScope) -> Any:
        """Build the query for a corpus, with words weighted by rarity in all readable corpora.

        Returns None if the corpus contains no word.
        """
        index: Any = self._indexes.find(corpus_id)
        searcher = self._find_searcher(corpus_id)
        frequencies = {word: searcher.doc_freq(*write_token(word)) for word in words} if searcher else {}
        any_of = []
        for word, there in frequencies.items():
            if there:
                worth = rarity(self._count_frequency(word, scope), self._count_passages(scope))
                boost = WEIGHTS[word[0]] * worth / rarity(there, searcher.num_docs)
                term = tantivy.Query.term_query(index.schema, *write_token(word), "freq")
                any_of.append((tantivy.Occur.Should, tantivy.Query.boost_query(term, boost)))
        if not any_of:
            return None
        query = tantivy.Query.boolean_query(any_of)
        filters = _build_filters(index, within)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *filters]) if filters else query

    def _find_hits(self, corpus_id: int, query: Any, most: int) -> list[tuple[float, int]]:
        """Return the scores and keys of the best passages of a corpus."""
        searcher = self._find_searcher(corpus_id)
        hits = searcher.search(query, most, count=False).hits
        numbers = searcher.fast_field_values("passage", [address for _, address in hits])
        return [(score, number) for (score, _), number in zip(hits, numbers, strict=True)]

    def _select_informative(self, words: Sequence[Word], scope: Scope) -> Sequence[Word]:
        return select_informative(
            words, lambda word: self._count_frequency(word, scope), self._count_passages(scope)
        )

    def _count_frequency(self, word: Word, scope: Scope) -> int:
        """Return the number of readable passages that contain a word, from a cache."""
        key = (scope.owner, word)
        if key not in self._frequencies:
            searchers = self._list_searchers(scope)
            token = write_token(word)
            self._frequencies[key] = sum(searcher.doc_freq(*token) for searcher in searchers)
        return self._frequencies[key]

    def _count_passages(self, scope: Scope) -> int:
        return sum(searcher.num_docs for searcher in self._list_searchers(scope))

    def _list_searchers(self, scope: Scope) -> list[Any]:
        """Return the searchers of all corpora that the reader may search, whatever the scope."""
        if scope.owner not in self._readable:
            searchers = map(self._find_searcher, list_corpus_ids(self._queries, Scope(scope.owner)))
            self._readable[scope.owner] = [searcher for searcher in searchers if searcher is not None]
        return self._readable[scope.owner]

    def _find_searcher(self, corpus_id: int) -> Any:
        """Return the searcher of a corpus, the same for the whole view; None without an index."""
        if corpus_id not in self._searchers:
            index = self._indexes.find(corpus_id)
            self._searchers[corpus_id] = None if index is None else index.searcher()
        return self._searchers[corpus_id]

    def read_frequencies(self, field: str, terms: Sequence[str], scope: Scope) -> Mapping[str, int]:
        with notice_damage():
            return {term: self._count_frequency((field, term), scope) for term in terms}

    def _index_scope(self, scope: Scope) -> IndexScope:
        """Return the scope for indexes; it is cached, because both halves of a search need it."""
        if self._within is None or self._within[0] is not scope:
            self._within = (scope, read_index_scope(self._queries, scope))
        return self._within[1]

    @cached_property
    def serving(self) -> EmbedderAbout | None:
        return self._vectors[0]

    def find_nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        _, index = self._vectors
        if index is None:
            return {}
        return index.find_nearest(self._connection, vector, self._index_scope(scope), limit, passage_ids)

    def measure_similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        _, index = self._vectors
        return {} if index is None else index.measure_similarities(self._connection, vector, ids)

    def read_embeddings(self, ids: Sequence[PassageId]) -> Mapping[PassageId, Embedding]:
        _, index = self._vectors
        return {} if index is None else index.read_embeddings(self._connection, ids)

    @cached_property
    def _vectors(self) -> tuple[EmbedderAbout | None, DenseIndex | None]:
        """The embedder that this view uses, and its index."""
        return (None, None) if self._dense is None else self._dense.find(self._connection)


def _build_filters(index: Any, allowed: IndexScope) -> list[tuple[Any, Any]]:
    schema = index.schema
    tests = []
    if allowed.documents is not None:
        tests.append(tantivy.Query.term_set_query(schema, "document", list(allowed.documents)))
    if allowed.pages is not None:
        low, high = allowed.pages
        low = 0 if low is None else low
        tests.append(tantivy.Query.range_query(schema, "page", tantivy.FieldType.Unsigned, low, high))
    within = [(tantivy.Occur.Must, tantivy.Query.const_score_query(test, 0.0)) for test in tests]
    left_out = tantivy.Query.term_set_query(schema, "document", list(allowed.without))
    return [*within, (tantivy.Occur.MustNot, left_out)] if allowed.without else within
