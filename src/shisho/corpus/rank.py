"""Our scoring: a pure function of the query, the proposed passages and the corpus's statistics.

BM25F over terms (the heading counts as part of the passage, several times over), BM25 over character pairs, the best
sentence's share of the query, the query's own wording, and quoted phrases. The rules behind each are in `Weights`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from shisho.domain.corpus import Passage, Ranked
from shisho.language.terms import Query, squeeze


@dataclass(frozen=True, slots=True)
class Weights:
    """What each kind of evidence is worth. Tuned on questions over Japanese encyclopaedias; flat around the values chosen."""

    saturation: float = 0.9  # BM25's k1
    length: float = 0.5  # BM25's b
    heading: float = 3.0  # a term of the heading counts as this many in the text
    pairs: float = 0.4
    sentence: float = 0.3  # what stands in one sentence belongs together
    wording: float = 0.3  # the question's very words, particles and endings included
    adjacent: float = 0.3  # neighbours in the question that are neighbours in the passage
    phrase: float = 2.0


JAPANESE = Weights()
# English asks of long abstracts: BM25's customary k1 and b, and no gain from single sentences.
ENGLISH = Weights(saturation=1.5, length=0.75, sentence=0.0)


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
    weights = weights or (JAPANESE if query.wording else ENGLISH)
    rarity = idf(query.terms, statistics)
    pairs = {pair: _idf(statistics.bigrams.get(pair, 0), statistics.passages) for pair in query.bigrams}
    plain = [squeeze(f"{passage.heading}\n{passage.text}") for passage in candidates]
    ranked = []
    for passage, text, worded in zip(candidates, plain, _wordings(query, plain), strict=True):
        body, heading = _padded(passage.terms), _padded(passage.heading_terms)
        terms = {term: float(count) for term in rarity if (count := body.count(f" {term} "))}
        named = [term for term in rarity if f" {term} " in heading]
        parts = {
            "terms": _bm25f(rarity, terms, named, passage, statistics, weights),
            "pairs": weights.pairs * _pairs(pairs, text, passage, statistics, weights),
            "sentence": weights.sentence * _best_sentence(rarity, terms, named, body),
            "wording": weights.wording * worded,
            "adjacent": weights.adjacent * _adjacent(query, rarity, body),
            "phrase": weights.phrase * _phrases(query, rarity, body, heading),
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


def _padded(terms: str) -> str:
    """Terms so that each has a space of its own on either side, lines kept: `body.count(" term ")` is then exact."""
    return f" {terms} ".replace(" ", "  ").replace("\n", "  \n  ")


def _bm25f(
    rarity: Mapping[str, float],
    terms: Mapping[str, float],
    named: Sequence[str],
    passage: Passage,
    statistics: Statistics,
    weights: Weights,
) -> float:
    counts = {**terms, **{term: terms.get(term, 0.0) + weights.heading for term in named}}
    length = _size(passage.terms) + weights.heading * _size(passage.heading_terms)
    return _saturated(rarity, counts, length, statistics.length + weights.heading * statistics.heading, weights)


def _pairs(pairs: Mapping[str, float], text: str, passage: Passage, statistics: Statistics, weights: Weights) -> float:
    counts = {pair: float(count) for pair in pairs if (count := text.count(pair))}
    return _saturated(pairs, counts, _size(passage.bigrams), statistics.pairs, weights)


def _size(words: str) -> int:
    """How many words there are, without taking them apart: they are separated by one space or one line feed."""
    return words.count(" ") + words.count("\n") + 1 if words else 0


def _saturated(rarity: Mapping[str, float], counts: Mapping[str, float], length: float, mean: float, weights: Weights) -> float:
    floor = weights.saturation * (1 - weights.length + weights.length * length / (mean or 1))
    return sum([rarity[word] * count * (weights.saturation + 1) / (count + floor) for word, count in counts.items()])


def _best_sentence(rarity: Mapping[str, float], terms: Iterable[str], named: Sequence[str], body: str) -> float:
    """The idf of the query's terms that the best sentence and the heading have between them."""
    wanted = [(f" {term} ", rarity[term]) for term in terms if term not in named]
    best = max([sum([worth for term, worth in wanted if term in line]) for line in body.split("\n")])
    return best + sum([rarity[term] for term in named])


def _adjacent(query: Query, rarity: Mapping[str, float], body: str) -> float:
    """The lesser idf of each two neighbouring terms of the query that stand side by side in the text, in that order."""
    return sum([min(rarity[a], rarity[b]) for a, b in pairwise(query.terms) if f" {a}  {b} " in body])


def _wordings(query: Query, texts: Sequence[str]) -> list[float]:
    """How much of the question's own wording each text has; a run that few of them have counts most."""
    scores = [0.0] * len(texts)
    for gram in query.wording:
        holders = [at for at, text in enumerate(texts) if gram in text]
        rarity = _idf(len(holders), len(texts))
        for at in holders:
            scores[at] += rarity
    return scores


def _phrases(query: Query, rarity: Mapping[str, float], body: str, heading: str) -> float:
    """The idf of the quoted phrases that stand in one sentence, or in the heading, word for word."""
    whole = f"{body}\n{heading}" if query.phrases else ""
    found = [phrase for phrase in query.phrases if f" {'  '.join(phrase)} " in whole]
    return sum(rarity.get(term, 0.0) for phrase in found for term in phrase)
