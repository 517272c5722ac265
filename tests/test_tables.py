"""A table in one test fails as its rows would."""

from __future__ import annotations

import pytest

from tests.tables import each_row


def test_every_row_that_fails_is_shown() -> None:
    tried = []

    @each_row("number", [1, 2, 3])
    def is_two(number: int) -> None:
        tried.append(number)
        assert number == 2

    with pytest.raises(ExceptionGroup, match="2 of 3 rows") as failed:
        is_two()
    assert tried == [1, 2, 3]
    assert [error.__notes__ for error in failed.value.exceptions] == [["row: (1,)"], ["row: (3,)"]]


def test_a_row_has_a_value_for_each_name() -> None:
    @each_row("one, other", [(1, 2), (1,)])
    def differ(one: int, other: int) -> None:
        assert one != other

    with pytest.raises(ExceptionGroup, match="1 of 2 rows"):
        differ()
    with pytest.raises(AssertionError, match="without rows"):
        each_row("one", [])
