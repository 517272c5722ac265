"""Which sentences of the shown passages answer a goal, and how surely. No model: ten signs, weighed.

The weights are those of a logistic regression over questions whose answering sentence is known, rounded; 0.5
stands where about 4 in 100 answered questions fall below and two thirds of the unanswerable ones do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.language.clauses import clauses
from shisho.language.terms import fold, terms
from shisho.librarian import questions, reading
from shisho.librarian.evidence import double
from shisho.librarian.questions import ParsedQuestion
from shisho.librarian.reading import AnalysedPassage, SentenceLine

ENOUGH = 0.5  # a sentence with this score answers its goal
NEAR = 0.1  # below ENOUGH but worth showing beside the word that the answer was not found
QUOTES = 4  # sentences for one goal at most, unless it asks for more
QUOTED_CHARS = 250  # no further sentence is added beyond this
RELATIVE = 0.03  # of the best sentence's odds: a further one must reach this, more if it is long
LONG = 100  # characters: a longer sentence is cut to the clauses that matter
INFLECTED = 0.5  # verbs and adjectives have more synonyms than nouns: their absence says less


class Signs(NamedTuple):
    """The signs that speak for a sentence, each from 0 to 1. Words weigh by how rare they are in the
    corpus."""

    own: float  # share of the question's words in the sentence
    near: float  # share of them in the sentence, the one before it and the heading
    whole: float  # share of them in the passage and its heading
    gap: float  # weight of the heaviest word that the passage lacks
    figures: float  # a number or date of the question is not in the passage
    quoted: float  # a quoted phrase of the question is not in the passage
    neighbours: float  # share of the question's adjoining words that adjoin in the sentence
    pairs: float  # share of its character pairs in the passage
    kind: float  # the sentence holds a date, amount, reason … of its own where one is asked for
    unit: float  # the noun counted or classified is there


WEIGHTS = Signs(1.6, 0.8, 2.4, -4.0, -1.7, -1.3, 2.2, 3.5, 1.45, 0.8)
FLOOR = 6.5  # the weighed sum at which the score is ENOUGH


@dataclass(frozen=True, slots=True)
class _Candidate:
    shown: NumberedPassage
    line: SentenceLine
    score: float


def terms_wanted(goals: Sequence[Goal]) -> list[str]:
    """The index terms whose rarity `select` needs."""
    return list(dict.fromkeys(term for goal in goals for term in questions.read(goal.question).terms))


def select(
    passages: Sequence[NumberedPassage],
    goals: Sequence[Goal],
    refs: Sequence[EvidenceRef],
    rarity: Mapping[str, float],
) -> list[Finding]:
    """For each goal its best new sentences, best first, verbatim and with scores from 0 to 1; none where
    nothing is near."""
    return [
        finding
        for goal in goals
        for finding in _for_goal(passages, goal, [e for e in refs if e.goal_id == goal.id], rarity)
    ]


def _for_goal(
    passages: Sequence[NumberedPassage], goal: Goal, refs: Sequence[EvidenceRef], rarity: Mapping[str, float]
) -> Iterator[Finding]:
    question = questions.read(goal.question)
    weights = term_weights(question, rarity)
    ranked = sorted(_candidates(passages, question, weights), key=lambda candidate: -candidate.score)
    # What was near before stays; only what is nearer, or an answer, joins it.
    floor = min(ENOUGH, max((ref.score for ref in refs), default=NEAR))
    if not ranked or ranked[0].score < floor:
        return
    told_words = [ref.snippet for ref in refs]
    accepted = 0
    chars = 0
    for first in ranked:
        if accepted == max(QUOTES, goal.min_evidence):
            return
        if _odds(first.score) < RELATIVE * _odds(ranked[0].score):
            return
        start, end = _cut(first, weights)
        snippet = first.shown.text[start:end]
        worth = _odds(first.score) * min(3.0, 60 / len(snippet))
        if accepted and (worth < RELATIVE * _odds(ranked[0].score) or chars + len(snippet) > QUOTED_CHARS):
            continue
        if any(double(snippet, other) for other in told_words):
            continue
        told_words.append(snippet)
        accepted = accepted + 1
        chars = chars + len(snippet)
        yield Finding(first.shown.temp_index, goal.id, snippet, round(first.score, 4))


def term_weights(question: ParsedQuestion, rarity: Mapping[str, float]) -> dict[str, float]:
    """The question's terms by rarity, summing to 1. A term of unknown rarity is taken for the rarest."""
    rarest = max(rarity.values(), default=1.0) or 1.0
    raw = {
        term: rarity.get(term, rarest) * (INFLECTED if "ぁ" <= term[-1] <= "ん" else 1.0)
        for term in question.terms
    }
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def _candidates(
    passages: Sequence[NumberedPassage], question: ParsedQuestion, weights: Mapping[str, float]
) -> Iterator[_Candidate]:
    if not weights:
        return
    for passage in passages:
        page = reading.read(passage.text, passage.heading)
        of_passage = _passage_signs(question, weights, page, passage)
        before: frozenset[str] = frozenset()
        for line in page.lines:
            yield _Candidate(passage, line, score(_signs(question, weights, page, line, before, of_passage)))
            before = line.terms


