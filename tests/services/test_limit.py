"""How many passages may be asked for."""

from __future__ import annotations

import pytest

from shisho.errors import InvalidParams
from shisho.services.choosing import MAX_HITS, check_limit


@pytest.mark.parametrize("limit", [0, -1, MAX_HITS + 1, 10**12])
def test_a_limit_beyond_measure_is_refused(limit: int) -> None:
    with pytest.raises(InvalidParams, match="limit must be 1 to 1000"):
        check_limit(limit)


@pytest.mark.parametrize("limit", [None, 1, MAX_HITS])
def test_any_other_is_taken(limit: int | None) -> None:
    check_limit(limit)
