"""One look at the lexical index and at the shelf behind it: what one search needs, in one state of the
database. The index proposes, our own scoring ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw
import tantivy

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.stores import nouns
from shisho.stores.embedded.scope import index_scope
from shisho.stores.embedded.shelf_view import ShelfView
from shisho.stores.index_scope import IndexScope
from shisho.stores.proposals import WEIGHTS, Word, select_telling, words_of

if TYPE_CHECKING:
    from shisho.stores.embedded.serving import ServingIndex


class LexicalView(ShelfView):
    """`ports.SearchView` on a connection in a transaction, and indexes that have taken in what it shows."""

    def __init__(self, connection: apsw.Connection, index: Any, dense: ServingIndex | None) -> None:
        super().__init__(connection)
        self._index = index
        self._dense = dense
        self._searcher = index.searcher()
        self._frequencies: dict[tuple[str, str], int] = {}

    def propose(
        self,
        terms: Sequence[str],
        bigrams: Sequence[str],
        scope: Scope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> list[PassageId]:
        within = index_scope(self._connection, scope)
        index = self._index
        any_of = [
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(_term(index, field, term), WEIGHTS[field]),
            )
            for field, term in self._telling(words_of(terms, bigrams))
        ]
        if not any_of or within.documents == ():
            return []
        query = tantivy.Query.boolean_query(any_of)
        if filters := _filters(index, within):
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *filters])
        searcher = self._searcher
        # Over-fetching by what was seen refills the hole; excluding it inside the query costs two to four
        # times as much.
        hits = searcher.search(query, limit + len(passage_ids), count=False).hits
        numbers = searcher.fast_field_values("passage", [address for _, address in hits])
        return [name for name in map(nouns.passage_id, numbers) if name not in passage_ids][:limit]

    def _telling(self, words: Sequence[Word]) -> Sequence[Word]:
        return select_telling(words, lambda word: self._frequency(*word), self._searcher.num_docs)

    def _frequency(self, field: str, word: str) -> int:
        """In how many passages a word stands; the index is asked once."""
        key = (field, word)
        if key not in self._frequencies:
            self._frequencies[key] = self._searcher.doc_freq(field, word)
        return self._frequencies[key]

    def frequencies(self, field: str, terms: Sequence[str]) -> Mapping[str, int]:
        return {term: self._frequency(field, term) for term in terms}

    @property
    def serving(self) -> EmbedderAbout | None:
        return None if self._dense is None else self._dense.serving(self._connection)

    def nearest(
        self, vector: Embedding, scope: Scope, limit: int, passage_ids: frozenset[PassageId]
    ) -> Mapping[PassageId, float]:
        if self._dense is None:
            return {}
        within = index_scope(self._connection, scope)
        return self._dense.nearest(self._connection, vector, within, limit, passage_ids)

    def similarities(self, vector: Embedding, ids: Sequence[PassageId]) -> Mapping[PassageId, float]:
        return {} if self._dense is None else self._dense.similarities(self._connection, vector, ids)


def _filters(index: Any, allowed: IndexScope) -> list[tuple[Any, Any]]:
    schema = index.schema
    tests = []
    if allowed.corpora is not None:
        tests.append(tantivy.Query.term_set_query(schema, "corpus", list(allowed.corpora)))
    if allowed.documents is not None:
        tests.append(tantivy.Query.term_set_query(schema, "document", list(allowed.documents)))
    if allowed.pages is not None:
        low, high = allowed.pages
        low = 0 if low is None else low
        tests.append(tantivy.Query.range_query(schema, "page", tantivy.FieldType.Unsigned, low, high))
    within = [(tantivy.Occur.Must, tantivy.Query.const_score_query(test, 0.0)) for test in tests]
    left_out = tantivy.Query.term_set_query(schema, "document", list(allowed.without))
    return [*within, (tantivy.Occur.MustNot, left_out)] if allowed.without else within


def _term(index: Any, field: str, term: str) -> Any:
    return tantivy.Query.term_query(index.schema, field, term, "freq")
