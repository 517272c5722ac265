"""The state shared by the librarian's nodes.

It contains no id and no k: passages and evidence are identified by number.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from shisho.domain.report import CurrentSection, WrittenSection
from shisho.domain.requirements import Requirements
from shisho.domain.survey import Survey
from shisho.domain.time import Instant
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class Spending:
    """Amounts spent of everything with a ceiling. Seconds exclude waiting for a person."""

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
    """An answer whose evidence is identified by number.

    `missing`: questions of unmet goals, then impossible searches and their reasons. `level`: that of the best
    goal.
    """

    blocks: tuple[AnswerBlock, ...]
    missing: tuple[str, ...]
    level: AnswerLevel


class LoopState(TypedDict, total=False):
    """The state of the loop. Nodes append to `Annotated` fields and replace the others.

    `earlier`: the earlier questions of the conversation as they were understood. `shown`, `rarity`,
    `short_names` and `exhausted` belong to the last round. `rounds_without_evidence` counts the rounds since
    the last new evidence, `dropped` the unverifiable findings. `uses` lists the uses of models. `judgment` is
    a model's, of the last round. `has_model`: a model was asked to decide, even if it had nothing to read.
    `reads` counts the rounds that it read.

    `written`: the blocks of an answer that a model wrote when it read the last round; empty if it wrote none.

    `respelt`: other spellings of the question were tried. `anew`: one was chosen, and nothing counts as seen.
    `reached` is present after a web search. `survey` is present if the question is about the collection:
    counts or comparisons answer it, and nothing is searched.

    `section`: the current section of a report, with `strategy` limited to it. `sections`: the finished ones.
    `titles`: those of the documents in scope.
    """

    question: str
    earlier: tuple[str, ...]
    requirements: Requirements
    budget: Budget
    web_policy: WebPolicy
    strategy: Strategy
    survey: Survey
    section: CurrentSection
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
    has_model: bool
    uses: Annotated[tuple[ModelUse, ...], add]
    reads: Annotated[int, add]
    draft: Draft
    composed_at: Instant
