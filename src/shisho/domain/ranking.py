"""The candidates of a ranking before it is cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shisho.domain.corpus import DocumentId, Passage, PassageId


class NamedPassage(NamedTuple):
    """A passage with the names of its document."""

    passage: Passage
    source: str
    title: str


class RankedCandidate(NamedTuple):
    """A passage in a ranking before it is loaded: its score, and the parts of that sum.

    A mapping of the parts is built only on access, because most candidates are never read.
    """

    passage_id: PassageId
    document_id: DocumentId
    score: float
    part_names: Sequence[str] = ()
    part_values: Sequence[float] = ()

    @property
    def parts(self) -> Mapping[str, float]:
        return dict(zip(self.part_names, self.part_values, strict=True))
