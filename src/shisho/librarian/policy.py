"""The policies of the loop: rules, or a model with the rules as its fallback, step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from itertools import zip_longest
from typing import Generic, Protocol, TypeVar

from shisho.domain.conversation import Surroundings
from shisho.domain.corpus import UNBOUNDED_ROOM, NumberedPassage
from shisho.domain.inquiry import (
    AnswerBlock,
    EvidenceRef,
    Finding,
    Goal,
    GoalStatus,
    Judgment,
    Plan,
    Sentence,
    Strategy,
    UnsearchedQuery,
    Verdict,
)
from shisho.domain.loop_state import Draft
from shisho.domain.model import ModelUse
from shisho.domain.requirements import NO_REQUIREMENTS, Requirements
from shisho.librarian import plan as planning
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.answer import compose
from shisho.librarian.model_replies import BlockReply
from shisho.librarian.selection.features import MAX_PASSAGES
from shisho.librarian.selection.select import select_findings
from shisho.librarian.strategy import strategy
from shisho.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StepResult(Generic[T]):
    """The result of a step, and the uses of a model for it, if there were any."""

    value: T
    uses: tuple[ModelUse, ...] = ()


Recall = Callable[[], Awaitable[Surroundings]]
"""Returns the earlier conversation and a map of the library."""


async def recall_nothing() -> Surroundings:
    """Return empty surroundings."""
    return Surroundings()


@dataclass(frozen=True, slots=True)
class StrategyInput:
    """The input of a strategy.

    `question`: as asked; `resolved`: as rules understand it after the `earlier` questions of its
    conversation. `recall` is only called by policies that use it.
    """

    question: str
    resolved: str
    earlier: Sequence[str]
    now: Callable[[], str]
    recall: Recall = recall_nothing
    required: Requirements = NO_REQUIREMENTS


ListNames = Callable[[], Awaitable[Sequence[str]]]
"""Returns the fields for filters, or the headings of read passages."""


async def list_nothing() -> Sequence[str]:
    """Return no names: no library is available."""
    return ()


@dataclass(frozen=True, slots=True)
class PlanInput:
    """The input of a plan.

    `goals`: the open ones, the focused one first; `status`: the progress of all; `judgment`: of the previous
    round. Only policies that use them call `list_fields` and `list_read`.
    """

    strategy: Strategy
    goals: Sequence[Goal]
    plans: Sequence[Plan]
    evidence: Sequence[EvidenceRef]
    status: Sequence[GoalStatus] = ()
    judgment: Judgment = Judgment()
    next_focus: str = ""
    list_fields: ListNames = list_nothing
    list_read: ListNames = list_nothing


@dataclass(frozen=True, slots=True)
class EvaluateResult:
    """The findings of a policy in passages.

    `closest`: what rules found besides a model; if it found nothing, these answer no goal. `judgment`: None
    if no model read the passages. `written`: the answer, if the model wrote it in the same call; it cites
    indexes of `findings`, from 1.
    """

    findings: list[Finding]
    judgment: Judgment | None = None
    closest: Sequence[Finding] = ()
    written: tuple[BlockReply, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluateInput:
    """The passages read for the open goals.

    `from_synonym_search`: they were found by synonyms, after the question's own words gave no answer.
    `round`: 1 for the first.
    """

    strategy: Strategy
    goals: Sequence[Goal]
    passages: Sequence[NumberedPassage]
    rarity: Mapping[str, float]
    evidence: Sequence[EvidenceRef]
    from_synonym_search: bool = False
    earlier: Sequence[NumberedPassage] = ()
    """The passages of earlier rounds: rules rank all of them together."""
    short_names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Synonyms of names in the goals, as defined by documents in scope."""
    round: int = 1


@dataclass(frozen=True, slots=True)
class SectionTask:
    """The next section of a report.

    Its number, from 1, all headings, and its length as words of a prompt.
    """

    number: int
    headings: Sequence[str]
    length: str


@dataclass(frozen=True, slots=True)
class WholeInput:
    """The input for introduction and conclusion: each part of the text with its heading."""

    question: str
    parts: Sequence[tuple[str, Sequence[Sentence]]]
    evidence: Sequence[EvidenceRef]
    length: str


