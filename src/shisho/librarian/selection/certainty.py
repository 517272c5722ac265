"""The probability that the passages to show answer the question: one calibrated linear model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shisho.librarian.selection.answer_kinds import AnswerKind
from shisho.librarian.selection.features import PassageMatch
from shisho.librarian.selection.question import AnalysedQuestion
from shisho.librarian.selection.ranker import MARK_RATIO, SentenceScores

COMPARED_PASSAGES = 5
AGREEING_SHARE = 0.5  # of what the best sentence adds to the question: a passage that holds it agrees
_FACTS = frozenset({AnswerKind.TIME, AnswerKind.PERSON, AnswerKind.AMOUNT, AnswerKind.PLACE})


class SelectionFeatures(NamedTuple):
    """Features of a selection, in the order of the weights. "Best" is the best sentence and its passage."""

    margin: float  # mean log-odds of the best five passages less those of the best passage
    agreeing_probability: float  # share of the odds of the passages that are of its document or agree with it
    missing: float  # share of the question's term weight that the best passage, its heading and title lack
    figures: float  # the best passage holds all figures of the question
    terms: float  # log of the number of the question's terms
    asks_fact: float  # a time, person, amount or place is asked for
    is_open: float  # no kind of answer is known
    quantity_missing: float  # none of the marked sentences of the best passage gives the quantity in question
    rank: float  # log of the best passage's rank in the search, from 1
    length: float  # log of the best sentence's characters
    relevance: float  # share of the best sentence's terms that the question has too
    coverage: float  # as of the best sentence, like all below
    permission: float
    definition: float
    unit: float


def measure_selection(
    question: AnalysedQuestion, ranking: SentenceScores, matched: Sequence[PassageMatch]
) -> SelectionFeatures:
    """Measure a ranking with at least one candidate."""
    best, log_odds = ranking.candidates[0]
    passage, own = matched[best.passage], best.features
    leading = [other for _, other in ranking.passages[:COMPARED_PASSAGES]]
    kind = max(
        candidate.features.kind
        for candidate, other in ranking.candidates
        if candidate.passage == best.passage and other >= log_odds + math.log(MARK_RATIO)
    )
    terms = best.sentence.terms
    asked = frozenset().union(question.weights, *passage.same.values())
    return SelectionFeatures(
        margin=sum(leading) / len(leading) - ranking.passages[0][1],
        agreeing_probability=_measure_agreement(ranking, matched, terms - frozenset(question.weights)),
        missing=1 - passage.measure_share(question.weights, passage.words),
        figures=float(all(figure in passage.analysed.dense for figure in question.figures)),
        terms=math.log(1 + len(question.weights)),
        asks_fact=float(question.kind in _FACTS),
        is_open=float(question.kind is AnswerKind.OTHER and not question.asks_quantity),
        quantity_missing=float(question.asks_quantity and not kind),
        rank=math.log(1 + best.passage),
        length=math.log(1 + best.sentence.end - best.sentence.start),
        relevance=len(terms & asked) / max(1, len(terms)),
        coverage=own.coverage,
        permission=own.permission,
        definition=own.definition,
        unit=own.unit,
    )


def _measure_agreement(
    ranking: SentenceScores, matched: Sequence[PassageMatch], added: frozenset[str]
) -> float:
    """Return the share of the odds of the passages that agree with the best sentence, or are of its document.
    `added`: what it says beside the terms of the question."""
    title = matched[ranking.candidates[0][0].passage].shown.title
    top = ranking.passages[0][1]
    odds = [(matched[place], math.exp(log_odds - top)) for place, log_odds in ranking.passages]
    agreeing = sum(
        each
        for passage, each in odds
        if passage.shown.title == title
        or (added and len(added & passage.words) >= AGREEING_SHARE * len(added))
    )
    return agreeing / sum(each for _, each in odds)


def estimate_probability(
    features: SelectionFeatures, weights: Mapping[str, float], intercept: float
) -> float:
    """Return the probability that the selection answers, from 0 to 1."""
    log_odds = intercept + sum(weights[name] * value for name, value in features._asdict().items())
    return 1 / (1 + math.exp(-log_odds))
