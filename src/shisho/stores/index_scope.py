"""A scope as an index tests it: the same in every store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexScope:
    """A scope as an index can test it: `None` leaves that side open. A test costs as much as the query: every
    passage that has a word of it is looked at, where the best ones would do."""

    corpora: tuple[int, ...] | None
    documents: tuple[str, ...] | None
    without: Sequence[str]
    pages: tuple[int | None, int | None] | None
