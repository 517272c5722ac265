"""Rank sentences and passages, choose the passages to show, and mark their best sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from shisho.librarian.selection.features import PassageMatch, SentenceCandidate

MAX_SHOWN = 4  # passages of one goal
MAX_COMPARED = 4  # times as many passages as are shown: gates may put some last, and short ones may still fit
MAX_SHOWN_CHARS = 1_100  # of all passages of a goal, unless the first alone is longer
MAX_MARKS = 4  # marked sentences of one passage
SHOWN_RATIO = 0.01  # of the odds of the best passage: a further one is shown from here on
MARK_RATIO = 0.3  # of the odds of the passage's best sentence: a further one is marked from here on


@dataclass(frozen=True, slots=True)
class PassageChoice:
    """A passage to show. `place`: its place among the matched passages; `marks`: its best sentences in the
    order of the text; `log_odds`: that one of its sentences answers."""

    place: int
    marks: tuple[SentenceCandidate, ...]
    log_odds: float


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """All sentences with their log-odds, best first, and all passages. The odds of a passage are the sum of
    those of its sentences: any of them may answer."""

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
    """Return the passages to show, best first: as many as fit, the first in any case. Those that a gate
    closes come last. Left out are copies of a passage before, and code that one leads in. `taken`: texts that
    are shown anyway and take no room."""
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
