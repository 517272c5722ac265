"""A mind that asks models. Where one fails, or may not be asked, the rules think in its place and the use says
why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, TypeVar

from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import AnswerLevel, Finding, Goal, Plan, Strategy
from shisho.domain.model import ModelFault, ModelPrompt, ModelUsage, ModelUse
from shisho.domain.session import CitedSentence
from shisho.errors import InvalidParams, ModelFailed
from shisho.language.terms import fold
from shisho.language.tokens import tokens
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.answer import Draft
from shisho.librarian.evaluate import REFUSED
from shisho.librarian.evidence import double, verify
from shisho.librarian.levels import NEAR
from shisho.librarian.mind import (
    AnswerMatter,
    NodeThought,
    PassageMatter,
    PlanMatter,
    RulesMind,
    quote_evidence,
)
from shisho.librarian.model_replies import (
    AnswerReply,
    EvaluationReply,
    PlanReply,
    SentenceReply,
    StrategyReply,
)
from shisho.librarian.prompting import (
    PromptFile,
    fence_evidence,
    fence_passages,
    load_prompt,
    new_boundary,
)
from shisho.librarian.strategy import MAX_GOALS, checked
from shisho.librarian.written_answer import MAX_SENTENCES, SentenceChecker, write_draft
from shisho.ports import Llm

T = TypeVar("T")

MAX_KEYWORDS = 12
MAX_KEYWORD_CHARS = 80
MAX_REASON_CHARS = 300
MAX_CLAIMS = 60  # of one reply are looked at
MAX_FINDINGS = 4  # for one goal in one round
EVIDENCE_ROOM = 2_000  # tokens of quotations in a prompt
SCHEMA_TOKENS = 600  # at most: providers put the schema into the prompt
MESSAGE_TOKENS = 100  # what providers wrap a message in


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """`passage_room`: tokens of passages in one call. `context`: tokens that the model reads and writes at
    once. `seconds`: of one call."""

    passage_room: int
    context: int
    seconds: float


class ModelMind:
    """`llms`: the model of each node (`strategy`, `plan`, `evaluate`, `answer`); nodes without one think by
    rules."""

    def __init__(self, llms: Mapping[str, Llm], limits: ModelLimits) -> None:
        self._llms = llms
        self._limits = limits
        self._rules = RulesMind()

    async def split(
        self, question: str, now: Callable[[], str], allowance: ModelAllowance
    ) -> NodeThought[Strategy]:
        by_rules = await self._rules.split(question, now, allowance)
        if "strategy" not in self._llms:
            return by_rules
        values = {"question": by_rules.value.question, "today": now()[:10]}
        reply, uses = await self._ask("strategy", StrategyReply, allowance, values)
        made_strategy = None if reply is None else _strategy(by_rules.value.question, reply)
        if made_strategy is None:
            return replace(by_rules, uses=_unusable(uses, reply))
        return NodeThought(made_strategy, uses)

    async def plan(self, matter: PlanMatter, allowance: ModelAllowance) -> NodeThought[Plan]:
        boundary = new_boundary()
        values = {
            "question": matter.strategy.question,
            "goals": _listed(matter.goals),
            "queries": "\n".join(f"- {' '.join(plan.keyword_query)}" for plan in matter.plans) or "(none)",
            "evidence": fence_evidence(matter.evidence, boundary, EVIDENCE_ROOM),
            "boundary": boundary,
        }
        reply, uses = await self._ask("plan", PlanReply, allowance, values)
        by_rules = await self._rules.plan(matter, allowance)
        next_plan = None if reply is None else _plan(matter, by_rules.value, reply)
        if next_plan is None:
            return replace(by_rules, uses=_unusable(uses, reply))
        return NodeThought(next_plan, uses)

    def is_done(self, matter: PlanMatter) -> bool:
        """A model may always think of other words; without one for plans the rules know."""
        return "plan" not in self._llms and self._rules.is_done(matter)

    async def evaluate(self, matter: PassageMatter, allowance: ModelAllowance) -> NodeThought[list[Finding]]:
        boundary = new_boundary()
        values = {
            "question": matter.strategy.question,
            "goals": _listed(matter.goals),
            "boundary": boundary,
        }
        room = self._passage_room(load_prompt("evaluate"), values)
        values["passages"] = fence_passages(matter.passages, boundary, room)
        reply: EvaluationReply | None = None
        uses: tuple[ModelUse, ...] = ()
        if matter.passages and matter.goals:
            reply, uses = await self._ask("evaluate", EvaluationReply, allowance, values)
        by_rules = await self._rules.evaluate(matter, allowance)
        if reply is None:
            return replace(by_rules, uses=uses)
        picked, dropped = await asyncio.to_thread(_findings, matter, reply)
        uses = tuple(replace(use, dropped=dropped) for use in uses)
        # What the rules found for a goal that the model found nothing for is near, and is not lost.
        answered_goals = {finding.goal_id for finding in picked}
        near = [
            replace(finding, score=min(finding.score, REFUSED))
            for finding in by_rules.value
            if finding.goal_id not in answered_goals
        ]
        return NodeThought([*picked, *near], uses)

    async def answer(
        self, matter: AnswerMatter, allowance: ModelAllowance, hear: Callable[[str], None]
    ) -> NodeThought[Draft]:
        by_rules = await self._rules.answer(matter, allowance, hear)
        if by_rules.value.level is not AnswerLevel.ANSWERED:
            return by_rules  # there is nothing to write of
        boundary = new_boundary()
        values = {
            "question": matter.strategy.question,
            "goals": _listed(matter.strategy.goals),
            "evidence": fence_evidence(matter.evidence, boundary, 2 * EVIDENCE_ROOM),
            "boundary": boundary,
        }
        checker = SentenceChecker(matter, hear)

        def listen(sentence: SentenceReply) -> None:
            checker.check(CitedSentence(sentence.text, sentence.cites))

        reply, uses = await self._ask("answer", AnswerReply, allowance, values, listen)
        sentences = [] if reply is None else [*reply.sentences[:MAX_SENTENCES]]
        mended = [
            checker.check(CitedSentence(sentence.text, sentence.cites))
            for sentence in sentences
            if sentence.text.strip()
        ]
        written = write_draft(matter, mended)
        if written is None:
            head = "answer_unwritten" if uses else "answer_head"
            return NodeThought(quote_evidence(matter, head), _unusable(uses, reply, len(mended)))
        draft, dropped = written
        return NodeThought(draft, tuple(replace(use, dropped=dropped) for use in uses))

    def _passage_room(self, prompt: PromptFile, values: Mapping[str, str]) -> int:
        """Tokens of passages that fit beside all else into what the model reads and writes at once."""
        fixed = tokens(prompt.instructions) + tokens(prompt.text) + sum(map(tokens, values.values()))
        besides = fixed + prompt.max_output_tokens + SCHEMA_TOKENS + MESSAGE_TOKENS
        return max(200, min(self._limits.passage_room, self._limits.context - besides))

    async def _ask(
        self,
        node: str,
        shape: type[T],
        allowance: ModelAllowance,
        values: Mapping[str, str],
        listen: Callable[[Any], None] | None = None,
    ) -> tuple[T | None, tuple[ModelUse, ...]]:
        """The model's reply, or None; and the use of the model, unless the node has none."""
        llm = self._llms.get(node)
        if llm is None:
            return None, ()
        prompt = load_prompt(node)
        instructions, text = prompt.render(**values)
        use = ModelUse(node, llm.name, prompt.sha256, ModelUsage())
        # A token is a byte of UTF-8 at least, so the call cannot cost more; the repair sends the broken reply too.
        input_tokens = len((instructions + text).encode("utf-8", "replace")) + SCHEMA_TOKENS + MESSAGE_TOKENS
        once = input_tokens + prompt.max_output_tokens
        twice = 2 * once + prompt.max_output_tokens + 2 * MESSAGE_TOKENS
        repairs = 1
        reservation = allowance.reserve(2, twice)
        if reservation is None:
            repairs = 0
            reservation = allowance.reserve(1, once)
        if reservation is None:
            return None, (replace(use, fault=ModelFault.BUDGET),)
        seconds = min(self._limits.seconds, allowance.seconds_left)
        sent = ModelPrompt(instructions, text, prompt.sha256, prompt.max_output_tokens, seconds, repairs)
        usage = ModelUsage(1 + repairs, twice)  # of a call that was cancelled nobody knows what it has cost
        try:
            reply = await llm.ask(sent, shape, listen)
            usage = reply.usage
        except ModelFailed as error:
            usage = error.usage or ModelUsage(1)
            return None, (replace(use, usage=usage, fault=ModelFault(error.fault)),)
        finally:
            allowance.settle(reservation, usage)
        return reply.value, (replace(use, usage=usage, reply=reply.text),)


