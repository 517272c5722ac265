"""The caller's requirements for an answer; the strategy step fills in the rest."""

from __future__ import annotations

from enum import StrEnum

from shisho.domain.corpus import Complexity
from shisho.records import dataclass


class RequestKind(StrEnum):
    """The kind of answer that a caller wants. AUTO: the question decides."""

    AUTO = "auto"
    FACT = "fact"
    EXPLAIN = "explain"
    LIST = "list"
    COMPARE = "compare"
    REPORT = "report"
    SUMMARY = "summary"
    COLLECTION = "collection"


@dataclass(frozen=True, slots=True)
class Goal:
    """One thing the question needs to know.

    `id` has any form; an empty one in a request becomes G1, G2, …
    """

    id: str
    question: str
    min_evidence: int = 1
    min_sources: int = 1


@dataclass(frozen=True, slots=True)
class Requirements:
    """The parts of a strategy that the caller has decided; empty ones are filled in.

    `exclude_ids`: passages and documents that no search may find. `sections` and `words`: the most sections
    and the fewest words of a report.
    """

    goals: tuple[Goal, ...] = ()
    condition: str = ""
    complexity: Complexity | None = None
    kind: RequestKind = RequestKind.AUTO
    exclude_ids: tuple[str, ...] = ()
    sections: int = 0
    words: int = 0


NO_REQUIREMENTS = Requirements()
