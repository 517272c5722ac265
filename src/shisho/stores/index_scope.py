"""A scope as indexes apply it: the same in every store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexScope:
    """A scope as an index can test it; `None` means no restriction.

    A restriction can cost as much as the query: every passage with a query word is tested, not only the best
    ones.
    """

    corpora: tuple[int, ...] | None
    documents: tuple[str, ...] | None
    without: Sequence[str]
    pages: tuple[int | None, int | None] | None
