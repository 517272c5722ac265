"""Ranking: weights of evidence, rarity of terms, and the matched share of a query.

`weighing` computes the scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field

from shisho.domain.corpus import Passage, TermVector
from shisho.language.terms import TermQuery, make_pairs
from shisho.language.vectors import find_terms
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each kind of evidence.

    Tuned on questions over Japanese encyclopaedias; flat around the values chosen.
    """

    saturation: float = 0.9  # BM25's k1
    length: float = 0.5  # BM25's b
    heading: float = 3.0  # a term of the heading counts as this many in the text
    pairs: float = 0.4
    sentence: float = 0.5
    wording: float = 0.4
    phrase: float = 2.0
    number: float = 0.6  # with its counter
    repetition: float = 0.0  # BM25's k3: the extra weight of a term that the query repeats; 0: none
    document: float = 0.0  # the share of the term score that comes from all of a document's proposed passages
    definition: float = 1.0  # of the idf of all terms, for a passage that defines the query's name
    likeness: float = 0.0  # of the best score: added to the document most similar to the first ones


LONG_QUERY = 50  # terms: in a shorter query a word is repeated by grammar rather than by topic
TOPIC_QUERY = 12  # terms: a shorter query names a thing, a longer one describes a topic of several documents
JAPANESE = Weights()
# A passage of 500 characters is short in English: a document's topic spans several of them, so that most of
# the score is the document's, at the length of the whole document. A question that describes a topic has
# several documents, which repeat in other words what the first ones say. Fitted on sets of five sources, the
# floors of Cranfield kept (`eval/english.py`).
ENGLISH = Weights(
    saturation=1.5, length=0.75, heading=3.0, sentence=0.0, repetition=5.0, document=0.7, likeness=0.5
)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of the corpus.

    The number of passages, the mean lengths of their terms, heading terms and pairs, and the number of
    passages that contain each term and pair of a query. A term of the heading counts as contained.
    """

    passages: int
    length: float
    heading: float
    pairs: float
    terms: Mapping[str, int] = field(default_factory=dict)
    bigrams: Mapping[str, int] = field(default_factory=dict)


def match(query: TermQuery, passage: Passage, vector: TermVector | None, statistics: Statistics) -> float:
    """Return the share of the query that the passage matches, 0 to 1.

    It is the idf of matched terms over the idf of all, including the heading. A query without terms, such as
    株, is matched by its character pairs, for which no vector is needed.
    """
    if query.terms:
        worth = compute_idf(query.terms, statistics.terms, statistics.passages)
        present = set() if vector is None else find_terms(worth, vector.terms + vector.heading)
    else:
        worth = compute_idf(query.bigrams, statistics.bigrams, statistics.passages)
        present = worth.keys() & set(make_pairs(passage.text).split())
    whole = sum(worth.values())
    return sum(worth[term] for term in present) / whole if whole else 0.0


def scale_repetition(query: TermQuery, weights: Weights) -> float:
    """Return BM25's k3 for a query: in full from `LONG_QUERY` terms on, proportional below."""
    return weights.repetition * min(1.0, len(query.terms) / LONG_QUERY)


def scale_likeness(query: TermQuery, weights: Weights) -> float:
    """Return the weight of likeness: in full from `TOPIC_QUERY` terms on, proportional below."""
    return weights.likeness * min(1.0, len(query.terms) / TOPIC_QUERY)


def compute_idf(items: Iterable[str], frequencies: Mapping[str, int], passages: int) -> dict[str, float]:
    """Return the rarity of each item, from near 0 (in all of so many passages) upward."""
    return {item: compute_rarity(frequencies.get(item, 0), passages) for item in items}


def query_idf(query: TermQuery, statistics: Statistics) -> dict[str, float]:
    """Return the rarity of each term of a query.

    A term with synonyms is as common as the commonest of them. A synonym of several terms is at most as
    common as its rarest one.
    """
    frequencies = {**statistics.terms}
    for term, synonyms in query.synonyms.items():
        most = (min(statistics.terms.get(part, 0) for part in word) for word in synonyms)
        frequencies[term] = max((statistics.terms.get(term, 0), *most))
    return compute_idf(query.terms, frequencies, statistics.passages)


def compute_rarity(frequency: int, passages: int) -> float:
    """Return BM25's idf for an item in `frequency` of so many passages."""
    return math.log(1 + (max(passages, frequency) - frequency + 0.5) / (frequency + 0.5))
