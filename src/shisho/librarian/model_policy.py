"""A policy that asks models.

If one fails, or may not be asked, the rules decide and the use says why.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace

from shisho.domain.corpus import UNBOUNDED_ROOM, Complexity, Condition, FilterRange, NumberedPassage
from shisho.domain.inquiry import (
    ANSWERING_LEVELS,
    EvidenceRef,
    Finding,
    Plan,
    Strategy,
)
from shisho.domain.loop_state import Draft
from shisho.domain.model import UNFORMED_FAULTS, ModelUse
from shisho.domain.requirements import RequestKind
from shisho.language import compile_lazily, estimate_tokens
from shisho.language.asking import strip_asking
from shisho.language.display import join_lines
from shisho.language.sentences import split_sentences
from shisho.language.terms import fold
from shisho.librarian.allowance import ModelAllowance, TokenMeter
from shisho.librarian.evidence import ANSWERING_SCORE, is_near_duplicate, select_answering
from shisho.librarian.model_calls import MIN_PASSAGES, ModelCalls, ModelLimits, mark_unusable
from shisho.librarian.model_reading import (
    MAX_REASON_CHARS,
    check_claims,
    cite_findings,
    limit_findings,
    list_claims,
    read_judgment,
)
from shisho.librarian.model_relatedness import Relatedness
from shisho.librarian.model_replies import (
    BlockReply,
    EvaluationReply,
    FactReply,
    FilterReply,
    PlanReply,
)
from shisho.librarian.model_reports import plan_report, write_whole
from shisho.librarian.model_strategy import read_question
from shisho.librarian.model_writing import AnswerWriter
from shisho.librarian.policy import (
    AnswerInput,
    EvaluateInput,
    EvaluateResult,
    PlanInput,
    RulePolicy,
    SeekSupport,
    StepResult,
    StrategyInput,
    Whole,
    WholeInput,
)
from shisho.librarian.prompting import (
    PromptFile,
    fence_evidence,
    fence_lines,
    fence_passages,
    gather_copies,
    list_goals,
    load_prompt,
    make_boundary,
    size_reply,
)
from shisho.ports import Llm

MAX_KEYWORDS = 12
MAX_KEYWORD_CHARS = 80
MAX_FIELDS_CHARS = 1_000  # of the names of fields in a prompt
MAX_FILTERS = 5  # of one reply
MAX_VALUE_CHARS = 200
MAX_READ_LINES = 30  # headings of read passages in a prompt
MAX_FACT_TOKENS = 60  # of a question that rules may leave unsplit without a model
FACT = "fact"  # the call that reads and writes in one step
FACT_ROOM = 2_400  # tokens of passages in it; a missing fact is searched in further rounds
EVIDENCE_SHARE = 8  # quotations may take this fraction of a prompt's room from passages
MAX_UNANSWERING_SCORE = (
    0.98 * ANSWERING_SCORE
)  # the maximum score of a passage in which a model found no answer
# Words of questions that may ask for more than one thing.
_SEVERAL = compile_lazily(
    r"それぞれ|および|及び|ならびに|並びに|また[、は]|かつ|どちら|いずれ|すべて|全て|一覧|リスト|条件|理由|なぜ|どのよう|合計|合わせ|平均"
    r"|\b(?:and|or|both|each|all|why|how(?! (?:many|much|long|old|often|far|large)\b)|which|list|total|if)\b",
    re.IGNORECASE,
)
_PAGES = compile_lazily(r"[0-9]+|[0-9]*\.\.[0-9]*")


class ModelPolicy:
    """Decide with models.

    `llms`: the model of each node (`strategy`, `plan`, `evaluate`, `answer`, and `judge` for checking the
    answer); rules decide for nodes without one. `fills_room`: see `Policy`.
    """

    def __init__(
        self,
        llms: Mapping[str, Llm],
        limits: ModelLimits,
        *,
        fills_room: bool = False,
        relatedness: Relatedness | None = None,
    ) -> None:
        self.fills_room = fills_room
        self._calls = ModelCalls(llms, limits, relatedness=relatedness)
        self._rules = RulePolicy()

    def with_meter(self, meter: TokenMeter) -> ModelPolicy:
        """Return the same policy with its calls counted by this meter."""
        policy = copy(self)
        policy._calls = self._calls.with_meter(meter)
        return policy

    async def split(self, inputs: StrategyInput, allowance: ModelAllowance) -> StepResult[Strategy]:
        by_rules = await self._rules.split(inputs, allowance)
        if inputs.required.kind is RequestKind.REPORT:
            return StepResult(
                *await plan_report(self._calls, inputs, by_rules.value, await inputs.recall(), allowance)
            )
        is_decided = bool(inputs.required.goals or inputs.required.condition)
        is_plain = asks_one_fact(by_rules.value) and not inputs.earlier
        if is_decided or is_plain or "strategy" not in self._calls:
            return by_rules
        return StepResult(
            *await read_question(self._calls, inputs, by_rules.value, await inputs.recall(), allowance)
        )

    async def plan(self, inputs: PlanInput, allowance: ModelAllowance) -> StepResult[Plan]:
        by_rules = await self._rules.plan(inputs, allowance)
        around = inputs.judgment.read_around
        is_section = bool(inputs.strategy.sections)  # its outline has words to search for
        is_plain = not inputs.plans and (is_section or is_one_fact(inputs.strategy))
        if around:
            query = _choose_query(inputs, by_rules.value)  # without one nothing is read
            return replace(by_rules, value=replace(by_rules.value, keyword_query=query, read_around=around))
        if is_plain or "plan" not in self._calls:
            return by_rules
        fields = await inputs.list_fields()
        values = await self._write_plan(inputs, fields)
        reply, uses = await self._calls.ask("plan", PlanReply, allowance, values)
        if reply is None:
            return replace(by_rules, uses=uses)
        filters, refused = read_filters(reply.filter_conditions, fields)
        next_plan = await asyncio.to_thread(_add_words, inputs, by_rules.value, filters, refused, reply)
        if next_plan is None or not await self._is_about(inputs, reply):
            return replace(by_rules, uses=mark_unusable(uses, reply))
        return StepResult(next_plan, tuple(replace(use, dropped=len(refused)) for use in uses))

    async def _is_about(self, inputs: PlanInput, reply: PlanReply) -> bool:
        """Return whether a plan is related to the question, its goals or what is missing for them."""
        about = (inputs.strategy.question, *(goal.question for goal in inputs.goals))
        # Words of documents that were read are related to the question too.
        about += tuple(row.missing for row in inputs.status if row.missing)
        texts = [text[:MAX_FIELDS_CHARS] for text in (" ".join(reply.keywords), reply.meaning) if text]
        return len(await self._calls.relatedness.find_unrelated(texts, about)) < len(texts)

    def is_done(self, inputs: PlanInput) -> bool:
        """Return False with a model for plans, which can always find other words.

        Else ask the rules.
        """
        return "plan" not in self._calls and self._rules.is_done(inputs)

    def measure_room(self, inputs: EvaluateInput, allowance: ModelAllowance) -> int:
        """Return as much as the context fits and the allowance can pay for; unbounded if rules read."""
        prompt = self._choose_prompt(inputs)
        values = _write_reading(inputs)
        affordable = self._calls.measure_affordable(prompt, values, allowance)
        if prompt.name not in self._calls or affordable < MIN_PASSAGES:
            return UNBOUNDED_ROOM
        room = self._calls.measure_room(prompt, values)
        if self.fills_room:  # later rounds need their share
            affordable = max(MIN_PASSAGES, affordable // allowance.rounds_left)
        elif prompt.name == FACT:
            affordable = min(affordable, FACT_ROOM)
        evidence_tokens = estimate_tokens(
            fence_evidence(_list_kept(inputs), values["boundary"], room // EVIDENCE_SHARE)
        )
        return max(MIN_PASSAGES, min(room - evidence_tokens, affordable))

    def _choose_prompt(self, inputs: EvaluateInput) -> PromptFile:
        """Return the prompt that reads this round: at first a fact is read and written in one call."""
        if inputs.round == 1 and FACT in self._calls and is_one_fact(inputs.strategy):
            return self._load_prompt(FACT, inputs)
        return self._load_prompt("evaluate", inputs)

    def _load_prompt(self, name: str, inputs: EvaluateInput) -> PromptFile:
        return size_reply(load_prompt(name), inputs.strategy, self._calls.context)

    async def evaluate(self, inputs: EvaluateInput, allowance: ModelAllowance) -> StepResult[EvaluateResult]:
        copies = dict(await asyncio.to_thread(gather_copies, inputs.passages))
        reply: EvaluationReply | FactReply | None = None
        uses: tuple[ModelUse, ...] = ()
        if inputs.passages and inputs.goals:
            reply, uses = await self._read(inputs, copies, allowance)
        if reply is None:
            return replace(await self._rules.evaluate(inputs, allowance), uses=uses)
        evaluation = reply if isinstance(reply, EvaluationReply) else reply.evaluation
        also = {passage.temp_index: numbers for passage, numbers in copies.items()}
        claims = list_claims(evaluation)
        most = limit_findings(inputs.goals)
        picked = await asyncio.to_thread(check_claims, inputs, claims, most, also)
        uses = (*uses[:-1], replace(uses[-1], dropped=picked.dropped))
        if claims and picked.dropped == len(claims):  # all findings were invented: rules read instead
            by_rules = await self._rules.evaluate(inputs, allowance)
            return replace(by_rules, uses=mark_unusable(uses, reply))
        findings, closest = await self._compare_with_rules(inputs, picked.findings, allowance)
        judgment = read_judgment(inputs, findings, evaluation)
        written: tuple[BlockReply, ...] = ()
        if isinstance(reply, FactReply):
            written = await asyncio.to_thread(cite_findings, inputs, reply, findings, judgment)
        return StepResult(EvaluateResult(findings, judgment, closest, written), uses)

    async def _read(
        self,
        inputs: EvaluateInput,
        copies: Mapping[NumberedPassage, tuple[int, ...]],
        allowance: ModelAllowance,
    ) -> tuple[EvaluationReply | FactReply | None, tuple[ModelUse, ...]]:
        """Ask a model to read the passages; if it fails in the longer form, in the plain form."""
        prompt = self._choose_prompt(inputs)
        values = _write_reading(inputs)
        room = self.measure_room(inputs, allowance)
        if prompt.name == FACT:
            fact_values = values | {"passages": fence_passages(copies, values["boundary"], room)}
            del fact_values["condition"]
            fact, uses = await self._calls.ask(
                FACT, FactReply, allowance, fact_values, prompt=prompt, may_repair=False
            )
            if fact is not None or uses[-1].fault not in UNFORMED_FAULTS:
                return fact, uses
            prompt = self._load_prompt("evaluate", inputs)
            reply, plain = await self._ask_to_read(prompt, inputs, values | fact_values, allowance)
            return reply, (*uses, *plain)
        # Passages first: they are shown only once, while evidence is kept.
        values["passages"] = fence_passages(copies, values["boundary"], room)
        return await self._ask_to_read(prompt, inputs, values, allowance)

    async def _ask_to_read(
        self,
        prompt: PromptFile,
        inputs: EvaluateInput,
        values: Mapping[str, str],
        allowance: ModelAllowance,
    ) -> tuple[EvaluationReply | None, tuple[ModelUse, ...]]:
        room = self._calls.measure_room(prompt, values)
        evidence = fence_evidence(_list_kept(inputs), values["boundary"], room)
        return await self._calls.ask(
            "evaluate", EvaluationReply, allowance, {**values, "evidence": evidence}, prompt=prompt
        )

    async def _compare_with_rules(
        self, inputs: EvaluateInput, findings: Sequence[Finding], allowance: ModelAllowance
    ) -> tuple[list[Finding], list[Finding]]:
        """Return the model's findings with the rules' scores of the same words, and other words by rules.

        If the model found nothing for a goal, these never answer it: a model has read the passages.
        """
        by_rules = (await self._rules.evaluate(inputs, allowance)).value.findings
        return await asyncio.to_thread(_compare, inputs, findings, by_rules)

    async def answer(
        self,
        inputs: AnswerInput,
        allowance: ModelAllowance,
        hear: Callable[[str], None],
        seek: SeekSupport,
    ) -> StepResult[Draft]:
        by_rules = await self._rules.answer(inputs, allowance, hear, seek)
        if by_rules.value.level not in ANSWERING_LEVELS:
            return by_rules  # without an answer there is nothing to write
        return await AnswerWriter(self._calls, inputs, allowance, hear, seek).write()

    async def write_whole(self, inputs: WholeInput, allowance: ModelAllowance) -> StepResult[Whole]:
        return await write_whole(self._calls, inputs, allowance)

    async def _write_plan(self, inputs: PlanInput, fields: Sequence[str]) -> dict[str, str]:
        boundary = make_boundary()
        read_lines = list(dict.fromkeys(await inputs.list_read()))[:MAX_READ_LINES]
        queries = [" ".join((*plan.keyword_query, *plan.added_words)) for plan in inputs.plans]
        values = {
            "question": inputs.strategy.question,
            "condition": inputs.strategy.condition,
            "round": str(len(inputs.plans) + 1),
            "goals": _list_missing(inputs, boundary),
            "queries": fence_lines("searches", queries, boundary),
            "read": fence_lines("headings", read_lines, boundary),
            "fields": ", ".join(map(join_lines, fields))[:MAX_FIELDS_CHARS] or "(none)",
            "boundary": boundary,
        }
        room = self._calls.measure_room(load_prompt("plan"), values)
        return values | {"evidence": fence_evidence(inputs.evidence, boundary, room)}


def asks_one_fact(strategy: Strategy) -> bool:
    """Return whether a short question asks for one fact, so that it is not split into several goals."""
    is_short = (
        estimate_tokens(strategy.question) <= MAX_FACT_TOKENS and len(split_sentences(strategy.question)) == 1
    )
    return is_short and is_one_fact(strategy) and not _SEVERAL.search(strategy.question)


def is_one_fact(strategy: Strategy) -> bool:
    """Return whether the question asks for one fact, so that one quotation can suffice."""
    (first, *others) = strategy.goals
    is_whole = not others and strategy.complexity is Complexity.SINGLE
    return (
        is_whole
        and first.min_evidence == first.min_sources == 1
        and strategy.kind in (RequestKind.FACT, RequestKind.AUTO)
    )


def _compare(
    inputs: EvaluateInput, findings: Sequence[Finding], by_rules: Sequence[Finding]
) -> tuple[list[Finding], list[Finding]]:
    scored: list[Finding] = []
    same: set[Finding] = set()
    for finding in findings:
        equal = [
            other
            for other in by_rules
            if other.goal_id == finding.goal_id and is_near_duplicate(other.snippet, finding.snippet)
        ]
        same.update(equal)
        scored.append(replace(finding, rule_score=max((other.score for other in equal), default=0.0)))
    answered_ids = {finding.goal_id for finding in findings if finding.score >= ANSWERING_SCORE}
    for goal in inputs.goals:
        if select_answering([ref for ref in inputs.evidence if ref.goal_id == goal.id]):
            answered_ids.add(goal.id)
    others = [
        _weaken_unconfirmed(other, other.goal_id in answered_ids) for other in by_rules if other not in same
    ]
    return scored, others


def _weaken_unconfirmed(finding: Finding, is_answered: bool) -> Finding:
    """Return a finding of rules in whose passage a model found nothing.

    It answers only a goal for which the model found an answer too.
    """
    if not is_answered and finding.score < ANSWERING_SCORE:
        return finding
    score = finding.score if is_answered else MAX_UNANSWERING_SCORE
    return replace(finding, score=score, rule_score=finding.score)


def _write_reading(inputs: EvaluateInput) -> dict[str, str]:
    """Return the prompt's values for reading, without passages and earlier evidence."""
    return {
        "question": inputs.strategy.question,
        "kind": inputs.strategy.kind,
        "condition": inputs.strategy.condition,
        "goals": list_goals(inputs.goals),
        "most": str(limit_findings(inputs.goals)),
        "boundary": make_boundary(),
    }


