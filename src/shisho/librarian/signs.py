"""The signs that speak for a sentence where no model reads it, and what they weigh. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from shisho.domain.corpus import NumberedPassage
from shisho.language.meanings import same
from shisho.librarian import questions, reading
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.reading import AnalysedPassage

_LEFT_OUT = str.maketrans("", "", "ー・")
FRAMED = 0.4  # words that say where to look: the right page need not repeat them
INFLECTED = 0.5  # verbs and adjectives have more synonyms than nouns: their absence says less


class Signs(NamedTuple):
    """The signs that speak for a sentence, each from 0 to 1. Words weigh by how rare they are in the
    corpus. What it stands under: the heading of its passage, and inside it a heading, question or lead-in."""

    own: float  # share of the question's words in the sentence
    meant: (
        float  # share of them, or of words that mean the same, there, before it, and in what it stands under
    )
    next: float  # share of them in the sentence and the one after it
    topic_head: float  # share of the topic's words in the heading
    figures: float  # a number or date of the question is not in the passage
    quoted: float  # a quoted phrase of the question is not in the passage
    neighbours: float  # share of the question's adjoining words that adjoin in the sentence
    pairs: float  # share of its character pairs in the passage
    kind: float  # the sentence holds a date, amount, reason … of its own where one is asked for
    unit: float  # the noun counted or classified is there
    defines: float  # the sentence says what the thing is whose meaning is asked for
    begins: float  # the sentence, or what it stands under, bears the number asked for (第4条)
    rank: float  # 1 for the passage shown first, 1/2 for the second …


# Fitted by `logit = softmax over a question's sentences and "none of them"`, rounded: on the even halves of NIILC
# and JSQuAD with the answering passage in the corpus and out of it, and on eval/reading's dev half at twice their
# weight; judged on the odd halves. `defines` was then raised by hand for the dev half, to the detriment of NIILC's
# questions without an answer. With `FLOOR` 95 % of the dev half's questions that
# nothing answers are left unanswered and 80 % of NIILC's, and 60 % of those that NIILC does answer are.
WEIGHTS = Signs(
    own=0.75,
    meant=3.8,
    next=1.25,
    topic_head=1.0,
    figures=-0.75,
    quoted=-1.1,
    neighbours=0.2,
    pairs=0.6,
    kind=0.9,
    unit=0.6,
    defines=4.5,
    begins=0.75,
    rank=3.0,
)
FLOOR = 8.3  # the weighed sum at which a sentence is as likely to answer as not


def term_weights(question: ParsedQuestion, rarity: Mapping[str, float]) -> dict[str, float]:
    """The question's terms by rarity, summing to 1. A term of unknown rarity is taken for the rarest."""
    rarest = max(rarity.values(), default=1.0) or 1.0
    raw = {
        term: rarity.get(term, rarest)
        * (INFLECTED if "ぁ" <= term[-1] <= "ん" else 1.0)
        * (FRAMED if term in question.frame else 1.0)
        for term in question.terms
    }
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def score(signs: Signs) -> float:
    """The logistic of the weighed signs."""
    total = sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True)) - FLOOR
    return 1 / (1 + math.exp(-total))


def topic_weights(question: ParsedQuestion, weights: Mapping[str, float]) -> dict[str, float]:
    """The words of what is asked about: the noun phrase with the rarest word, or that word alone."""
    if not weights:
        return {}
    rarest = max(weights, key=lambda term: weights[term])
    phrase = next((phrase.terms for phrase in question.phrases if rarest in phrase.terms), (rarest,))
    phrase = question.defined.terms if question.defined is not None else phrase
    raw = {term: weights[term] for term in phrase if term in weights}
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def share(weights: Mapping[str, float], words: frozenset[str]) -> float:
    """How much of the weight stands in these words."""
    return sum(weight for term, weight in weights.items() if term in words)


def wider(
    question: ParsedQuestion, weights: Mapping[str, float], words: frozenset[str]
) -> dict[str, frozenset[str]]:
    """For each term of the question the words of a passage that mean the same."""
    return {
        term: frozenset({term, *question.superlatives.get(term, ())})
        | {word for word in words if _same(term, word)}
        for term in weights
    }


@lru_cache(maxsize=100_000)
def _same(term: str, word: str) -> bool:
    return same(term, word) or (len(term) > 3 and _spelling(term) == _spelling(word))


def _spelling(word: str) -> str:
    """Katakana without what is often left out: インターバル is インタバル."""
    return word.translate(_LEFT_OUT)


def meant_share(
    weights: Mapping[str, float], alike: Mapping[str, frozenset[str]], words: frozenset[str]
) -> float:
    """As `share`, where a word counts too that means the same."""
    return sum(weight for term, weight in weights.items() if not alike[term].isdisjoint(words))


def line_signs(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    page: AnalysedPassage,
    place: int,
    alike: Mapping[str, frozenset[str]],
    of_passage: Mapping[str, float],
) -> Signs:
    """The signs of the line in this place of its passage."""
    line = page.lines[place]
    own_weight = share(weights, line.terms)
    before = page.lines[place - 1].terms if place else frozenset[str]()
    after = page.lines[place + 1].terms if place + 1 < len(page.lines) else frozenset[str]()
    under = page.heading | line.under | (question.frame & page.terms)
    beside = sum(weights[a] + weights[b] for a, b in question.neighbours)
    neighbour_weight = sum(
        weights[a] + weights[b] for a, b in question.neighbours if (a, b) in line.neighbours
    )
    return Signs(
        own=own_weight,
        meant=meant_share(weights, alike, line.terms | before | under),
        next=share(weights, line.terms | after),
        neighbours=neighbour_weight / beside if beside else own_weight,
        kind=float(questions.answers(question, line.folded)),
        unit=float(question.unit in line.folded),
        defines=float(questions.defines(question, line.folded)),
        begins=float(bool(question.labels) and question.labels <= line.labels),
        **of_passage,
    )


def passage_signs(
    question: ParsedQuestion,
    topic: Mapping[str, float],
    page: AnalysedPassage,
    passage: NumberedPassage,
    place: int,
) -> dict[str, float]:
    """The signs that all lines of a passage share; `place` counts the passages shown from 0."""
    shared = len(question.pairs & page.pairs)
    return {
        "topic_head": share(topic, page.heading),
        "figures": float(_figures_missing(question, passage)),
        "quoted": float(any(phrase not in page.folded for phrase in question.quoted)),
        "pairs": shared / len(question.pairs) if question.pairs else share(topic, page.terms),
        "rank": 1 / (1 + place),
    }


def _figures_missing(question: ParsedQuestion, passage: NumberedPassage) -> bool:
    # "Name two", "in three letters" say how to answer, not what about.
    amounts = [measure for measure in question.figures.measures if measure.value > 3]
    if not amounts and not question.figures.dates:
        return False
    figures = reading.figures_of(passage.text, passage.heading)
    dated = all(any(have.says(want) for have in figures.dates) for want in question.figures.dates)
    return not (dated and all(any(have.says(want) for have in figures.measures) for want in amounts))
