"""The number of passages that a round ranks.

k grows with the corpus, the question's complexity and the round.
"""

from __future__ import annotations

import math

from shisho.domain.corpus import Complexity

SMALL = 1_000
LARGE = 100_000
HUGE = 1_000_000
MOST = 100
COMPLEXITY = {Complexity.SINGLE: 1.0, Complexity.SEVERAL: 1.5, Complexity.COMPARISON: 2.0}
GROWTH = {"linear": (1, 2, 3), "exponential": (1, 3, 10)}


def top_k(in_scope: int, complexity: Complexity, round_: int, growth: str = "linear") -> int:
    """Return k of round `round_` (from 1) over `in_scope` passages, between 1 and 100."""
    steps = GROWTH[growth]
    step = steps[min(max(round_, 1), len(steps)) - 1]
    return min(MOST, max(1, math.floor(choose_base_k(in_scope) * COMPLEXITY[complexity] * step + 0.5)))


def choose_base_k(in_scope: int) -> float:
    """Return 5 for a small corpus, 20 for a medium one, then up to 50 by its logarithm."""
    if in_scope < SMALL:
        return 5
    if in_scope < LARGE:
        return 20
    return 20 + 30 * min(1.0, math.log(in_scope / LARGE) / math.log(HUGE / LARGE))
