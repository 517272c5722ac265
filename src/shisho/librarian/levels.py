"""Answered, near or not found: the one place where a score becomes a level. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from shisho.domain.inquiry import AnswerLevel, EvidenceRef

ENOUGH = 0.5  # a sentence with this score answers its goal
NEAR = 0.05  # below ENOUGH but worth showing beside the word that the answer was not found


def level_of_evidence(refs: Iterable[EvidenceRef]) -> AnswerLevel:
    """The level of a goal with this evidence: what is quoted at all is near."""
    best = max((ref.score for ref in refs), default=None)
    if best is None:
        return AnswerLevel.NOT_FOUND
    return AnswerLevel.ANSWERED if best >= ENOUGH else AnswerLevel.NEAR