def score(signs: Signs) -> float:
    """The logistic of the weighed signs."""
    total = sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True)) - FLOOR
    return 1 / (1 + math.exp(-total))


def _signs(
    question: ParsedQuestion,
    weights: Mapping[str, float],
    page: AnalysedPassage,
    line: SentenceLine,
    before: frozenset[str],
    of_passage: Mapping[str, float],
) -> Signs:
    own_weight = sum(weight for term, weight in weights.items() if term in line.terms)
    near = line.terms | before | page.heading
    beside = sum(weights[a] + weights[b] for a, b in question.neighbours)
    neighbour_weight = sum(
        weights[a] + weights[b] for a, b in question.neighbours if (a, b) in line.neighbours
    )
    return Signs(
        own=own_weight,
        near=sum(weight for term, weight in weights.items() if term in near),
        neighbours=neighbour_weight / beside if beside else own_weight,
        kind=float(questions.answers(question, line.folded)),
        unit=float(question.unit in line.folded),
        **of_passage,
    )


def _passage_signs(
    question: ParsedQuestion, weights: Mapping[str, float], page: AnalysedPassage, passage: NumberedPassage
) -> dict[str, float]:
    missing = [weight for term, weight in weights.items() if term not in page.terms]
    whole = 1 - sum(missing)
    return {
        "whole": whole,
        "gap": max(missing, default=0.0),
        "figures": float(_figures_missing(question, passage)),
        "quoted": float(any(phrase not in page.folded for phrase in question.quoted)),
        "pairs": len(question.pairs & page.pairs) / len(question.pairs) if question.pairs else whole,
    }


def _figures_missing(question: ParsedQuestion, passage: NumberedPassage) -> bool:
    # "Name two", "in three letters" say how to answer, not what about.
    amounts = [measure for measure in question.figures.measures if measure.value > 3]
    if not amounts and not question.figures.dates:
        return False
    figures = reading.figures_of(passage.text, passage.heading)
    dated = all(any(have.says(want) for have in figures.dates) for want in question.figures.dates)
    return not (dated and all(any(have.says(want) for have in figures.measures) for want in amounts))


def _cut(candidate: _Candidate, weights: Mapping[str, float]) -> tuple[int, int]:
    """A long sentence from the clause before the question's first word in it to the clause after the last."""
    start = candidate.line.start
    end = candidate.line.end
    if end - start <= LONG:
        return start, end
    parts = clauses(candidate.shown.text, start, end)
    speaking = [
        at
        for at, (a, b) in enumerate(parts)
        if not weights.keys().isdisjoint(terms(fold(candidate.shown.text[a:b])))
    ]
    if not speaking:
        return start, end
    return parts[max(0, speaking[0] - 1)][0], parts[min(len(parts) - 1, speaking[-1] + 1)][1]


def _odds(score: float) -> float:
    return score / max(1e-9, 1 - score)
