"""Our scoring: a pure function of the query, the proposed passages and the corpus's statistics. All passages
are weighed at once, from what was prepared when they were taken in.

BM25F over terms, where a heading counts as part of its passage, several times over; BM25 over character
pairs; and what bags of words do not see: terms that meet in one sentence, the question's own wording, quoted
phrases, numbers with what they count. In English also: how often the query says a term, what a document's
proposed passages say together, and how much each says of what the first documents say (pseudo-relevance
feedback)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from shisho.corpus.fusion import NONE_DEFINING
from shisho.corpus.occurrences import JoinedCharacters, JoinedTerms, Whole
from shisho.corpus.rank import (
    ENGLISH,
    JAPANESE,
    Statistics,
    Weights,
    likeness_of,
    pair_idf,
    query_idf,
    rarity,
    repetition_of,
)
from shisho.domain.corpus import DocumentId, PassageId, TermVector
from shisho.domain.ranking import RankedCandidate
from shisho.language.terms import TermQuery

Scores = NDArray[np.float64]
"""One number a passage, or of several things one row each."""

FIRST_DOCUMENTS = 3  # are taken for what is sought; of five, one that is not draws others after it
DOCUMENT_PASSAGES = 5  # a document of so many is still about one thing
LIKE_TERMS = 100  # of what they say, what tells them most from the other candidates


def rank(
    query: TermQuery,
    candidates: Sequence[TermVector],
    statistics: Statistics,
    weights: Weights | None = None,
    depth: int | None = None,
    defining: Mapping[PassageId, float] = NONE_DEFINING,
) -> list[RankedCandidate]:
    """The best `depth` candidates, or all, best first, each with its score, the parts that it is the sum of,
    and `match`, the share of the query's terms that it has. Equal scores: by id. `defining`: how
    surely passages say what the query names."""
    if not candidates:
        return []
    scale = _Scale(query, candidates, statistics, weights or (JAPANESE if query.is_japanese else ENGLISH))
    parts = scale.parts()
    scores = sum(parts.values(), np.zeros(len(candidates)))
    parts["likeness"] = scale.likeness(scores)
    if defining:
        parts["definition"] = scale.definition(defining)
    scores = sum((parts[name] for name in ("likeness", "definition") if name in parts), scores)
    names = scale.names
    places = sorted(zip((-scores).tolist(), names, range(len(names)), strict=True))[:depth]
    order = [at for _, _, at in places]
    parts["match"] = scale.match()
    rows = np.array(list(parts.values())).T[order].tolist()
    best_names = [name for _, name, _ in places]
    documents = [scale.documents[at] for at in order]
    best_scores = scores[order].tolist()
    # Most candidates are made for nobody to look at: at the speed of C.
    return [*map(RankedCandidate._make, zip(best_names, documents, best_scores, repeat(tuple(parts)), rows))]


class _Scale:
    """A query and the passages that are weighed for it."""

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
        # All texts, then all their headings: looked through once.
        self._joined_terms = JoinedTerms([*terms, *headings])
        self._characters = JoinedCharacters(characters)
        sizes = np.array(counts, np.float64)
        self._term_counts, self._heading_counts, self._pair_counts, self._document_counts = sizes
        self._lines = self._count_by_line()
        by_passage = self._joined_terms.add_up_by_passage(self._lines)
        self._counts = by_passage[:, : self._size]
        self._in_heading = by_passage[:, self._size :] > 0

    def _count_by_line(self) -> Whole:
        """How often each term stands in each line, a synonym counted as the term itself."""
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

    def parts(self) -> dict[str, Scores]:
        """Of all passages each part of their scores."""
        weights = self._weights
        pairs = self._query.bigrams
        runs = self._characters.count((*pairs, *self._query.wording))
        together = self._document_shares() if weights.document else np.zeros(self._size)
        return {
            "terms": (1 - together) * self._bm25f(),
            "document": together * self._bm25f_of_documents() if weights.document else together,
            "pairs": weights.pairs * self._bm25_pairs(runs[: len(pairs)]),
            "sentence": weights.sentence * self._best_sentence(),
            "wording": weights.wording * self._wording(runs[len(pairs) :] > 0),
            "phrase": weights.phrase * self._in_a_row(self._query.phrases),
            "number": weights.number * self._in_a_row(self._query.numbers),
        }

    def match(self) -> Scores:
        """The share of the query's idf that each passage has, the heading counted."""
        whole = self._worth.sum()
        present = (self._counts > 0) | self._in_heading
        return (self._worth[:, None] * present).sum(axis=0) / whole if whole else np.zeros(self._size)

    def definition(self, defining: Mapping[PassageId, float]) -> Scores:
        """The idf of the whole query for a passage that says what it names."""
        share = np.array([defining.get(name, 0.0) for name in self.names])
        return self._weights.definition * float(self._worth.sum()) * share

    def likeness(self, scores: Scores) -> Scores:
        """How much of what the first documents say the most alike passage of each document says too: within a
        document the query alone tells which passage is first. `scores`: by what the query says."""
        first = self._first(scores) if self._weights.likeness else []
        codes = self._joined_terms.codes_of(first)
        if not len(codes):
            return np.zeros(self._size)
        counts = self._joined_terms.count_codes(codes)[:, : self._size]
        holders = (counts > 0).sum(axis=1)
        worth = np.log1p((self._size - holders + 0.5) / (holders + 0.5))
        saturated = self._saturated(counts, self._term_counts, self._statistics.length)
        salience = worth * saturated[:, first].sum(axis=1)
        most = np.argsort(-salience, kind="stable")[:LIKE_TERMS]
        alike = _total((salience * worth)[most, None] * saturated[most])
        document, sizes = self._documents_of_passages
        best = np.zeros(len(sizes))
        np.maximum.at(best, document, alike)
        likeness: Scores = (
            likeness_of(self._query, self._weights) * scores.max() * best[document] / best.max()
        )
        return likeness

    @cached_property
    def _documents_of_passages(self) -> tuple[Whole, Whole]:
        """The number of each passage's document, and how many passages each of them has."""
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

    def _document_shares(self) -> Scores:
        """Return the share of each passage's score that its document gives: less in a document of more than
        `DOCUMENT_PASSAGES`, which has several subjects."""
        document, _ = self._documents_of_passages
        passages = self._document_lengths / (self._statistics.length or 1)
        shares: Scores = self._weights.document * np.minimum(1, DOCUMENT_PASSAGES / np.maximum(passages, 1))
        return shares[document]

    def _first(self, scores: Scores) -> list[int]:
        """The best passages of the first documents. Sums that differ by their rounding are equal: by id."""
        rounded = np.round(scores, 9).tolist()
        best: dict[DocumentId, int] = {}
        for at in sorted(range(self._size), key=lambda at: (-rounded[at], self.names[at])):
            best.setdefault(self.documents[at], at)
            if len(best) == FIRST_DOCUMENTS:
                break
        return list(best.values())

    def _bm25f(self) -> Scores:
        return self._bm25_terms(self._counts, self._in_heading, self._term_counts, self._heading_counts)

    def _bm25f_of_documents(self) -> Scores:
        """Score each passage as its whole document: the terms of its proposed passages, at the document's
        length, under headings of mean length. Passages that are not proposed have few of the query's terms,
        but a document that says them once among much else is about something else."""
        document, sizes = self._documents_of_passages
        order = np.argsort(document, kind="stable")
        starts = np.cumsum(sizes) - sizes
        counts = np.add.reduceat(self._counts[:, order], starts, axis=1)
        in_heading = np.logical_or.reduceat(self._in_heading[:, order], starts, axis=1)
        heading = np.add.reduceat(self._heading_counts[order], starts) / sizes
        scores: Scores = self._bm25_terms(counts, in_heading, self._document_lengths, heading)[document]
        return scores

    def _bm25_terms(
        self, counts: Scores | Whole, in_heading: NDArray[np.bool_], body: Scores, heading: Scores
    ) -> Scores:
        """BM25 over terms of texts with headings: a row of counts a term, and the lengths of both."""
        more = self._weights.heading
        mean = self._statistics.length + more * self._statistics.heading
        return self._bm25(self._query_worth(), counts + more * in_heading, body + more * heading, mean)

    def _query_worth(self) -> Scores:
        """The idf of each term, more for one that the query repeats: twice is not twice as much."""
        k3 = repetition_of(self._query, self._weights)
        repeated = dict(self._query.repeated)
        times = np.array([repeated.get(term, 1) for term in self._terms], np.float64)
        return self._worth * times * (k3 + 1) / (times + k3)

    def _bm25_pairs(self, counts: Whole) -> Scores:
        worth = np.array(list(pair_idf(self._query.bigrams, self._statistics).values()))
        return self._bm25(worth, counts, self._pair_counts, self._statistics.pairs)

    def _bm25(self, worth: Scores, counts: Scores | Whole, length: Scores, mean: float) -> Scores:
        return _total(worth[:, None] * self._saturated(counts, length, mean))

    def _saturated(self, counts: Scores | Whole, length: Scores, mean: float) -> Scores:
        """BM25's measure of how often something stands in texts of these lengths."""
        k1 = self._weights.saturation
        b = self._weights.length
        floor = k1 * (1 - b + b * length / (mean or 1))
        # Where there is no term, and no length counts, 0 would be divided by 0.
        saturated: Scores = counts * (k1 + 1) / np.where(counts, counts + floor, 1.0)
        return saturated

    def _best_sentence(self) -> Scores:
        """The idf of the query's terms that the best sentence and the heading have between them."""
        starts = self._joined_terms.line_starts[: self._size + 1]
        holders = self._joined_terms.line_holders[: starts[-1]]
        present = (self._lines[:, : starts[-1]] > 0) & ~self._in_heading[:, holders]
        best = np.maximum.reduceat(_total(self._worth[:, None] * present), starts[:-1])
        return best + _total(self._worth[:, None] * self._in_heading)

    def _wording(self, present: NDArray[np.bool_]) -> Scores:
        """How much of the question's own wording each has; a run of characters that few of them have counts
        most."""
        worth = [rarity(int(holders), self._size) for holders in present.sum(axis=1)]
        return _total(np.array(worth)[:, None] * present)

    def _in_a_row(self, runs: Sequence[Sequence[str]]) -> Scores:
        """The idf of those of these terms that follow one another, in the text or in the heading."""
        scores = np.zeros(self._size)
        for run in runs:
            worth = sum(self._rarity.get(term, 0.0) for term in run)
            scores[np.unique(self._joined_terms.holders_of(run) % self._size)] += worth
        return scores


def _total(rows: Scores) -> Scores:
    """The sum of each column, added row by row: equal passages get equal sums."""
    total: Scores = np.add.reduce(rows, axis=0)
    return total
