"""Our scoring: a pure function of the query, the proposed passages and the corpus's statistics.

BM25F over terms (the heading counts as part of the passage, several times over), BM25 over character pairs, the best
sentence's share of the query, the query's own wording, and quoted phrases. The rules behind each are in `Weights`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shisho.domain.corpus import Passage, Ranked
from shisho.language.terms import Query, fold, squeeze


@dataclass(frozen=True, slots=True)
class Weights:
    """Tuned on questions over Japanese encyclopaedia passages and English abstracts; flat around the values chosen."""

    saturation: float = 0.9  # BM25's k1
    length: float = 0.5  # BM25's b
    heading: float = 3.0  # a term of the heading counts as this many in the text
    pairs: float = 0.4
    sentence: float = 0.3  # what stands in one sentence belongs together
    wording: float = 0.3  # the question's very words, particles and endings included
    phrase: float = 2.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """The corpus in figures: passages, mean lengths in terms, and in how many passages each term or pair of a query stands.

    A term stands in a passage when its text or its heading has it.
    """

    passages: int
    length: float
    heading: float
    pairs: float
    terms: Mapping[str, int] = field(default_factory=dict)
    bigrams: Mapping[str, int] = field(default_factory=dict)


def rank(query: Query, candidates: Sequence[Passage], statistics: Statistics, weights: Weights | None = None) -> list[Ranked]:
    """All candidates, best first, each with its score and the parts that it is the sum of. Equal scores: by id."""
    weights = weights or Weights()
    rarity = idf(query.terms, statistics)
    pair_rarity = {pair: _idf(statistics.bigrams.get(pair, 0), statistics.passages) for pair in query.bigrams}
    wording = _wordings(query, candidates)
    ranked = []
    for passage, worded in zip(candidates, wording, strict=True):
        heading = passage.heading_terms.split()
        sentences = [line.split() for line in passage.terms.split("\n")]
        parts = {
            "terms": _bm25f(rarity, sentences, heading, statistics, weights),
            "pairs": weights.pairs * _bm25(pair_rarity, passage.bigrams.split(), statistics.pairs, weights),
            "sentence": weights.sentence * _best_sentence(rarity, sentences, heading),
            "wording": weights.wording * worded,
            "phrase": weights.phrase * _phrases(query, rarity, sentences, heading),
        }
        ranked.append(Ranked(passage, sum(parts.values()), parts))
    return sorted(ranked, key=lambda place: (-place.score, place.passage.id))


def match(query: Query, passage: Passage, statistics: Statistics) -> float:
    """The share of the query that the passage matches, 0 to 1: idf of matched terms over idf of all, the heading counted."""
    rarity = idf(query.terms, statistics)
    whole = sum(rarity.values())
    present = rarity.keys() & {*passage.terms.split(), *passage.heading_terms.split()}
    return sum(rarity[term] for term in present) / whole if whole else 0.0


def idf(terms: Iterable[str], statistics: Statistics) -> dict[str, float]:
    """Rarity of each term over the corpus, from near 0 (everywhere) upward."""
    return {term: _idf(statistics.terms.get(term, 0), statistics.passages) for term in terms}


def _idf(frequency: int, passages: int) -> float:
    return math.log(1 + (max(passages, frequency) - frequency + 0.5) / (frequency + 0.5))


def _bm25f(
    rarity: Mapping[str, float],
    sentences: Sequence[Sequence[str]],
    heading: Sequence[str],
    statistics: Statistics,
    weights: Weights,
) -> float:
    counts: dict[str, float] = {}
    for sentence in sentences:
        for term in sentence:
            if term in rarity:
                counts[term] = counts.get(term, 0.0) + 1
    for term in heading:
        if term in rarity:
            counts[term] = counts.get(term, 0.0) + weights.heading
    length = sum(map(len, sentences)) + weights.heading * len(heading)
    return _saturated(rarity, counts, length, statistics.length + weights.heading * statistics.heading, weights)


def _bm25(rarity: Mapping[str, float], words: Sequence[str], mean: float, weights: Weights) -> float:
    return _saturated(rarity, Counter([word for word in words if word in rarity]), len(words), mean, weights)


def _saturated(rarity: Mapping[str, float], counts: Mapping[str, float], length: float, mean: float, weights: Weights) -> float:
    floor = weights.saturation * (1 - weights.length + weights.length * length / (mean or 1))
    return sum(rarity[word] * count * (weights.saturation + 1) / (count + floor) for word, count in counts.items())


def _best_sentence(rarity: Mapping[str, float], sentences: Sequence[Sequence[str]], heading: Sequence[str]) -> float:
    """The idf of the query's terms that the best sentence and the heading have between them."""
    named = rarity.keys() & set(heading)
    return max(sum(rarity[term] for term in (rarity.keys() & set(sentence)) | named) for sentence in sentences)


def _wordings(query: Query, candidates: Sequence[Passage]) -> list[float]:
    """How much of the question's own wording each candidate has; a run that few candidates have counts most."""
    texts = [squeeze(fold(f"{passage.heading}\n{passage.text}")) for passage in candidates]
    holders = [[at for at, text in enumerate(texts) if gram in text] for gram in query.wording]
    scores = [0.0] * len(candidates)
    for held in holders:
        rarity = _idf(len(held), len(candidates))
        for at in held:
            scores[at] += rarity
    return scores


def _phrases(query: Query, rarity: Mapping[str, float], sentences: Sequence[Sequence[str]], heading: Sequence[str]) -> float:
    """The idf of the quoted phrases that stand in one sentence, or in the heading, word for word."""
    if not query.phrases:
        return 0.0
    lines = [f" {' '.join(line)} " for line in (*sentences, heading)]
    found = [phrase for phrase in query.phrases if any(f" {' '.join(phrase)} " in line for line in lines)]
    return sum(rarity.get(term, 0.0) for phrase in found for term in phrase)
