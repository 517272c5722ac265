"""The thinking of the nodes: by rules, or by a model with the rules as its fallback, node by node."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Generic, Protocol, TypeVar

from shisho.domain.conversation import Surroundings
from shisho.domain.corpus import UNBOUNDED_ROOM, NumberedPassage
from shisho.domain.inquiry import (
    EvidenceRef,
    Finding,
    Goal,
    GoalStatus,
    Plan,
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
from shisho.librarian.selection.select import select_findings
from shisho.librarian.strategy import strategy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NodeThought(Generic[T]):
    """A node's thought, and the model that was used for it, if one was."""

    value: T
    uses: tuple[ModelUse, ...] = ()


Recall = Callable[[], Awaitable[Surroundings]]
"""Tells what went before the question and what the library holds."""


async def recall_nothing() -> Surroundings:
    """Nothing is known."""
    return Surroundings()


@dataclass(frozen=True, slots=True)
class QuestionMatter:
    """The grounds of a strategy. `question`: as it was put; `resolved`: as rules read it after the `earlier`
    ones of its conversation; `recall` is asked by who has a use for it."""

    question: str
    resolved: str
    earlier: Sequence[str]
    now: Callable[[], str]
    recall: Recall = recall_nothing
    required: Requirements = NO_REQUIREMENTS


ListFields = Callable[[], Awaitable[Sequence[str]]]
"""Names the fields that documents can be filtered by."""


async def list_no_fields() -> Sequence[str]:
    """No library is known here."""
    return ()


@dataclass(frozen=True, slots=True)
class PlanMatter:
    """The grounds of a plan. `goals`: the open ones, that in focus first; `status`: how far all have come;
    `list_fields` is asked by who has a use for it."""

    strategy: Strategy
    goals: Sequence[Goal]
    plans: Sequence[Plan]
    evidence: Sequence[EvidenceRef]
    status: Sequence[GoalStatus] = ()
    list_fields: ListFields = list_no_fields


@dataclass(frozen=True, slots=True)
class PassageMatter:
    """The passages read for the open goals. `from_synonym_search`: they were found by synonyms of the
    question's words, after these had led to no answer."""

    strategy: Strategy
    goals: Sequence[Goal]
    passages: Sequence[NumberedPassage]
    rarity: Mapping[str, float]
    evidence: Sequence[EvidenceRef]
    from_synonym_search: bool = False
    earlier: Sequence[NumberedPassage] = ()
    """The passages of earlier rounds: rules rank all of them together."""
    short_names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For names in the goals their other names, as documents in scope define them."""


@dataclass(frozen=True, slots=True)
class AnswerMatter:
    """The grounds of an answer."""

    strategy: Strategy
    status: Sequence[GoalStatus]
    evidence: Sequence[EvidenceRef]
    verdict: Verdict
    unsearched: Sequence[UnsearchedQuery]
    asked: str
    """The question as it was put; `strategy.question` is as it was understood."""
    head: str = "answer_head"
    """The key of the first line of an answer that only quotes: it says who has read the passages."""


SeekSupport = Callable[[str], Awaitable[EvidenceRef | None]]
"""One search for a passage that carries a sentence: what it says there, as evidence of this run."""


class Mind(Protocol):
    """Thinks for the nodes. No thought is believed: findings are sought in what was shown, sentences checked
    against their quotations, whoever thought them."""

    async def split(self, matter: QuestionMatter, allowance: ModelAllowance) -> NodeThought[Strategy]:
        """The strategy, whose question is one that stands by itself."""

    async def plan(self, matter: PlanMatter, allowance: ModelAllowance) -> NodeThought[Plan]: ...

    def is_done(self, matter: PlanMatter) -> bool:
        """True where a further plan would ask nothing new."""

    def measure_room(self, matter: PassageMatter, allowance: ModelAllowance) -> int:
        """Tokens of passages that `evaluate` will read of one round: what is shown is not shown again."""

    async def evaluate(
        self, matter: PassageMatter, allowance: ModelAllowance
    ) -> NodeThought[list[Finding]]: ...

    async def reflect(
        self, matter: PlanMatter, verdict: Verdict, allowance: ModelAllowance
    ) -> NodeThought[Verdict]:
        """The verdict to go on, with the goal that the next round is for."""

    async def answer(
        self,
        matter: AnswerMatter,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> NodeThought[Draft]:
        """`hear` is given each line of the answer once it has passed its check; `seek` is asked for support
        of a sentence that cites nothing."""


def quote_evidence(matter: AnswerMatter, head: str = "") -> Draft:
    """The answer by rules. `head`: the key of its first line, where the matter does not say it."""
    parts = (matter.strategy, matter.status, matter.evidence, matter.verdict, matter.unsearched)
    return compose(*parts, head=head or matter.head, asked=matter.asked)


class RulesMind:
    """Thinks without a model."""

    async def split(self, matter: QuestionMatter, allowance: ModelAllowance) -> NodeThought[Strategy]:
        return NodeThought(strategy(matter.resolved, matter.required))

    async def plan(self, matter: PlanMatter, allowance: ModelAllowance) -> NodeThought[Plan]:
        return NodeThought(planning.plan(matter.strategy, matter.goals, matter.plans))

    def is_done(self, matter: PlanMatter) -> bool:
        return not planning.plan(matter.strategy, matter.goals, matter.plans).keyword_query

    def measure_room(self, matter: PassageMatter, allowance: ModelAllowance) -> int:
        return UNBOUNDED_ROOM

    async def evaluate(self, matter: PassageMatter, allowance: ModelAllowance) -> NodeThought[list[Finding]]:
        passages = _alternate(matter.earlier, matter.passages)
        parts = (
            passages,
            matter.goals,
            matter.evidence,
            matter.rarity,
            matter.from_synonym_search,
            matter.short_names,
        )
        return NodeThought(await asyncio.to_thread(select_findings, *parts))

    async def reflect(
        self, matter: PlanMatter, verdict: Verdict, allowance: ModelAllowance
    ) -> NodeThought[Verdict]:
        return NodeThought(verdict)

    async def answer(
        self,
        matter: AnswerMatter,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> NodeThought[Draft]:
        return NodeThought(quote_evidence(matter))


def _alternate(
    earlier: Sequence[NumberedPassage], passages: Sequence[NumberedPassage]
) -> list[NumberedPassage]:
    """Return the passages of two lists in turn: only so many are read, and some of each round have to be."""
    pairs = zip_longest(earlier, passages)
    return [passage for pair in pairs for passage in pair if passage is not None]
