"""One look at the lexical index and at the shelf behind it: what one search needs, in one state of the
database. The index proposes, our own scoring ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw
import tantivy

from shisho.domain.corpus import PassageId, Scope, TermVector
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.domain.ranking import NamedPassage
from shisho.stores.embedded import rows, vectors
from shisho.stores.embedded.scope import IndexScope, count_in, index_scope, where

if TYPE_CHECKING:
    from shisho.stores.embedded.serving import ServingIndex

WEIGHTS = {"terms": 1.0, "bigrams": 0.4}
EVERYWHERE = 0.9  # of all passages: a word of more of them is weighed, but proposes nothing (docs/adr/0011)
# Of all live passages: how many there are, and their terms, bigrams and terms of headings.
SUMS = """SELECT coalesce(sum(passages), 0) AS passages, coalesce(sum(terms), 0) AS terms,
    coalesce(sum(bigrams), 0) AS bigrams, coalesce(sum(heading), 0) AS heading FROM corpora"""

# Heading, an empty line and text of the passages in scope; its condition is filled in.
TEXTS = """SELECT p.heading || char(10) || char(10) || p.text AS text
    FROM documents d JOIN corpora c ON c.id = d.corpus_id JOIN passages p ON p.document_id = d.id
    WHERE {condition} AND (p.page IS NOT NULL) >= ? AND coalesce(p.page, 0) >= ? AND coalesce(p.page, 0) <= ?"""
ANY_PAGE = (0, 0, 1 << 62)


class LexicalView:
    """`ports.SearchView` on a connection in a transaction, and indexes that have taken in what it shows."""

    def __init__(self, connection: apsw.Connection, index: Any, dense: ServingIndex | None) -> None:
        self._connection = connection
        self._index = index
        self._dense = dense
        self._searcher = index.searcher()
        self._frequencies: dict[tuple[str, str], int] = {}

    def count(self, scope: Scope) -> int:
        return count_in(self._connection, scope)

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
        words = [("terms", term) for term in dict.fromkeys(terms)]
        words += [("bigrams", pair) for pair in dict.fromkeys(bigrams)]
        any_of = [
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(_term(index, field, term), WEIGHTS[field]),
            )
            for field, term in self._telling(words)
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
        return [name for name in map(rows.passage_id, numbers) if name not in passage_ids][:limit]

    def _telling(self, words: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Without those that nearly every passage has, unless there are no others."""
        most = EVERYWHERE * self._searcher.num_docs
        telling = [word for word in words if self._frequency(*word) <= most]
        return telling if any(self._frequency(*word) for word in telling) else words

    def _frequency(self, field: str, word: str) -> int:
        """In how many passages a word stands; the index is asked once."""
        key = (field, word)
        if key not in self._frequencies:
            self._frequencies[key] = self._searcher.doc_freq(field, word)
        return self._frequencies[key]

    def frequencies(self, field: str, terms: Sequence[str]) -> Mapping[str, int]:
        return {term: self._frequency(field, term) for term in terms}

    def statistics(self) -> Mapping[str, float]:
        (sums,) = rows.every(self._connection.execute(SUMS))
        passages = max(1, sums.passages)
        return {
            "passages": sums.passages,
            "terms": sums.terms / passages,
            "bigrams": sums.bigrams / passages,
            "heading": sums.heading / passages,
        }

    def vectors(self, ids: Sequence[PassageId]) -> Mapping[PassageId, TermVector]:
        return vectors.select(self._connection, ids)

    def passages(self, ids: Sequence[PassageId]) -> Mapping[PassageId, NamedPassage]:
        return vectors.named_passages_by_id(self._connection, ids)

    def texts(self, scope: Scope, most: int) -> list[str]:
        if self.count(scope) > most:
            return []
        condition = where(scope)
        low, high = condition.pages or (None, None)
        pages = ANY_PAGE if condition.pages is None else (1, low or 0, ANY_PAGE[2] if high is None else high)
        query = TEXTS.format(condition=condition.sql)
        return [row.text for row in rows.every(self._connection.execute(query, (*condition.values, *pages)))]

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