def _list_kept(inputs: EvaluateInput) -> list[EvidenceRef]:
    """Return the answering evidence, without merely related passages."""
    return [ref for ref in inputs.evidence if ref.score >= ANSWERING_SCORE]


def _list_missing(inputs: PlanInput, boundary: str) -> str:
    """Return the open goals with their existing and required evidence, and missing facts."""
    status = {row.goal_id: row for row in inputs.status}
    lines = [
        f"{goal.id}: {goal.question}"
        + (
            f" (quotations: {row.evidence} of {goal.min_evidence}, sources: {row.sources} of {goal.min_sources})"
            if (row := status.get(goal.id))
            else ""
        )
        for goal in inputs.goals
    ]
    missing = [f"{row.goal_id}: {row.missing}" for row in inputs.status if row.missing]
    if inputs.next_focus:
        missing.append(f"next: {inputs.next_focus}")
    if missing:
        lines.append(fence_lines("missing", missing, boundary))
    return "\n".join(lines)


def read_filters(
    replies: Sequence[FilterReply], fields: Sequence[str]
) -> tuple[Mapping[str, Condition], Sequence[str]]:
    """Return the conditions over known fields, and the names of the others.

    A page is a number or a range.
    """
    filters: dict[str, Condition] = {}
    refused: list[str] = []
    for reply in replies[:MAX_FILTERS]:
        name = join_lines(reply.field).strip()
        value = join_lines(reply.value).strip()[:MAX_VALUE_CHARS]
        is_page = name == "page"
        if name not in fields or not value.strip(".") or (is_page and not _PAGES.fullmatch(value)):
            refused.append(name[:MAX_VALUE_CHARS])
            continue
        low, dots, high = value.partition("..")
        filters[name] = FilterRange(low.strip() or None, high.strip() or None) if dots else value
    return filters, refused


