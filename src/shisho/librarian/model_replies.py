"""The shapes that models reply in. Their names and docstrings go into the JSON Schema that models see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class GoalReply:
    """One thing that the question needs to know."""

    question: str


@dataclass(frozen=True, slots=True)
class StrategyReply:
    """How the question is split."""

    goals: tuple[GoalReply, ...]
    condition: str
    complexity: Literal["single", "several", "comparison"]


@dataclass(frozen=True, slots=True)
class FollowUpReply:
    """The question as it can be understood by itself, and how it is split."""

    question: str
    goals: tuple[GoalReply, ...]
    condition: str
    complexity: Literal["single", "several", "comparison"]


@dataclass(frozen=True, slots=True)
class FilterReply:
    """Only documents whose field has this value, or one in a range (`low..high`)."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class PlanReply:
    """The words of the next search, and what it is limited to."""

    keywords: tuple[str, ...]
    meaning: str
    reasoning: str
    filter_conditions: tuple[FilterReply, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingReply:
    """A quotation that speaks to a goal."""

    passage: int
    goal: str
    quotation: str
    score: float
    stance: Literal["answers", "says_unknown", "conflicts"] = "answers"


@dataclass(frozen=True, slots=True)
class EvaluationReply:
    """All quotations that were picked."""

    findings: tuple[FindingReply, ...]


@dataclass(frozen=True, slots=True)
class SentenceReply:
    """One sentence of the answer, with the numbers of its quotations."""

    text: str
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerReply:
    """The answer, sentence by sentence."""

    sentences: tuple[SentenceReply, ...]


@dataclass(frozen=True, slots=True)
class EntailmentVerdict:
    """A verdict on a sentence: its quotations say all of it, or not."""

    sentence: int
    entailed: bool


@dataclass(frozen=True, slots=True)
class EntailmentReply:
    """A verdict for each sentence."""

    verdicts: tuple[EntailmentVerdict, ...]


@dataclass(frozen=True, slots=True)
class ReflectionReply:
    """The aim of the next search."""

    next_focus: str
    reason: str
