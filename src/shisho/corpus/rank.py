"""The making of a ranking: how much each kind of evidence weighs (`weighing` weighs it), how rare terms
are, and how much of a query a passage matches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shisho.domain.corpus import Passage
from shisho.language.terms import TermQuery


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each kind of evidence. Tuned on questions over Japanese encyclopaedias; flat around
    the values chosen."""

    saturation: float = 0.9  # BM25's k1
    length: float = 0.5  # BM25's b
    heading: float = 3.0  # a term of the heading counts as this many in the text
    pairs: float = 0.4
    sentence: float = 0.5
    wording: float = 0.4
    phrase: float = 2.0
    number: float = 0.6  # with what it counts
    repetition: float = 0.0  # BM25's k3: how much more a term counts that the query repeats; 0: no more
    document: float = 0.0  # the share of the score of terms that all of a document's proposed passages give
    definition: float = 1.0  # of the idf of all terms, for a passage that says what they name
    likeness: float = 0.0  # of the best score: the document most like the first ones has so much more


LONG_QUERY = 50  # terms: in a shorter query a word comes twice by its grammar rather than by its topic
TOPIC_QUERY = 12  # terms: a shorter query names a thing, a longer one describes a topic of several documents
JAPANESE = Weights()
# A passage of 500 characters is short in English: what a document is about stands in several of them, so that
# most of the score is the document's, at the length of the whole document. A question that describes a topic
# has several documents, which say in other words what the first ones say. Fitted on sets of five
# sources, the floors of Cranfield kept (`eval/english.py`).
ENGLISH = Weights(
    saturation=1.5, length=0.75, heading=3.0, sentence=0.0, repetition=5.0, document=0.7, likeness=0.5
)


@dataclass(frozen=True, slots=True)
class Statistics:
    """The corpus in figures: how many passages, mean lengths of their terms, heading terms and pairs, and in
    how many passages each term and pair of a query stands. A term stands in a passage when its text or its
    heading has it."""

    passages: int
    length: float
    heading: float
    pairs: float
    terms: Mapping[str, int] = field(default_factory=dict)
    bigrams: Mapping[str, int] = field(default_factory=dict)


def match(query: TermQuery, passage: Passage, statistics: Statistics) -> float:
    """The share of the query that the passage matches, 0 to 1: idf of matched terms over idf of all, the
    heading counted.

    A query without terms, such as 株, is matched by its character pairs.
    """
    if query.terms:
        worth = idf(query.terms, statistics)
        present = worth.keys() & {*passage.terms.split(), *passage.heading_terms.split()}
    else:
        worth = pair_idf(query.bigrams, statistics)
        present = worth.keys() & set(passage.bigrams.split())
    whole = sum(worth.values())
    return sum(worth[term] for term in present) / whole if whole else 0.0


def repetition_of(query: TermQuery, weights: Weights) -> float:
    """BM25's k3 for a query: the whole weight of repetition from `LONG_QUERY` terms on, its share below."""
    return weights.repetition * min(1.0, len(query.terms) / LONG_QUERY)


def likeness_of(query: TermQuery, weights: Weights) -> float:
    """Return the whole weight of likeness from `TOPIC_QUERY` terms on, its share below."""
    return weights.likeness * min(1.0, len(query.terms) / TOPIC_QUERY)


def idf(terms: Iterable[str], statistics: Statistics) -> dict[str, float]:
    """Rarity of each term over the corpus, from near 0 (everywhere) upward."""
    return {term: rarity(statistics.terms.get(term, 0), statistics.passages) for term in terms}


def query_idf(query: TermQuery, statistics: Statistics) -> dict[str, float]:
    """Rarity of each term of a query. One with synonyms is as common as the commonest of them."""
    return {
        term: rarity(
            max(_frequency(word, statistics) for word in ((term,), *query.synonyms.get(term, ()))),
            statistics.passages,
        )
        for term in query.terms
    }


def _frequency(word: Sequence[str], statistics: Statistics) -> int:
    """In how many passages at most a word of several terms stands."""
    return min(statistics.terms.get(term, 0) for term in word)


def pair_idf(pairs: Iterable[str], statistics: Statistics) -> dict[str, float]:
    """Rarity of each character pair over the corpus."""
    return {pair: rarity(statistics.bigrams.get(pair, 0), statistics.passages) for pair in pairs}


def rarity(frequency: int, passages: int) -> float:
    """BM25's idf of what stands in `frequency` of so many passages."""
    return math.log(1 + (max(passages, frequency) - frequency + 0.5) / (frequency + 0.5))