def _unusable(uses: tuple[ModelUse, ...], reply: object, dropped: int = 0) -> tuple[ModelUse, ...]:
    """The uses of a reply that had the wanted shape and could not be used all the same."""
    if reply is None:
        return uses
    return tuple(replace(use, fault=ModelFault.MALFORMED, dropped=dropped) for use in uses)


def _listed(goals: Sequence[Goal]) -> str:
    return "\n".join(f"{goal.id}: {goal.question}" for goal in goals)


def _strategy(question: str, reply: StrategyReply) -> Strategy | None:
    try:
        texts = list(dict.fromkeys(checked(goal.question) for goal in reply.goals))[:MAX_GOALS]
    except InvalidParams:
        return None
    if not texts:
        return None
    goals = tuple(Goal(f"G{number}", text) for number, text in enumerate(texts, 1))
    joint = " and " if reply.condition == "all" else " or "
    return Strategy(question, goals, joint.join(goal.id for goal in goals), Complexity(reply.complexity))


def _plan(matter: PlanMatter, by_rules: Plan, reply: PlanReply) -> Plan | None:
    """None where it has no words, or asks again what was asked. Filters are the rules': a user's stay."""
    words = [" ".join(keyword.split())[:MAX_KEYWORD_CHARS] for keyword in reply.keywords]
    keywords = tuple(dict.fromkeys(word for word in words if any(map(str.isalnum, word))))[:MAX_KEYWORDS]
    earlier = {frozenset(map(fold, plan.keyword_query)) for plan in matter.plans}
    if not keywords or frozenset(map(fold, keywords)) in earlier:
        return None
    return Plan(
        matter.strategy.question,
        keywords,
        reply.meaning[:MAX_REASON_CHARS] or matter.goals[0].question,
        reply.reasoning[:MAX_REASON_CHARS],
        by_rules.filter_conditions,
    )


