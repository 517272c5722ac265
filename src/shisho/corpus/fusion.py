"""Fusion of rankings.

Words and meaning are combined by their scores; rankings without scores by reciprocal rank fusion (Cormack,
Clarke and Büttcher, 2009).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from shisho.domain.corpus import PassageId, RankedCandidate

Item = TypeVar("Item", bound=Hashable)

NONE_DEFINING: Mapping[PassageId, float] = MappingProxyType({})
RANK_CONSTANT = 60
BASELINE_RANK = 10  # compare the nearest passage with the one this many places later
USUAL_GAP = 0.15  # between the cosines of the two
MIN_GAP = 0.005
CLEARNESS_POWER = 0.7
# The best passages by words stay among the first fifty, whatever their meaning score: this many for an
# embedder with this share or a larger one, proportionally fewer for a smaller share (docs/adr/0039).
SURE_BY_WORDS = 25
SURE_SHARE = 0.002
FIRST = 50


def fuse_rankings(
    rankings: Sequence[Sequence[Item]], weights: Sequence[float] | None = None
) -> list[tuple[Item, float]]:
    """Return the items of all rankings with Σ weight / (60 + rank), rank from 1, best first.

    Equal scores keep the order of first mention. Without weights all rankings count equally. An item counts
    once per ranking, at its best place.
    """
    scores: dict[Item, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + weight / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda scored: -scored[1])


def fuse_ranks(
    by_words: Sequence[RankedCandidate], cosines: Mapping[PassageId, float], depth: int | None = None
) -> list[RankedCandidate]:
    """Return the best `depth` (None: all) of two rankings by reciprocal rank fusion.

    Passages that match no word have no rank by words. `by_words` is sorted best first.
    """
    candidates = {candidate.passage_id: candidate for candidate in by_words}
    nearest = sorted(cosines.keys() & candidates, key=lambda name: (-cosines[name], name))
    matched = [name for name, candidate in candidates.items() if candidate.score > 0]
    fused = fuse_rankings([matched, nearest])[:depth]
    return [_blend(candidates[name], cosines.get(name, 0.0), score) for name, score in fused]


def blend(
    by_words: Sequence[RankedCandidate],
    cosines: Mapping[PassageId, float],
    whole: float,
    share: float,
    depth: int | None = None,
    defining: Mapping[PassageId, float] = NONE_DEFINING,
) -> list[RankedCandidate]:
    """Return the best `depth` (None: all) of a ranking by words and meaning, best first.

    Equal scores are ordered by id. `whole`: the idf of all terms of the query. `share`: the weight of words
    relative to this embedder's cosines. `defining`: the certainty that passages define the query's name; 1
    lifts a passage to the nearest one's cosine.

    The score by words is squared: the better the best passages match, the more words decide, and if none
    matches well, meaning does. The cosine counts more the further the nearest passage is from the others: if
    many are about equally near, the encoder sees no difference (docs/adr/0039). A passage without a vector
    gets the mean cosine. `by_words` is sorted best first.
    """
    names = [candidate.passage_id for candidate in by_words]
    with_vector = [cosines[name] for name in names if name in cosines]
    mean = sum(with_vector) / max(1, len(with_vector))
    words = share / math.sqrt(max(whole, 1.0))
    meaning = _measure_clearness(with_vector)
    nearness = [cosines.get(name, mean) for name in names]
    nearest = max(nearness, default=0.0)
    negated_scores = [
        -(words * candidate.score**2 + meaning * (cosine + defining.get(name, 0.0) * (nearest - cosine)))
        for candidate, name, cosine in zip(by_words, names, nearness, strict=True)
    ]
    most = round(SURE_BY_WORDS * min(1.0, share / SURE_SHARE))
    sure = sum(candidate.score > 0 for candidate in by_words[:most])
    order = sorted(range(len(names)), key=lambda place: (negated_scores[place], names[place]))
    places = _reorder_by_blend(order, sure)[:depth]
    return [_blend(by_words[place], nearness[place], -negated_scores[place]) for place in places]


def _reorder_by_blend(order: list[int], sure: int) -> list[int]:
    """Return the places by words in the order of the blend.

    Those of the first `sure` that would fall behind the first fifty are placed at the end of the fifty; the
    last of the others make room.
    """
    first, rest = order[:FIRST], order[FIRST:]
    late = [place for place in rest if place < sure]
    if not late:
        return order
    leaving = [place for place in first if place >= sure][-len(late) :]
    kept = [place for place in first if place not in leaving]
    return kept + late + leaving + [place for place in rest if place >= sure]


def _measure_clearness(cosines: Sequence[float]) -> float:
    """Return how distinct the nearest passage is from the eleventh.

    1 is the usual value for the Universal Sentence Encoder.
    """
    nearest = heapq.nlargest(BASELINE_RANK + 1, cosines)
    gap = nearest[0] - nearest[-1] if nearest else 0.0
    return float((max(gap, MIN_GAP) / USUAL_GAP) ** CLEARNESS_POWER)


def _blend(candidate: RankedCandidate, cosine: float, score: float) -> RankedCandidate:
    return RankedCandidate(
        candidate.passage_id,
        candidate.document_id,
        score,
        (*candidate.part_names, "meaning"),
        (*candidate.part_values, cosine),
    )
