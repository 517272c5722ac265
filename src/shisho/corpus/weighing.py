"""Scoring: a pure function of the query, the proposed passages and the corpus statistics.

All passages are scored at once, from data prepared during ingest.

BM25F over terms, with a heading as part of its passage, several times over; BM25 over character pairs; and
signals that bags of words miss: terms that co-occur in one sentence, the question's own wording, quoted
phrases, numbers with their counters. In English also: how often the query repeats a term, what a document's
proposed passages contain together, and how similar each is to the first documents (pseudo-relevance
feedback).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from shisho.corpus.fusion import NONE_DEFINING
from shisho.corpus.occurrences import Integers, JoinedCharacters, JoinedTerms
from shisho.corpus.rank import (
    ENGLISH,
    JAPANESE,
    Statistics,
    Weights,
    compute_idf,
    compute_rarity,
    query_idf,
    scale_likeness,
    scale_repetition,
)
from shisho.domain.corpus import DocumentId, PassageId, RankedCandidate, TermVector
from shisho.language.terms import TermQuery

Scores = NDArray[np.float64]
"""One number per passage, or one row of them per item."""

FIRST_DOCUMENTS = 3  # taken as relevant; of five, an irrelevant one attracts others
DOCUMENT_PASSAGES = 5  # a document of up to so many is still about one thing
LIKE_TERMS = 100  # those of their terms that distinguish them most from the other candidates


def rank(
    query: TermQuery,
    candidates: Sequence[TermVector],
    statistics: Statistics,
    weights: Weights | None = None,
    depth: int | None = None,
    defining: Mapping[PassageId, float] = NONE_DEFINING,
) -> list[RankedCandidate]:
    """Return the best `depth` candidates (None: all), best first.

    Each has its score, the parts of that sum, and `match`, its share of the query's terms. Equal scores are
    ordered by id. `defining`: the certainty that passages define the query's name.
    """
    if not candidates:
        return []
    scale = _Scale(query, candidates, statistics, weights or (JAPANESE if query.is_japanese else ENGLISH))
    parts = scale.score_parts()
    scores = sum(parts.values(), np.zeros(len(candidates)))
    parts["likeness"] = scale.score_similarity(scores)
    if defining:
        parts["definition"] = scale.score_definitions(defining)
    scores = sum((parts[name] for name in ("likeness", "definition") if name in parts), scores)
    names = scale.names
    places = sorted(zip((-scores).tolist(), names, range(len(names)), strict=True))[:depth]
    order = [at for _, _, at in places]
    parts["match"] = scale.match()
    rows = np.array(list(parts.values())).T[order].tolist()
    best_names = [name for _, name, _ in places]
    documents = [scale.documents[at] for at in order]
    best_scores = scores[order].tolist()
    # Most candidates are never inspected, so they are built at the speed of C.
    return [*map(RankedCandidate._make, zip(best_names, documents, best_scores, repeat(tuple(parts)), rows))]


class _Scale:
    """A query and the passages to score for it."""

    def __init__(
        self,
        query: TermQuery,
        candidates: Sequence[TermVector],
        statistics: Statistics,
        weights: Weights,
    ) -> None:
        self._query = query
        self._weights = weights
        self._statistics = statistics
        self._size = len(candidates)
        self._rarity = query_idf(query, statistics)
        self._worth = np.array(list(self._rarity.values()))
        self._terms = list(self._rarity)
        # The fields of `TermVector` in their order.
        names, documents, terms, headings, characters, *counts = zip(*candidates, strict=True)
        self.names: Sequence[PassageId] = names
        self.documents: Sequence[DocumentId] = documents
        # All texts, then all their headings: scanned once.
        self._joined_terms = JoinedTerms([*terms, *headings])
        self._characters = JoinedCharacters(characters)
        sizes = np.array(counts, np.float64)
        self._term_counts, self._heading_counts, self._pair_counts, self._document_counts = sizes
        self._lines = self._count_by_line()
        by_passage = self._joined_terms.add_up_by_passage(self._lines)
        self._counts = by_passage[:, : self._size]
        self._in_heading = by_passage[:, self._size :] > 0

    def _count_by_line(self) -> Integers:
        """Return how often each term occurs in each line; synonyms count as the term itself."""
        synonyms = self._query.synonyms
        if not synonyms:
            return self._joined_terms.count(self._terms)
        names = self._query.all_terms
        row = {name: at for at, name in enumerate(names)}
        counts = self._joined_terms.count(names)
        lines = counts[[row[term] for term in self._terms]]
        for at, term in enumerate(self._terms):
            for word in synonyms.get(term, ()):
                lines[at] += counts[[row[part] for part in word]].min(axis=0)
        return lines

    def score_parts(self) -> dict[str, Scores]:
        """Return each part of the scores, for all passages."""
        weights = self._weights
        pairs = self._query.bigrams
        runs = self._characters.count((*pairs, *self._query.wording))
        body = self._score_terms(self._counts, self._in_heading, self._term_counts, self._heading_counts)
        together = self._weigh_documents() if weights.document else np.zeros(self._size)
        return {
            "terms": (1 - together) * body,
            "document": together * self._score_documents() if weights.document else together,
            "pairs": weights.pairs * self._score_pairs(runs[: len(pairs)]),
            "sentence": weights.sentence * self._score_best_sentence(),
            "wording": weights.wording * self._score_wording(runs[len(pairs) :] > 0),
            "phrase": weights.phrase * self._score_sequences(self._query.phrases),
            "number": weights.number * self._score_sequences(self._query.numbers),
        }

    def match(self) -> Scores:
        """Return the share of the query's idf that each passage has, including its heading."""
        whole = self._worth.sum()
        present = (self._counts > 0) | self._in_heading
        return (self._worth[:, None] * present).sum(axis=0) / whole if whole else np.zeros(self._size)

    def score_definitions(self, defining: Mapping[PassageId, float]) -> Scores:
        """Return the idf of the whole query for passages that define its name."""
        share = np.array([defining.get(name, 0.0) for name in self.names])
        return self._weights.definition * float(self._worth.sum()) * share

    def score_similarity(self, scores: Scores) -> Scores:
        """Return how similar each document's most similar passage is to the first documents.

        All passages of a document get this score: within it, the query alone decides which passage is first.
        `scores`: those by the query.
        """
        first = self._select_first(scores) if self._weights.likeness else []
        codes = self._joined_terms.list_codes(first)
        if not len(codes):
            return np.zeros(self._size)
        counts = self._joined_terms.count_codes(codes)[:, : self._size]
        holders = (counts > 0).sum(axis=1)
        worth = np.log1p((self._size - holders + 0.5) / (holders + 0.5))
        saturated = self._saturate(counts, self._term_counts, self._statistics.length)
        salience = worth * saturated[:, first].sum(axis=1)
        most = np.argsort(-salience, kind="stable")[:LIKE_TERMS]
        alike = _sum_columns((salience * worth)[most, None] * saturated[most])
        document, sizes = self._documents_of_passages
        best = np.zeros(len(sizes))
        np.maximum.at(best, document, alike)
        likeness: Scores = (
            scale_likeness(self._query, self._weights) * scores.max() * best[document] / best.max()
        )
        return likeness

    @cached_property
    def _documents_of_passages(self) -> tuple[Integers, Integers]:
        """The number of each passage's document, and the passage count of each document."""
        _, document, sizes = np.unique(self.documents, return_inverse=True, return_counts=True)
        return document, sizes

    @cached_property
    def _document_lengths(self) -> Scores:
        """The terms of each document: of its proposed passages, if no more is known."""
        document, sizes = self._documents_of_passages
        lengths = np.zeros(len(sizes))
        np.add.at(lengths, document, self._term_counts)
        np.maximum.at(lengths, document, self._document_counts)
        return lengths

    def _weigh_documents(self) -> Scores:
        """Return the share of each passage's score that its document gives.

        It is smaller in a document of more than `DOCUMENT_PASSAGES`, which has several subjects.
        """
        document, _ = self._documents_of_passages
        passages = self._document_lengths / (self._statistics.length or 1)
        shares: Scores = self._weights.document * np.minimum(1, DOCUMENT_PASSAGES / np.maximum(passages, 1))
        return shares[document]

    def _select_first(self, scores: Scores) -> list[int]:
        """Return the best passages of the first documents.

        Sums that differ only by rounding are equal, and ordered by id.
        """
        rounded = np.round(scores, 9).tolist()
        best: dict[DocumentId, int] = {}
        for at in sorted(range(self._size), key=lambda at: (-rounded[at], self.names[at])):
            best.setdefault(self.documents[at], at)
            if len(best) == FIRST_DOCUMENTS:
                break
        return list(best.values())

    def _score_documents(self) -> Scores:
        """Return the score of each passage as its whole document.

        The terms of its proposed passages count, at the document's length, under headings of mean length.
        Passages that are not proposed have few of the query's terms, but a document that contains them once
        among much else is about something else.
        """
        document, sizes = self._documents_of_passages
        order = np.argsort(document, kind="stable")
        starts = np.cumsum(sizes) - sizes
        counts = np.add.reduceat(self._counts[:, order], starts, axis=1)
        in_heading = np.logical_or.reduceat(self._in_heading[:, order], starts, axis=1)
        heading = np.add.reduceat(self._heading_counts[order], starts) / sizes
        scores: Scores = self._score_terms(counts, in_heading, self._document_lengths, heading)[document]
        return scores

    def _score_terms(
        self, counts: Scores | Integers, in_heading: NDArray[np.bool_], body: Scores, heading: Scores
    ) -> Scores:
        """Return BM25 over terms of texts with headings.

        There is one row of counts per term, and both lengths.
        """
        more = self._weights.heading
        mean = self._statistics.length + more * self._statistics.heading
        return self._score_bm25(self._query_worth(), counts + more * in_heading, body + more * heading, mean)

    def _query_worth(self) -> Scores:
        """Return the idf of each term, more if the query repeats it, but less than proportionally."""
        k3 = scale_repetition(self._query, self._weights)
        repeated = dict(self._query.repeated)
        times = np.array([repeated.get(term, 1) for term in self._terms], np.float64)
        return self._worth * times * (k3 + 1) / (times + k3)

    def _score_pairs(self, counts: Integers) -> Scores:
        statistics = self._statistics
        idf = compute_idf(self._query.bigrams, statistics.bigrams, statistics.passages)
        worth = np.array(list(idf.values()))
        return self._score_bm25(worth, counts, self._pair_counts, self._statistics.pairs)

    def _score_bm25(self, worth: Scores, counts: Scores | Integers, length: Scores, mean: float) -> Scores:
        return _sum_columns(worth[:, None] * self._saturate(counts, length, mean))

    def _saturate(self, counts: Scores | Integers, length: Scores, mean: float) -> Scores:
        """Return BM25's saturated frequency in texts of these lengths."""
        k1 = self._weights.saturation
        b = self._weights.length
        floor = k1 * (1 - b + b * length / (mean or 1))
        # Without a term, and if no length counts, 0 would be divided by 0.
        saturated: Scores = counts * (k1 + 1) / np.where(counts, counts + floor, 1.0)
        return saturated

    def _score_best_sentence(self) -> Scores:
        """Return the idf of the query's terms in the best sentence and the heading together."""
        starts = self._joined_terms.line_starts[: self._size + 1]
        holders = self._joined_terms.line_holders[: starts[-1]]
        present = (self._lines[:, : starts[-1]] > 0) & ~self._in_heading[:, holders]
        best = np.maximum.reduceat(_sum_columns(self._worth[:, None] * present), starts[:-1])
        return best + _sum_columns(self._worth[:, None] * self._in_heading)

    def _score_wording(self, present: NDArray[np.bool_]) -> Scores:
        """Return how much of the question's own wording each passage has.

        A run of characters in few passages counts most.
        """
        worth = [compute_rarity(int(holders), self._size) for holders in present.sum(axis=1)]
        return _sum_columns(np.array(worth)[:, None] * present)

    def _score_sequences(self, runs: Sequence[Sequence[str]]) -> Scores:
        """Return the idf of the terms that occur in sequence, in the text or in the heading."""
        scores = np.zeros(self._size)
        for run in runs:
            worth = sum(self._rarity.get(term, 0.0) for term in run)
            scores[np.unique(self._joined_terms.find_passages(run) % self._size)] += worth
        return scores


def _sum_columns(rows: Scores) -> Scores:
    """Return the sum of each column, added row by row: equal passages get equal sums."""
    total: Scores = np.add.reduce(rows, axis=0)
    return total