def _findings(matter: PassageMatter, reply: EvaluationReply) -> tuple[list[Finding], int]:
    """The model's findings of open goals, best first, a few for each, none that repeats evidence; and how many
    quote what was not shown."""
    told_words: dict[str, list[str]] = {goal.id: [] for goal in matter.goals}
    for ref in matter.evidence:
        told_words.setdefault(ref.goal_id, []).append(ref.snippet)
    findings: list[Finding] = []
    dropped = 0
    claims = [claim for claim in reply.findings[:MAX_CLAIMS] if isfinite(claim.score) and claim.score >= NEAR]
    for claim in sorted(claims, key=lambda claim: -claim.score):
        finding = Finding(claim.passage, claim.goal, claim.quotation, round(min(1.0, claim.score), 4))
        verified = verify(finding, matter.passages)
        if verified is None or claim.goal not in {goal.id for goal in matter.goals}:
            dropped += 1
            continue
        told_snippets = told_words[claim.goal]
        of_goal = sum(other.goal_id == claim.goal for other in findings)
        if of_goal == MAX_FINDINGS or any(double(verified.snippet, snippet) for snippet in told_snippets):
            continue
        told_snippets.append(verified.snippet)
        findings.append(replace(finding, snippet=verified.snippet))
    return findings, dropped
