"""Reports: their length, their maximum cost, and their sections during writing."""

from __future__ import annotations

from collections.abc import Mapping

from shisho.domain.inquiry import AnswerBlock, AnswerLevel, Budget, GoalStatus
from shisho.domain.requirements import Requirements
from shisho.records import dataclass

DEFAULT_SECTIONS = 6
MIN_SECTIONS = 2
MAX_SECTIONS = 12
DEFAULT_WORDS = 1_200
MIN_WORDS = 200
MAX_WORDS = 8_000
SECTION_CALLS = 5  # at most: two readings with a plan between them, the text, its check
MIN_SECTION_CALLS = 3  # one reading, the text, its check
OTHER_CALLS = 4  # the outline and its repair, introduction and conclusion, their check
# Tokens that a call reads and writes: 2,247 on average over a played report on ten Japanese documents,
# measured by bench/report_calls.py, and rounded up.
CALL_TOKENS = 2_500
CALL_CEILING = 10_000  # tokens reserved for a call, since a token may be one byte
CALL_SECONDS = 30.0
REPORT_ROUNDS = 2  # searches for one section


@dataclass(frozen=True, slots=True)
class ReportEstimate:
    """The estimated cost of a report before it starts.

    `model_calls` and `tokens` are estimates; the report never exceeds `max_model_calls` and `max_tokens`.
    """

    sections: int
    words: int
    model_calls: int
    max_model_calls: int
    tokens: int
    max_tokens: int
    max_seconds: float


@dataclass(frozen=True, slots=True)
class CurrentSection:
    """The current section, from 1, and the rounds of the sections before it.

    A number after the last section: all are written.
    """

    number: int
    rounds_before: int = 0


@dataclass(frozen=True, slots=True)
class WrittenSection:
    """A finished section.

    `blocks`: its text, empty if nothing was found for it. `is_quoted`: no model could write it, so passages
    are quoted.
    """

    heading: str
    blocks: tuple[AnswerBlock, ...]
    level: AnswerLevel
    status: tuple[GoalStatus, ...]
    is_quoted: bool = False


def estimate_report(
    required: Requirements, ceilings: Mapping[str, float | None], budget: Budget
) -> ReportEstimate:
    """Return the estimated cost of a report within these ceilings of the caller.

    `budget`: the budget of one question, which limits how much the model reads per call.
    """
    sections = required.sections or DEFAULT_SECTIONS
    calls = SECTION_CALLS * sections + OTHER_CALLS
    most_calls = _choose(ceilings, "max_model_calls", calls)
    most_tokens = _choose(ceilings, "max_tokens", _limit_call(budget) * calls)
    about = min(calls - sections, int(most_calls))
    return ReportEstimate(
        sections=sections,
        words=required.words or DEFAULT_WORDS,
        model_calls=about,
        max_model_calls=int(most_calls),
        tokens=min(CALL_TOKENS * about, int(most_tokens)),
        max_tokens=int(most_tokens),
        max_seconds=_choose(ceilings, "max_seconds", CALL_SECONDS * calls),
    )


def count_least_calls(sections: int) -> int:
    """Return the minimum number of calls for a report of so many sections."""
    return MIN_SECTION_CALLS * sections + OTHER_CALLS


def _limit_call(budget: Budget) -> int:
    return max(CALL_CEILING, budget.max_tokens // max(1, budget.max_model_calls))


def _choose(ceilings: Mapping[str, float | None], name: str, otherwise: float) -> float:
    most = ceilings.get(name)
    return otherwise if most is None else most
