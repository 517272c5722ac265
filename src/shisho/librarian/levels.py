"""Map scores to levels: answered, related or nothing. The only place with these thresholds.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shisho.domain.inquiry import AnswerLevel, EvidenceRef, Stance

ENOUGH = 0.5  # a sentence with this score answers its goal
RELATED = 0.03  # below ENOUGH, but worth showing


def level_of_evidence(refs: Iterable[EvidenceRef]) -> AnswerLevel:
    """Return the level of a goal with this evidence. Any evidence at all is related."""
    of_goal = list(refs)
    if not of_goal:
        return AnswerLevel.NOTHING
    return AnswerLevel.ANSWERED if select_answering(of_goal) else AnswerLevel.RELATED


def select_answering(refs: Sequence[EvidenceRef]) -> list[EvidenceRef]:
    """Return the answering evidence of a goal.

    Without evidence that the answer is unknown; empty if the sources contradict each other.
    """
    if stance_of(refs) is Stance.CONFLICTS:
        return []
    return [ref for ref in refs if ref.score >= ENOUGH and ref.stance is Stance.ANSWERS]


def stance_of(refs: Sequence[EvidenceRef]) -> Stance:
    """Return the combined stance of all evidence of one goal."""
    stances = {ref.stance for ref in refs if ref.score >= ENOUGH}
    if Stance.CONFLICTS in stances:
        return Stance.CONFLICTS
    is_unknown = Stance.UNKNOWN in stances and Stance.ANSWERS not in stances
    return Stance.UNKNOWN if is_unknown else Stance.ANSWERS
