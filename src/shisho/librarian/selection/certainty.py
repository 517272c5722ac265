"""The probability that the passages to show answer the question: one calibrated linear model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shisho.librarian.selection.answer_kinds import AnswerKind
from shisho.librarian.selection.features import PassageMatch
from shisho.librarian.selection.question import AnalysedQuestion
from shisho.librarian.selection.ranker import SentenceScores

COMPARED_PASSAGES = 5
_FACTS = frozenset({AnswerKind.TIME, AnswerKind.PERSON, AnswerKind.AMOUNT, AnswerKind.PLACE})


class SelectionFeatures(NamedTuple):
    """Features of a selection, in the order of the weights. "Best" is the best sentence and its passage."""

    margin: float  # mean log-odds of the best five passages less those of the best passage
    document_probability: float  # share of the odds that the document of the best passage holds
    missing: float  # share of the question's term weight that the best passage, its heading and title lack
    figures: float  # the best passage holds all figures of the question
    terms: float  # log of the number of the question's terms
    asks_fact: float  # a time, person, amount or place is asked for
    is_open: float  # no kind of answer is known
    rank: float  # log of the best passage's rank in the search, from 1
    length: float  # log of the best sentence's characters
    coverage: float  # as of the best sentence, like all below
    permission: float
    definition: float
    unit: float


def measure_selection(
    question: AnalysedQuestion, ranking: SentenceScores, matched: Sequence[PassageMatch]
) -> SelectionFeatures:
    """Measure a ranking with at least one candidate."""
    best, _ = ranking.candidates[0]
    passage = matched[best.passage]
    top = ranking.passages[0][1]
    leading = [log_odds for _, log_odds in ranking.passages[:COMPARED_PASSAGES]]
    odds = [(matched[place].shown.title, math.exp(log_odds - top)) for place, log_odds in ranking.passages]
    own = best.features
    return SelectionFeatures(
        margin=sum(leading) / len(leading) - top,
        document_probability=sum(each for title, each in odds if title == odds[0][0])
        / sum(each for _, each in odds),
        missing=1 - passage.measure_share(question.weights, passage.words),
        figures=float(all(figure in passage.analysed.dense for figure in question.figures)),
        terms=math.log(1 + len(question.weights)),
        asks_fact=float(question.kind in _FACTS),
        is_open=float(question.kind is AnswerKind.OTHER),
        rank=math.log(1 + best.passage),
        length=math.log(1 + best.sentence.end - best.sentence.start),
        coverage=own.coverage,
        permission=own.permission,
        definition=own.definition,
        unit=own.unit,
    )


def estimate_probability(
    features: SelectionFeatures, weights: Mapping[str, float], intercept: float
) -> float:
    """Return the probability that the selection answers, from 0 to 1."""
    log_odds = intercept + sum(weights[name] * value for name, value in features._asdict().items())
    return 1 / (1 + math.exp(-log_odds))
