"""Candidates of a ranking before it is cut to what matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shisho.domain.corpus import DocumentId, Passage, PassageId


class NamedPassage(NamedTuple):
    """A passage, and what its document is called."""

    passage: Passage
    source: str
    title: str


class RankedCandidate(NamedTuple):
    """A passage in a ranking, before it is fetched: its score and the parts that it is the sum of, by their
    names and values. A mapping is made of them only for what is looked at: most candidates are not."""

    passage_id: PassageId
    document_id: DocumentId
    score: float
    part_names: Sequence[str] = ()
    part_values: Sequence[float] = ()

    @property
    def parts(self) -> Mapping[str, float]:
        return dict(zip(self.part_names, self.part_values, strict=True))
