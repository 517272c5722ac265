"""Metrics of a ranking against judgements (pure). Unjudged documents count as irrelevant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(ranking: Sequence[str], judged: Mapping[str, int], depth: int = 10) -> float:
    """Return the nDCG with linear gain and log2 discount, as in trec_eval."""
    gained = sum(judged.get(name, 0) / math.log2(place + 1) for place, name in enumerate(ranking[:depth], 1))
    best = sorted((score for score in judged.values() if score > 0), reverse=True)[:depth]
    ideal = sum(score / math.log2(place + 1) for place, score in enumerate(best, 1))
    return gained / ideal if ideal else 0.0


def recall(ranking: Sequence[str], judged: Mapping[str, int], depth: int = 50) -> float:
    """Return the share of the relevant documents among the first `depth`."""
    relevant = {name for name, score in judged.items() if score > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judged: Mapping[str, int], depth: int = 10) -> float:
    """Return 1 / rank of the first relevant document, 0 if there is none in the first `depth`."""
    places = (place for place, name in enumerate(ranking[:depth], 1) if judged.get(name, 0) > 0)
    return 1.0 / next(places, math.inf)
