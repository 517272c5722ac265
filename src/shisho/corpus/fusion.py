"""Several rankings to one: words and meaning by their scores; rankings without scores by reciprocal rank fusion
(Cormack, Clarke and Büttcher, 2009)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from shisho.domain.corpus import PassageId
from shisho.domain.ranking import RankedCandidate

Item = TypeVar("Item", bound=Hashable)

RANK_CONSTANT = 60


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


@dataclass(frozen=True, slots=True)
class WordShare:
    """How much words count beside meaning. It belongs to an embedder: fitted to the Universal Sentence Encoder on
    questions whose words stand in the passage (JSQuAD) and questions in other words (NIILC) at once."""

    japanese: float = 0.002
    english: float = 0.02


def blend(
    by_words: Sequence[RankedCandidate],
    cosines: Mapping[PassageId, float],
    whole: float,
    share: float,
) -> list[RankedCandidate]:
    """A ranking by words and meaning, best first; equal scores by id. `whole`: the idf of all terms of the query.

    The score by words counts with its square: the better the best passages match, the more words decide, and where
    none matches well meaning does. A passage without a vector counts as the mean of those with one."""
    with_vector = [cosines[candidate.passage_id] for candidate in by_words if candidate.passage_id in cosines]
    mean = sum(with_vector) / max(1, len(with_vector))
    scale = share / math.sqrt(max(whole, 1.0))
    blended = [_blended(candidate, cosines.get(candidate.passage_id, mean), scale) for candidate in by_words]
    return sorted(blended, key=lambda candidate: (-candidate.score, candidate.passage_id))


def _blended(candidate: RankedCandidate, cosine: float, scale: float) -> RankedCandidate:
    return candidate._replace(
        score=scale * candidate.score**2 + cosine,
        part_names=(*candidate.part_names, "meaning"),
        part_values=(*candidate.part_values, cosine),
    )
