"""Reciprocal rank fusion of several rankings (Cormack, Clarke and Büttcher, 2009)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

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
