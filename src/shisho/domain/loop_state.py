"""The state that the librarian's nodes hand to each other. No id and no k in it: passages and evidence
go by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import add
from typing import Annotated, TypedDict

from shisho.domain.codec import Payload
from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerLevel,
    Budget,
    EvidenceRef,
    GoalStatus,
    Judgment,
    Plan,
    Strategy,
    Verdict,
    WebPolicy,
    WebResult,
)
from shisho.domain.model import ModelUse
from shisho.domain.report import SectionPlace, WrittenSection
from shisho.domain.requirements import Requirements
from shisho.domain.survey import Survey
from shisho.domain.time import Instant


@dataclass(frozen=True, slots=True)
class Spending:
    """Amounts of everything that has a ceiling. Seconds are of work, not of waiting for a person."""

    rounds: int = 0
    seconds: float = 0.0
    pages: int = 0
    model_calls: int = 0
    tokens: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.rounds + other.rounds,
            self.seconds + other.seconds,
            self.pages + other.pages,
            self.model_calls + other.model_calls,
            self.tokens + other.tokens,
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer by number. `missing` holds the questions of goals that are not met, then what could not be
    searched and why; `level`: that of the best goal."""

    blocks: tuple[AnswerBlock, ...]
    missing: tuple[str, ...]
    level: AnswerLevel


class LoopState(TypedDict, total=False):
    """The state of the loop. A field that is `Annotated` grows by what a node gives; the others are
    replaced.

    `earlier`: the questions before this one in its conversation, as they were understood. `shown`, `rarity`,
    `short_names` and `exhausted` are of the last round; `rounds_without_evidence` counts the rounds since
    the last new evidence, `dropped` the findings that could not be verified; `uses` lists the uses of models;
    `judgment` is a model's, of the last round; `reads` counts the rounds that a model has read, `misreads`
    those in which it failed and rules did.
    `written`: the blocks of an answer that a model wrote when it read the last round; empty if it wrote none.
    `respelt`: other writings of the question were tried; `anew`: one was taken, and nothing counts as seen.
    `reached` is there once the web was asked, `survey` if the question is about the collection: it is
    answered by what was counted or compared, and nothing is searched.
    `section`: of a report, the one whose turn it is, with `strategy` limited to it; `sections`: those whose
    turn is over; `titles`: of the documents in scope."""

    question: str
    earlier: tuple[str, ...]
    requirements: Requirements
    budget: Budget
    web_policy: WebPolicy
    strategy: Strategy
    survey: Survey
    section: SectionPlace
    sections: Annotated[tuple[WrittenSection, ...], add]
    titles: tuple[str, ...]
    plans: Annotated[tuple[Plan, ...], add]
    shown: tuple[NumberedPassage, ...]
    rarity: Mapping[str, float]
    short_names: Mapping[str, frozenset[str]]
    exhausted: bool
    reached: WebResult
    evidence: Annotated[tuple[EvidenceRef, ...], add]
    dropped: Annotated[int, add]
    rounds_without_evidence: int
    respelt: bool
    anew: bool
    goal_status: tuple[GoalStatus, ...]
    judgment: Judgment
    written: Payload
    verdicts: Annotated[tuple[Verdict, ...], add]
    spent: Annotated[Spending, add]
    uses: Annotated[tuple[ModelUse, ...], add]
    reads: Annotated[int, add]
    misreads: Annotated[int, add]
    draft: Draft
    composed_at: Instant
