"""The scoring of `corpus/weighing.py` written out passage by passage over plain strings: slow, and easy to
check by eye. What weighs faster must say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from shisho.corpus.rank import (
    ENGLISH,
    JAPANESE,
    LONG_QUERY,
    TOPIC_QUERY,
    Statistics,
    Weights,
    compute_idf,
    compute_rarity,
)
from shisho.corpus.weighing import DOCUMENT_PASSAGES, FIRST_DOCUMENTS, LIKE_TERMS
from shisho.domain.corpus import Passage, RankedPassage
from shisho.language.terms import TermQuery, squeeze


def plain_ranking(
    query: TermQuery, candidates: Sequence[Passage], statistics: Statistics, weights: Weights | None = None
) -> list[RankedPassage]:
    """All candidates, best first, each with its score and the parts that it is the sum of. Equal scores: by
    id."""
    scale = _Scale(query, statistics, weights or (JAPANESE if query.is_japanese else ENGLISH))
    plain = [squeeze(f"{passage.heading}\n{passage.text}") for passage in candidates]
    worded = _wordings(query, plain)
    documents: dict[str, list[Passage]] = {}
    for passage in candidates:
        documents.setdefault(passage.document_id, []).append(passage)
    parts = [
        scale.weigh(passage, text, wording, documents[passage.document_id])
        for passage, text, wording in zip(candidates, plain, worded, strict=True)
    ]
    scores = [sum(part.values()) for part in parts]
    for part, likeness in zip(parts, scale.likeness(candidates, scores), strict=True):
        part["likeness"] = likeness
    ranked = [
        RankedPassage(passage, sum(part.values()), part)
        for passage, part in zip(candidates, parts, strict=True)
    ]
    return sorted(ranked, key=lambda place: (-place.score, place.passage.id))


class _Scale:
    """A query made ready for weighing many passages. It looks terms up in strings: splitting every passage
    costs more."""

    def __init__(self, query: TermQuery, statistics: Statistics, weights: Weights) -> None:
        self._weights = weights
        self._statistics = statistics
        worths = compute_idf(query.terms, statistics.terms, statistics.passages)
        self._terms = {f" {term} ": worth for term, worth in worths.items()}
        self._pairs = {
            pair: compute_rarity(statistics.bigrams.get(pair, 0), statistics.passages)
            for pair in query.bigrams
        }
        k3 = weights.repetition * min(1.0, len(query.terms) / LONG_QUERY)
        self._likeness = weights.likeness * min(1.0, len(query.terms) / TOPIC_QUERY)
        repeated = {f" {term} ": count for term, count in query.repeated}
        self._worths = {
            term: worth * repeated.get(term, 1) * (k3 + 1) / (repeated.get(term, 1) + k3)
            for term, worth in self._terms.items()
        }
        self._phrases, self._numbers = (
            {f" {'  '.join(run)} ": sum(worths.get(term, 0.0) for term in run) for run in runs}
            for runs in (query.phrases, query.numbers)
        )

    def weigh(
        self, passage: Passage, plain: str, worded: float, document: Sequence[Passage]
    ) -> dict[str, float]:
        """The parts of a passage's score; `plain` is its squeezed heading and text, `document` all candidates
        of its document."""
        weights = self._weights
        body = _spaced(passage.terms)
        heading = _spaced(passage.heading_terms)
        counts = {term: float(count) for term in self._terms if (count := body.count(term))}
        named_words = {term for term in self._terms if term in heading}
        whole = f"{body}\n{heading}"
        length = sum(_size(each.terms) for each in document) / (self._statistics.length or 1)
        together = weights.document * min(1, DOCUMENT_PASSAGES / max(length, 1))
        return {
            "terms": (1 - together) * self._bm25f([passage]),
            "document": together * self._bm25f(document),
            "pairs": weights.pairs * self._bm25_pairs(plain, passage),
            "sentence": weights.sentence * self._best_sentence(counts, named_words, body),
            "wording": weights.wording * worded,
            "phrase": weights.phrase * sum([worth for run, worth in self._phrases.items() if run in whole]),
            "number": weights.number * sum([worth for run, worth in self._numbers.items() if run in whole]),
        }

    def likeness(self, candidates: Sequence[Passage], scores: Sequence[float]) -> list[float]:
        """How much of what the first documents say the most alike passage of each document says too."""
        best: dict[str, Passage] = {}
        places = zip(scores, candidates, strict=True)
        for _, passage in sorted(places, key=lambda place: (-round(place[0], 9), place[1].id)):
            best.setdefault(passage.document_id, passage)
        first = list(best.values())[:FIRST_DOCUMENTS] if self._weights.likeness else []
        counts = {passage.id: Counter(passage.terms.split()) for passage in candidates}
        words = sorted(set().union(*(counts[passage.id] for passage in first)))
        holders = {word: sum(word in own for own in counts.values()) for word in words}
        worth = {word: compute_rarity(holders[word], len(candidates)) for word in words}

        def alike(passage: Passage, salience: Mapping[str, float]) -> float:
            own = {word: count for word, count in counts[passage.id].items() if word in salience}
            return self._bm25(salience, own, _size(passage.terms), self._statistics.length)

        salience = {word: sum(alike(passage, {word: worth[word]}) for passage in first) for word in words}
        most = sorted(words, key=lambda word: -salience[word])[:LIKE_TERMS]
        told = {word: salience[word] * worth[word] for word in most}
        most_alike: dict[str, float] = {}
        for passage in candidates:
            document = passage.document_id
            most_alike[document] = max(alike(passage, told), most_alike.get(document, 0.0))
        highest = max(most_alike.values())
        share = self._likeness * max(scores) / highest if highest else 0.0
        return [share * most_alike[passage.document_id] for passage in candidates]

    def _bm25f(self, passages: Sequence[Passage]) -> float:
        """Of passages as one text, whose heading is as long as theirs in the mean."""
        more = self._weights.heading
        body = "\n".join(_spaced(passage.terms) for passage in passages)
        headings = "\n".join(_spaced(passage.heading_terms) for passage in passages)
        counts = {term: body.count(term) + more * (term in headings) for term in self._worths}
        heading = sum(_size(passage.heading_terms) for passage in passages) / len(passages)
        length = sum(_size(passage.terms) for passage in passages) + more * heading
        mean = self._statistics.length + more * self._statistics.heading
        return self._bm25(
            self._worths, {term: count for term, count in counts.items() if count}, length, mean
        )

    def _bm25_pairs(self, plain: str, passage: Passage) -> float:
        counts = {pair: count for pair in self._pairs if (count := plain.count(pair))}
        return self._bm25(self._pairs, counts, _size(passage.bigrams), self._statistics.pairs)

    def _bm25(
        self, worth: Mapping[str, float], counts: Mapping[str, float], length: float, mean: float
    ) -> float:
        k1 = self._weights.saturation
        b = self._weights.length
        floor = k1 * (1 - b + b * length / (mean or 1))
        return sum([worth[word] * count * (k1 + 1) / (count + floor) for word, count in counts.items()])

    def _best_sentence(self, counts: Iterable[str], named_words: set[str], body: str) -> float:
        """The idf of the query's terms that the best sentence and the heading have between them."""
        weights = {term: self._terms[term] for term in counts if term not in named_words}
        best = sum(weights.values())
        if len(weights) > 1:
            lines = body.split("\n")
            scores = [0.0] * len(lines)
            for term, worth in weights.items():
                for at, line in enumerate(lines):
                    if term in line:
                        scores[at] += worth
            best = max(scores)
        return best + sum([self._terms[term] for term in named_words])


def _spaced(terms: str) -> str:
    """Terms so that each has a space of its own on either side, lines kept: counting " term " is then
    exact."""
    return f" {terms} ".replace(" ", "  ").replace("\n", "  \n  ")


def _size(words: str) -> int:
    """How many words there are: one space or line feed stands between two."""
    return words.count(" ") + words.count("\n") + 1 if words else 0


def _wordings(query: TermQuery, texts: Sequence[str]) -> list[float]:
    """How much of the question's own wording each text has; a run of characters that few of them have counts
    most."""
    scores = [0.0] * len(texts)
    for gram in query.wording:
        holders = [at for at, text in enumerate(texts) if gram in text]
        for at in holders:
            scores[at] += compute_rarity(len(holders), len(texts))
    return scores