def _add_words(
    inputs: PlanInput,
    by_rules: Plan,
    filters: Mapping[str, Condition],
    refused: Sequence[str],
    reply: PlanReply,
) -> Plan | None:
    """Return the rules' plan with words of the model and of other open goals.

    None if the words are not new. The user's filters are unchanged.
    """
    asked_words = {fold(word) for plan in inputs.plans for word in (*plan.keyword_query, *plan.added_words)}
    words = [" ".join(keyword.split())[:MAX_KEYWORD_CHARS] for keyword in reply.keywords]
    keywords = list(dict.fromkeys(word for word in words if any(map(str.isalnum, word))))[:MAX_KEYWORDS]
    meaning = join_lines(reply.meaning)[:MAX_REASON_CHARS]
    is_new = any(fold(word) not in asked_words for word in keywords) or filters
    if not keywords or not is_new:
        return None
    base = _choose_query(inputs, by_rules)
    others = (strip_asking(goal.question) for goal in inputs.goals) if inputs.plans else ()
    added = [word for word in dict.fromkeys((*others, *keywords)) if word not in base]
    reasoning = join_lines(reply.reasoning)[:MAX_REASON_CHARS]
    if refused:
        reasoning += f" [not filtered by: {', '.join(refused)}]"
    meant = by_rules.vector_query or inputs.goals[0].question
    return replace(
        by_rules,
        keyword_query=base,
        added_words=tuple(added),
        vector_query=f"{meant} {meaning}".strip(),
        reasoning=reasoning or by_rules.reasoning,
        filter_conditions=filters,
    )


def _choose_query(inputs: PlanInput, by_rules: Plan) -> tuple[str, ...]:
    """Return the query of the rules; that of all goals again if they have none left."""
    return by_rules.keyword_query or tuple(strip_asking(goal.question) for goal in inputs.goals)
