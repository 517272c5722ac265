"""A mind that asks models. Where one fails, or may not be asked, the rules think in its place and the use
says why."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from math import isfinite

from shisho.domain.corpus import UNBOUNDED_ROOM, Complexity, Condition
from shisho.domain.inquiry import AnswerLevel, Finding, Goal, Plan, Stance, Strategy, Verdict
from shisho.domain.loop_state import Draft
from shisho.domain.model import ModelUse
from shisho.language.display import join_lines
from shisho.language.sentences import sentences
from shisho.language.terms import fold
from shisho.language.tokens import tokens
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.evidence import VerifiedQuote, double, verify
from shisho.librarian.levels import RELATED
from shisho.librarian.metering import TokenMeter
from shisho.librarian.mind import (
    AnswerMatter,
    NodeThought,
    PassageMatter,
    PlanMatter,
    QuestionMatter,
    RulesMind,
    SeekSupport,
)
from shisho.librarian.model_calls import LEAST_PASSAGES, ModelCalls, ModelLimits, mark_unusable
from shisho.librarian.model_filters import read_filters
from shisho.librarian.model_replies import (
    EvaluationReply,
    FindingReply,
    PlanReply,
    ReflectionReply,
)
from shisho.librarian.model_strategy import read_follow_up, split_question
from shisho.librarian.model_writing import AnswerWriter
from shisho.librarian.prompting import (
    fence_evidence,
    fence_passages,
    gather_copies,
    list_goals,
    load_prompt,
    make_boundary,
)
from shisho.ports import Llm

MAX_KEYWORDS = 12
MAX_KEYWORD_CHARS = 80
MAX_REASON_CHARS = 300
MAX_CLAIMS = 60  # of one reply are looked at
LEAST_FINDINGS = 3  # for one goal in one round, whatever the others need
MOST_FINDINGS = 12  # for all goals of one round
MAX_FIELDS_CHARS = 1_000  # of the names of fields in a prompt
NO_STATUS: Mapping[str, str] = {}
MAX_ONE_FACT = 60  # characters of a question that rules may leave whole without a model
EVIDENCE_SHARE = 8  # that part of the room in a prompt which quotations may keep from passages
# Words by which a question may want more than one thing.
_SEVERAL = re.compile(
    r"それぞれ|および|及び|ならびに|並びに|また[、は]|かつ|どちら|いずれ|すべて|全て|一覧|リスト|条件|理由|なぜ|どのよう|合計|合わせ|平均"
    r"|\b(?:and|or|both|each|all|why|how|which|list|total|if)\b",
    re.IGNORECASE,
)


class ModelMind:
    """`llms`: the model of each node (`strategy`, `plan`, `evaluate`, `reflect`, `answer`, and
    `entailment` for the check of what was written); nodes without one think by rules."""

    def __init__(self, llms: Mapping[str, Llm], limits: ModelLimits) -> None:
        self._calls = ModelCalls(llms, limits)
        self._rules = RulesMind()

    def with_meter(self, meter: TokenMeter) -> ModelMind:
        """The same mind, whose calls this meter counts."""
        mind = copy(self)
        mind._calls = self._calls.with_meter(meter)
        return mind

    async def split(self, matter: QuestionMatter, allowance: ModelAllowance) -> NodeThought[Strategy]:
        by_rules = await self._rules.split(matter, allowance)
        is_decided = bool(matter.required.goals or matter.required.condition)
        is_plain = asks_one_fact(by_rules.value) and not matter.earlier
        if is_decided or is_plain or "strategy" not in self._calls:
            return by_rules
        around = await matter.recall()
        parts = (self._calls, matter, around, allowance)
        made_strategy, uses = await (read_follow_up(*parts) if matter.earlier else split_question(*parts))
        if made_strategy is None:
            return replace(by_rules, uses=uses)
        return NodeThought(made_strategy, uses)

    async def plan(self, matter: PlanMatter, allowance: ModelAllowance) -> NodeThought[Plan]:
        boundary = make_boundary()
        fields = await matter.list_fields() if "plan" in self._calls else ()
        status = {
            "condition": matter.strategy.condition,
            "round": str(len(matter.plans) + 1),
            "goals": list_missing(matter),
            "fields": ", ".join(map(join_lines, fields))[:MAX_FIELDS_CHARS] or "(none)",
        }
        values = self._write_search("plan", matter, boundary, status)
        reply, uses = await self._calls.ask("plan", PlanReply, allowance, values)
        by_rules = await self._rules.plan(matter, allowance)
        if reply is None:
            return replace(by_rules, uses=uses)
        filters, refused = read_filters(reply.filter_conditions, fields)
        next_plan = _plan(matter, filters, refused, reply)
        if next_plan is None:
            return replace(by_rules, uses=mark_unusable(uses, reply))
        return NodeThought(next_plan, tuple(replace(use, dropped=len(refused)) for use in uses))

    def is_done(self, matter: PlanMatter) -> bool:
        """A model may always think of other words; without one for plans the rules know."""
        return "plan" not in self._calls and self._rules.is_done(matter)

    def measure_room(self, matter: PassageMatter, allowance: ModelAllowance) -> int:
        """As much as the context holds and the allowance can pay for; where that is nothing rules read."""
        prompt = load_prompt("evaluate")
        values = _write_reading(matter)
        affordable = self._calls.measure_affordable(prompt, values, allowance)
        if "evaluate" not in self._calls or affordable < LEAST_PASSAGES:
            return UNBOUNDED_ROOM
        room = self._calls.measure_room(prompt, values)
        evidence_tokens = tokens(fence_evidence(matter.evidence, values["boundary"], room // EVIDENCE_SHARE))
        return max(LEAST_PASSAGES, min(room - evidence_tokens, affordable))

    async def evaluate(self, matter: PassageMatter, allowance: ModelAllowance) -> NodeThought[list[Finding]]:
        values = _write_reading(matter)
        copies = dict(await asyncio.to_thread(gather_copies, matter.passages))
        # Passages first: what was shown is not shown again, and what was kept stays kept.
        values["passages"] = fence_passages(copies, values["boundary"], self.measure_room(matter, allowance))
        room = self._calls.measure_room(load_prompt("evaluate"), values)
        values["evidence"] = fence_evidence(matter.evidence, values["boundary"], room)
        reply: EvaluationReply | None = None
        uses: tuple[ModelUse, ...] = ()
        if matter.passages and matter.goals:
            reply, uses = await self._calls.ask("evaluate", EvaluationReply, allowance, values)
        if reply is None:
            return replace(await self._rules.evaluate(matter, allowance), uses=uses)
        also = {passage.temp_index: numbers for passage, numbers in copies.items()}
        claims = _claims(reply)
        most = limit_findings(matter.goals)
        picked, dropped = await asyncio.to_thread(_findings, matter, claims, most, also)
        uses = tuple(replace(use, dropped=dropped) for use in uses)
        if claims and dropped == len(claims):  # all of it was made up: it has not read, and somebody should
            by_rules = await self._rules.evaluate(matter, allowance)
            return replace(by_rules, uses=mark_unusable(uses, reply))
        return NodeThought(picked, uses)

    async def reflect(
        self, matter: PlanMatter, verdict: Verdict, allowance: ModelAllowance
    ) -> NodeThought[Verdict]:
        boundary = make_boundary()
        reply: ReflectionReply | None = None
        uses: tuple[ModelUse, ...] = ()
        if len(matter.goals) > 1:  # with one open goal there is nothing to choose
            values = self._write_search("reflect", matter, boundary)
            reply, uses = await self._calls.ask("reflect", ReflectionReply, allowance, values)
        if reply is None:
            return NodeThought(verdict, uses)
        if reply.next_focus not in {goal.id for goal in matter.goals}:
            return NodeThought(verdict, mark_unusable(uses, reply))
        reason = f"{verdict.judgment_reason}; {join_lines(reply.reason)[:MAX_REASON_CHARS]}"
        return NodeThought(replace(verdict, next_focus=reply.next_focus, judgment_reason=reason), uses)

    async def answer(
        self,
        matter: AnswerMatter,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> NodeThought[Draft]:
        by_rules = await self._rules.answer(matter, allowance, hear, seek)
        if by_rules.value.level is not AnswerLevel.ANSWERED:
            return by_rules  # there is nothing to write of
        return await AnswerWriter(self._calls, matter, allowance, hear, seek).write()

    def _write_search(
        self, prompt_name: str, matter: PlanMatter, boundary: str, status: Mapping[str, str] = NO_STATUS
    ) -> dict[str, str]:
        values = {
            "question": matter.strategy.question,
            "goals": list_goals(matter.goals),
            "queries": "\n".join(f"- {' '.join(plan.keyword_query)}" for plan in matter.plans) or "(none)",
            "boundary": boundary,
            **status,
        }
        room = self._calls.measure_room(load_prompt(prompt_name), values)
        return values | {"evidence": fence_evidence(matter.evidence, boundary, room)}


def asks_one_fact(strategy: Strategy) -> bool:
    """True for a short question that rules leave whole: a model would give it back as it is."""
    is_short = len(strategy.question) <= MAX_ONE_FACT and len(sentences(strategy.question)) == 1
    is_whole = len(strategy.goals) == 1 and strategy.complexity is Complexity.SINGLE
    return is_short and is_whole and not _SEVERAL.search(strategy.question)


def _write_reading(matter: PassageMatter) -> dict[str, str]:
    """The values of the prompt that reads passages, without these and what was found before."""
    return {
        "question": matter.strategy.question,
        "goals": list_goals(matter.goals),
        "most": str(limit_findings(matter.goals)),
        "boundary": make_boundary(),
    }


def limit_findings(goals: Sequence[Goal]) -> int:
    """How many quotations one goal may have of a round."""
    return max(LEAST_FINDINGS, MOST_FINDINGS // max(1, len(goals)))


def list_missing(matter: PlanMatter) -> str:
    """The open goals, each with the quotations and sources that it has and needs."""
    status = {row.goal_id: row for row in matter.status}
    lines = [
        f"{goal.id}: {goal.question}"
        + (
            f" (quotations: {row.evidence} of {goal.min_evidence}, sources: {row.sources} of {goal.min_sources})"
            if (row := status.get(goal.id))
            else ""
        )
        for goal in matter.goals
    ]
    return "\n".join(lines)


def _plan(
    matter: PlanMatter, filters: Mapping[str, Condition], refused: Sequence[str], reply: PlanReply
) -> Plan | None:
    """None where it has no words, or asks again what was asked. A user's filters are in the scope, and
    stay."""
    words = [" ".join(keyword.split())[:MAX_KEYWORD_CHARS] for keyword in reply.keywords]
    keywords = tuple(dict.fromkeys(word for word in words if any(map(str.isalnum, word))))[:MAX_KEYWORDS]
    earlier = [(frozenset(map(fold, plan.keyword_query)), plan.filter_conditions) for plan in matter.plans]
    if not keywords or (frozenset(map(fold, keywords)), filters) in earlier:
        return None
    reasoning = join_lines(reply.reasoning)[:MAX_REASON_CHARS]
    if refused:
        reasoning += f" [not filtered by: {', '.join(refused)}]"
    return Plan(
        matter.strategy.question,
        keywords,
        reply.meaning[:MAX_REASON_CHARS] or matter.goals[0].question,
        reasoning,
        filters,
    )


def _claims(reply: EvaluationReply) -> list[FindingReply]:
    """Return the claims that are related at least, best first."""
    claims = [
        claim for claim in reply.findings[:MAX_CLAIMS] if isfinite(claim.score) and claim.score >= RELATED
    ]
    return sorted(claims, key=lambda claim: -claim.score)


def _findings(
    matter: PassageMatter,
    claims: Sequence[FindingReply],
    most: int,
    copies: Mapping[int, tuple[int, ...]],
) -> tuple[list[Finding], int]:
    """The model's findings of open goals, best first, at most so many for each, none that repeats evidence;
    and how many quote what was not shown. `copies`: of passages, those that say the same."""
    told_words: dict[str, list[str]] = {goal.id: [] for goal in matter.goals}
    for ref in matter.evidence:
        told_words.setdefault(ref.goal_id, []).append(ref.snippet)
    findings: list[Finding] = []
    dropped = 0
    for claim in claims:
        finding = Finding(
            claim.passage,
            claim.goal,
            claim.quotation,
            round(min(1.0, claim.score), 4),
            stance=Stance(claim.stance),
            also=copies.get(claim.passage, ()),
        )
        verified = verify(finding, matter.passages)
        if verified is None or claim.goal not in {goal.id for goal in matter.goals}:
            dropped += 1
            continue
        told_snippets = told_words[claim.goal]
        same = next((place for place, other in enumerate(findings) if _repeats(other, finding, verified)), -1)
        if same >= 0:
            findings[same] = _with_copies(findings[same], finding)
            continue
        of_goal = sum(other.goal_id == claim.goal for other in findings)
        if of_goal == most or any(double(verified.snippet, snippet) for snippet in told_snippets):
            continue
        findings.append(replace(finding, snippet=verified.snippet))
    return findings, dropped


def _repeats(finding: Finding, later: Finding, verified: VerifiedQuote) -> bool:
    return finding.goal_id == later.goal_id and double(finding.snippet, verified.snippet)


def _with_copies(finding: Finding, later: Finding) -> Finding:
    """The finding, which also stands where the later one does."""
    others = [number for number in (later.index, *later.also) if number != finding.index]
    return replace(finding, also=tuple(dict.fromkeys((*finding.also, *others))))
