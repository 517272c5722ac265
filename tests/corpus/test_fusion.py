"""Reciprocal rank fusion."""

import pytest

from shisho.corpus.fusion import rrf


def test_scores_are_the_sum_of_weight_over_sixty_plus_rank() -> None:
    assert rrf([["a", "b"], ["b", "c"]]) == [
        ("b", pytest.approx(1 / 62 + 1 / 61)),
        ("a", pytest.approx(1 / 61)),
        ("c", pytest.approx(1 / 62)),
    ]


def test_weights_count_and_equal_scores_keep_the_order_of_first_mention() -> None:
    assert [item for item, _ in rrf([["a"], ["b"]], [1, 2])] == ["b", "a"]
    assert [item for item, _ in rrf([["a"], ["b"]])] == ["a", "b"]


def test_an_item_counts_once_in_a_ranking() -> None:
    assert rrf([["a", "a", "b"]])[1] == ("b", pytest.approx(1 / 62))


def test_one_weight_for_each_ranking() -> None:
    with pytest.raises(ValueError, match="zip"):
        rrf([["a"], ["b"]], [1])


def test_nothing_to_fuse() -> None:
    assert rrf([]) == []
