"""Positions of passages among rows in order of arrival."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


class RowOrder:
    """A sorted index from passage numbers to rows.

    It is extended when it is queried, so a search reads no database rows to find positions.
    """

    def __init__(self) -> None:
        self._numbers: Whole = np.zeros(0, np.int64)
        self._rows: Whole = np.zeros(0, np.int64)

    def extend(self, numbers: Whole) -> None:
        """Add the rows that are new among `numbers`, the list of all rows."""
        known = len(self._numbers)
        if known == len(numbers):
            return
        fresh = numbers[known:]
        order = np.argsort(fresh, kind="stable")
        at = np.searchsorted(self._numbers, fresh[order], side="right")
        self._numbers = np.insert(self._numbers, at, fresh[order])
        self._rows = np.insert(self._rows, at, order + known)

    def find(self, numbers: Sequence[int]) -> Whole:
        """Return the newest rows of some passages in the given order, without missing ones."""
        sought = np.array(numbers, np.int64)
        if not len(self._numbers):
            return np.zeros(0, np.int64)
        at = np.searchsorted(self._numbers, sought, side="right") - 1
        found: Whole = at[(at >= 0) & (self._numbers[at] == sought)]
        return self._rows.take(found)