@dataclass(frozen=True, slots=True)
class Whole:
    """The introduction and the conclusion, empty if no model could write them."""

    introduction: tuple[AnswerBlock, ...] = ()
    conclusion: tuple[AnswerBlock, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """The input of an answer."""

    strategy: Strategy
    status: Sequence[GoalStatus]
    evidence: Sequence[EvidenceRef]
    verdict: Verdict
    unsearched: Sequence[UnsearchedQuery]
    asked: str
    """The question as asked; `strategy.question` is its interpretation."""
    head: str = "answer_head"
    """The key of the first line of a quoting answer, which says who read the passages."""
    written: tuple[BlockReply, ...] = ()
    """The answer, if the model wrote it while reading the passages; it cites evidence by number."""
    section: SectionTask | None = None
    """The section of a report to write."""


SeekSupport = Callable[[str], Awaitable[EvidenceRef | None]]
"""Searches once for a passage that supports a sentence, and returns it as evidence of this run."""


class Policy(Protocol):
    """The decisions of the nodes. None is trusted.

    Findings are looked up in the shown passages, and sentences are checked against their quotations.
    """

    @property
    def fills_room(self) -> bool:
        """Return True if a round shows as many passages as fit, whatever their ranking."""

    async def split(self, inputs: StrategyInput, allowance: ModelAllowance) -> StepResult[Strategy]:
        """Return the strategy, whose question is understandable without its conversation."""

    async def plan(self, inputs: PlanInput, allowance: ModelAllowance) -> StepResult[Plan]: ...

    def is_done(self, inputs: PlanInput) -> bool:
        """Return whether a further plan would ask nothing new."""

    def measure_room(self, inputs: EvaluateInput, allowance: ModelAllowance) -> int:
        """Return the tokens of passages that `evaluate` reads in a round; none is shown twice."""

    async def evaluate(
        self, inputs: EvaluateInput, allowance: ModelAllowance
    ) -> StepResult[EvaluateResult]: ...

    async def answer(
        self,
        inputs: AnswerInput,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> StepResult[Draft]:
        """Write the answer.

        `hear` receives each checked line; `seek` searches for support of sentences without a citation.
        """

    async def write_whole(self, inputs: WholeInput, allowance: ModelAllowance) -> StepResult[Whole]:
        """Write the introduction and the conclusion of a text with finished parts."""


def quote_evidence(inputs: AnswerInput, head: str = "") -> Draft:
    """Compose the answer by rules. `head`: the key of its first line, if the inputs have none."""
    parts = (inputs.strategy, inputs.status, inputs.evidence, inputs.verdict, inputs.unsearched)
    return compose(*parts, head=head or inputs.head, asked=inputs.asked)


class RulePolicy:
    """Decides without a model."""

    fills_room = False

    async def split(self, inputs: StrategyInput, allowance: ModelAllowance) -> StepResult[Strategy]:
        return StepResult(strategy(inputs.resolved, inputs.required))

    async def plan(self, inputs: PlanInput, allowance: ModelAllowance) -> StepResult[Plan]:
        return StepResult(planning.plan(inputs.strategy, inputs.goals, inputs.plans))

    def is_done(self, inputs: PlanInput) -> bool:
        return not planning.plan(inputs.strategy, inputs.goals, inputs.plans).keyword_query

    def measure_room(self, inputs: EvaluateInput, allowance: ModelAllowance) -> int:
        return UNBOUNDED_ROOM

    async def evaluate(self, inputs: EvaluateInput, allowance: ModelAllowance) -> StepResult[EvaluateResult]:
        passages = _merge_passages(inputs.earlier, inputs.passages)
        parts = (
            passages,
            inputs.goals,
            inputs.evidence,
            inputs.rarity,
            inputs.from_synonym_search,
            inputs.short_names,
        )
        return StepResult(EvaluateResult(await asyncio.to_thread(select_findings, *parts)))

    async def answer(
        self,
        inputs: AnswerInput,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> StepResult[Draft]:
        return StepResult(quote_evidence(inputs))

    async def write_whole(self, inputs: WholeInput, allowance: ModelAllowance) -> StepResult[Whole]:
        return StepResult(Whole())


def _merge_passages(
    earlier: Sequence[NumberedPassage], passages: Sequence[NumberedPassage]
) -> list[NumberedPassage]:
    """Interleave both lists up to the number of passages that are read, each in its own order."""
    pairs = zip_longest(earlier, passages)
    alternated = [passage for pair in pairs for passage in pair if passage is not None]
    return sorted(alternated[:MAX_PASSAGES], key=lambda passage: passage.temp_index)
