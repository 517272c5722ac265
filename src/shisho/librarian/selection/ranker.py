"""Rank sentences and passages by the fitted weights, and choose the passages to show.

Their best sentences are marked, with the probability that they answer the question.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from shisho.librarian.selection.features import PassageMatch, SentenceCandidate
from shisho.librarian.selection.question import AnalysedQuestion, AnswerKind
from shisho.records import dataclass

MAX_SHOWN = 4  # passages of one goal
MAX_COMPARED = 4  # times as many passages as are shown: gates may put some last, and short ones may still fit
MAX_SHOWN_CHARS = 1_100  # of all passages of a goal, unless the first alone is longer
MAX_MARKS = 4  # marked sentences of one passage
SHOWN_RATIO = 0.01  # of the odds of the best passage: a further one is shown from here on
FILE = "weights.json"
COMPARED_PASSAGES = 5
AGREEING_SHARE = 0.5  # of the terms that the best sentence adds to the question: a passage with these agrees
_FACTS = frozenset({AnswerKind.TIME, AnswerKind.PERSON, AnswerKind.AMOUNT, AnswerKind.PLACE})
MARK_RATIO = 0.3  # of the odds of the passage's best sentence: a further one is marked from here on


@dataclass(frozen=True, slots=True)
class PassageChoice:
    """A passage to show.

    `place`: its index among the matched passages; `marks`: its best sentences in the order of the text;
    `log_odds`: that one of its sentences answers.
    """

    place: int
    marks: tuple[SentenceCandidate, ...]
    log_odds: float


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """All sentences and all passages with their log-odds, best first.

    The odds of a passage are the sum of those of its sentences: any of them may answer.
    """

    candidates: tuple[tuple[SentenceCandidate, float], ...]
    passages: tuple[tuple[int, float], ...]


def rank(candidates: Sequence[SentenceCandidate], weights: Mapping[str, float]) -> SentenceScores:
    """Rank candidates by a linear model over their features. Equal ones keep their order."""
    by_place = [weights[name] for name in SentenceCandidate.feature_names()]
    scored = [
        (candidate, sum(weight * value for weight, value in zip(by_place, candidate.features, strict=True)))
        for candidate in candidates
    ]
    scored.sort(key=lambda pair: -pair[1])
    odds: dict[int, float] = {}
    for candidate, log_odds in scored:
        odds[candidate.passage] = odds.get(candidate.passage, 0.0) + math.exp(log_odds)
    passages = sorted(odds.items(), key=lambda pair: -pair[1])
    return SentenceScores(tuple(scored), tuple((place, math.log(total)) for place, total in passages))


def choose_passages(
    ranking: SentenceScores,
    matched: Sequence[PassageMatch],
    max_shown: int = MAX_SHOWN,
    is_closed: Callable[[PassageChoice], bool] = lambda choice: False,
    taken: Set[str] = frozenset(),
) -> list[PassageChoice]:
    """Return the passages to show, best first: as many as fit, and at least one.

    Passages that fail a gate come last. Copies of an earlier passage are left out, and code that an earlier
    one introduces. `taken`: texts that are shown anyway and take no room.
    """
    leading = [
        PassageChoice(place, _choose_marks(ranking, place), log_odds)
        for place, log_odds in ranking.passages[: MAX_COMPARED * max_shown]
    ]
    best = leading[0].log_odds
    margin = math.log(SHOWN_RATIO)
    open_odds = [
        choice.log_odds for choice in leading if choice.log_odds >= best + margin and not is_closed(choice)
    ]
    least = margin + max(open_odds, default=best)
    near = [choice for choice in leading if choice.log_odds >= least]
    chosen: list[PassageChoice] = []
    texts: set[str] = set()
    codes: set[tuple[str, str]] = set()
    count = chars = 0
    for choice in sorted(near, key=is_closed):
        shown, dense = matched[choice.place].shown, matched[choice.place].analysed.dense
        size = len(shown.text) + len(shown.code_after)
        is_known = dense in texts or (shown.heading, shown.text) in codes
        is_free = dense in taken
        if is_known or (count and not is_free and chars + size > MAX_SHOWN_CHARS):
            continue
        chosen.append(choice)
        texts.add(dense)
        codes.add((shown.heading, shown.code_after))
        if not is_free:
            count += 1
            chars += size
        if count == max_shown:
            break
    return chosen


def _choose_marks(ranking: SentenceScores, place: int) -> tuple[SentenceCandidate, ...]:
    own = [(candidate, log_odds) for candidate, log_odds in ranking.candidates if candidate.passage == place]
    near = [candidate for candidate, log_odds in own if log_odds >= own[0][1] + math.log(MARK_RATIO)]
    return tuple(sorted(near[:MAX_MARKS], key=lambda candidate: candidate.place))


@dataclass(frozen=True, slots=True)
class SelectionWeights:
    """Weights of both models and the two probabilities that levels begin at.

    `ranker`: by sentence feature. `certainty`: by selection feature, with its `intercept`. `answered` and
    `related`: the minimum probability of each level.
    """

    ranker: Mapping[str, float]
    certainty: Mapping[str, float]
    intercept: float
    answered: float
    related: float


@cache
def load_weights() -> SelectionWeights:
    """Return the weights of this version."""
    return SelectionWeights(**json.loads(files(__package__).joinpath(FILE).read_text("utf-8")))


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
    permission: float  # as of the best sentence, like all below
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
        permission=own.permission,
        definition=own.definition,
        unit=own.unit,
    )


def _measure_agreement(
    ranking: SentenceScores, matched: Sequence[PassageMatch], added: frozenset[str]
) -> float:
    """Return the odds of the passages that agree with the best sentence or are of its document, as a share.

    `added`: the terms of the best sentence that the question does not have.
    """
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
