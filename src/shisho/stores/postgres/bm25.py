"""BM25 over the posting lists of a query: pure functions that score all entries at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shisho.records import dataclass

SATURATION = 1.2  # BM25's k1 and b, the same as in the other indexes, so that all return the same candidates
LENGTH = 0.75
FLOOR = SATURATION * (1 - LENGTH)
ENTRY = "<u8"  # of the postings (schema/0022)
SPARSE = 8  # times as many numbers as entries: scores are then indexed by position, not by number
Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WeighedWord:
    """A query word: its posting list key, its weight, and its length-normalization slope."""

    key: int
    worth: float
    slope: float


def add_up(
    words: Sequence[tuple[WeighedWord, bytes]], allowed: Sequence[int] | None
) -> tuple[Numbers, Scores]:
    """Return the numbers of matching passages, limited to `allowed` if given, and their scores.

    Each word comes with its packed posting list.
    """
    entries = [np.frombuffer(packed, ENTRY) for _, packed in words]
    if not entries:
        return np.zeros(0, np.int64), np.zeros(0)
    numbers = np.concatenate([part >> np.uint64(24) for part in entries]).astype(np.int64)
    scores = np.concatenate([_score(word, part) for (word, _), part in zip(words, entries, strict=True)])
    if allowed is not None:
        is_allowed = np.isin(numbers, np.array(allowed, np.int64))
        numbers = numbers[is_allowed]
        scores = scores[is_allowed]
    return _sum_scores(numbers, scores)


def select_best(numbers: Numbers, scores: Scores, most: int) -> tuple[Numbers, Scores]:
    """Return the `most` highest-scoring passages, best first, ties in order of number."""
    if len(scores) > most:
        at = np.argpartition(-scores, most - 1)[:most]
        numbers = numbers[at]
        scores = scores[at]
    order = np.lexsort((numbers, -scores))
    return numbers[order], scores[order]


def _score(word: WeighedWord, entries: NDArray[np.uint64]) -> Scores:
    times = ((entries >> np.uint64(16)) & np.uint64(0xFF)).astype(np.float64)
    size = (entries & np.uint64(0xFFFF)).astype(np.float64)
    return word.worth * times / (times + FLOOR + word.slope * size)


def _sum_scores(numbers: Numbers, scores: Scores) -> tuple[Numbers, Scores]:
    """Return each number once, with the sum of its scores."""
    if not len(numbers):
        return numbers, scores
    lowest = numbers.min()
    if numbers.max() - lowest > SPARSE * len(numbers) + 1_000_000:
        numbers, at = np.unique(numbers, return_inverse=True)
        return numbers, np.bincount(at, scores).astype(np.float64)
    totals = np.bincount(numbers - lowest, scores).astype(np.float64)
    places = np.flatnonzero(totals)
    return places + lowest, totals[places]
