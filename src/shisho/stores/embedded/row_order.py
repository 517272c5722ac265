"""Where the row of a passage stands among rows in the order in which they came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


class RowOrder:
    """The numbers of passages in order, and the row of each. It takes in new rows when it is asked: what one
    search looks for costs no row of the database."""

    def __init__(self) -> None:
        self._numbers: Whole = np.zeros(0, np.int64)
        self._places: Whole = np.zeros(0, np.int64)

    def extend(self, numbers: Whole) -> None:
        """Take in the rows that are new among all of them."""
        known = len(self._numbers)
        if known == len(numbers):
            return
        fresh = numbers[known:]
        order = np.argsort(fresh, kind="stable")
        at = np.searchsorted(self._numbers, fresh[order], side="right")
        self._numbers = np.insert(self._numbers, at, fresh[order])
        self._places = np.insert(self._places, at, order + known)

    def find(self, numbers: Sequence[int]) -> Whole:
        """The newest rows of those of some passages that have one, in the order in which they are asked."""
        sought = np.array(numbers, np.int64)
        if not len(self._numbers):
            return np.zeros(0, np.int64)
        at = np.searchsorted(self._numbers, sought, side="right") - 1
        found: Whole = at[(at >= 0) & (self._numbers[at] == sought)]
        return self._places.take(found)
