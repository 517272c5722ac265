"""k: the table of the contract, row by row."""

import pytest

from shisho.corpus.session import compute_top_k
from shisho.domain.corpus import Complexity

SINGLE = Complexity.SINGLE
SEVERAL = Complexity.SEVERAL
COMPARISON = Complexity.COMPARISON


@pytest.mark.parametrize(
    ("in_scope", "complexity", "round_", "growth", "k"),
    [
        (0, SINGLE, 1, "linear", 5),
        (999, SINGLE, 1, "linear", 5),
        (999, SEVERAL, 1, "linear", 8),
        (999, COMPARISON, 3, "linear", 30),
        (1_000, SINGLE, 1, "linear", 20),
        (99_999, SINGLE, 1, "linear", 20),
        (100_000, SINGLE, 1, "linear", 20),
        (316_228, SINGLE, 1, "linear", 35),
        (1_000_000, SINGLE, 1, "linear", 50),
        (50_000_000, SINGLE, 1, "linear", 50),
        (5_000, SEVERAL, 1, "linear", 30),
        (5_000, COMPARISON, 1, "linear", 40),
        (5_000, SINGLE, 2, "linear", 40),
        (5_000, SINGLE, 3, "linear", 60),
        (5_000, SINGLE, 9, "linear", 60),
        (500, SINGLE, 2, "exponential", 15),
        (500, SINGLE, 3, "exponential", 50),
        (5_000, COMPARISON, 3, "linear", 100),
        (5_000, SINGLE, 3, "exponential", 100),
    ],
)
def test_k(in_scope: int, complexity: Complexity, round_: int, growth: str, k: int) -> None:
    assert compute_top_k(in_scope, complexity, round_, growth) == k
