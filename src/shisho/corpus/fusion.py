"""Several rankings to one: words and meaning by their scores; rankings without scores by reciprocal rank
fusion (Cormack, Clarke and Büttcher, 2009)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from shisho.domain.corpus import PassageId
from shisho.domain.ranking import RankedCandidate

Item = TypeVar("Item", bound=Hashable)

NONE_DEFINING: Mapping[PassageId, float] = MappingProxyType({})
RANK_CONSTANT = 60
STANDS_OUT_FROM = 10  # the nearest passage from the one that comes so many places later
USUAL_GAP = 0.15  # between the cosines of the two
LEAST_GAP = 0.005
CLEARNESS_POWER = 0.7
# The best so many by words stand among the first so many, whatever meaning says of them: beside an embedder
# of this share or a larger one, fewer in proportion beside one of a smaller share (docs/adr/0039).
SURE_BY_WORDS = 25
SURE_SHARE = 0.002
FIRST = 50


def rrf(
    rankings: Sequence[Sequence[Item]], weights: Sequence[float] | None = None
) -> list[tuple[Item, float]]:
    """Items of all rankings with Σ weight / (60 + rank), rank from 1, best first; equal scores keep the order
    of first mention.

    Without weights every ranking counts the same. An item counts once in a ranking, at its best place.
    """
    scores: dict[Item, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + weight / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda scored: -scored[1])


def fuse_ranks(
    by_words: Sequence[RankedCandidate], cosines: Mapping[PassageId, float], depth: int | None = None
) -> list[RankedCandidate]:
    """Return the best `depth` of a ranking by words and one by meaning, or all, by reciprocal rank fusion.
    Passages that match no word have no rank by words. `by_words` comes best first."""
    candidates = {candidate.passage_id: candidate for candidate in by_words}
    nearest = sorted(cosines.keys() & candidates, key=lambda name: (-cosines[name], name))
    matched = [name for name, candidate in candidates.items() if candidate.score > 0]
    fused = rrf([matched, nearest])[:depth]
    return [_blended(candidates[name], cosines.get(name, 0.0), score) for name, score in fused]


def blend(
    by_words: Sequence[RankedCandidate],
    cosines: Mapping[PassageId, float],
    whole: float,
    share: float,
    depth: int | None = None,
    defining: Mapping[PassageId, float] = NONE_DEFINING,
) -> list[RankedCandidate]:
    """The best `depth` of a ranking by words and meaning, or all, best first; equal scores by id. `whole`:
    the idf of all terms of the query; `share`: how much words count beside this embedder's cosines;
    `defining`: how surely passages say what the query names, 1 for as near to it as the nearest.

    The score by words counts with its square: the better the best passages match, the more words decide, and
    where none matches well meaning does. The cosine counts the more, the further the nearest passage stands
    out from the others: where many are about as near, the encoder sees no difference (docs/adr/0039). A
    passage without a vector counts as the mean of those with one. `by_words` comes best first."""
    names = [candidate.passage_id for candidate in by_words]
    with_vector = [cosines[name] for name in names if name in cosines]
    mean = sum(with_vector) / max(1, len(with_vector))
    words = share / math.sqrt(max(whole, 1.0))
    meaning = _clearness(with_vector)
    nearness = [cosines.get(name, mean) for name in names]
    nearest = max(nearness, default=0.0)
    negated_scores = [
        -(words * candidate.score**2 + meaning * (cosine + defining.get(name, 0.0) * (nearest - cosine)))
        for candidate, name, cosine in zip(by_words, names, nearness, strict=True)
    ]
    most = round(SURE_BY_WORDS * min(1.0, share / SURE_SHARE))
    sure = sum(candidate.score > 0 for candidate in by_words[:most])
    order = sorted(range(len(names)), key=lambda place: (negated_scores[place], names[place]))
    places = _keep_sure(order, sure)[:depth]
    return [_blended(by_words[place], nearness[place], -negated_scores[place]) for place in places]


def _keep_sure(order: list[int], sure: int) -> list[int]:
    """Places by words in the order of the blend. Of the first `sure`, those that would come after the first
    fifty come at their end; the last of the others make room."""
    first, rest = order[:FIRST], order[FIRST:]
    late = [place for place in rest if place < sure]
    if not late:
        return order
    leaving = [place for place in first if place >= sure][-len(late) :]
    kept = [place for place in first if place not in leaving]
    return kept + late + leaving + [place for place in rest if place >= sure]


def _clearness(cosines: Sequence[float]) -> float:
    """How far the nearest stands out from the eleventh: 1 where it is as usual for the Universal Sentence
    Encoder."""
    nearest = heapq.nlargest(STANDS_OUT_FROM + 1, cosines)
    gap = nearest[0] - nearest[-1] if nearest else 0.0
    return float((max(gap, LEAST_GAP) / USUAL_GAP) ** CLEARNESS_POWER)


def _blended(candidate: RankedCandidate, cosine: float, score: float) -> RankedCandidate:
    return RankedCandidate(
        candidate.passage_id,
        candidate.document_id,
        score,
        (*candidate.part_names, "meaning"),
        (*candidate.part_values, cosine),
    )
