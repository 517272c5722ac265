"""The nodes of the loop. Each returns the part of the state that it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from shisho.domain.answer_news import ModelWaits, RunNews, SentenceWritten
from shisho.domain.codec import Payload
from shisho.domain.conversation import Surroundings
from shisho.domain.inquiry import (
    Budget,
    EvidenceRef,
    Finding,
    Goal,
    Judgment,
    LoopStop,
    Plan,
    Strategy,
)
from shisho.domain.loop_state import LoopState, Spending
from shisho.domain.requirements import NO_REQUIREMENTS
from shisho.language.display import display_quotation
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.collecting import EvidenceCollector, drop_repeated
from shisho.librarian.evidence import ANSWERING_SCORE, Citations
from shisho.librarian.model_replies import AnswerReply, renumber_blocks
from shisho.librarian.policy import (
    EvaluateInput,
    EvaluateResult,
    PlanInput,
    Policy,
    Recall,
    RulePolicy,
    StrategyInput,
)
from shisho.librarian.reports import (
    ask_whole,
    begin_section,
    compose_report,
    conclude_report,
    describe_task,
    end_section,
    join_sections,
    withhold,
)
from shisho.librarian.route import (
    choose_next_focus,
    conclude,
    is_condition_met,
    open_goals,
    route,
)
from shisho.librarian.search import InquirySearch
from shisho.librarian.selection.select import list_unmatched_goals, list_wanted_terms
from shisho.librarian.splitting import resolve
from shisho.librarian.state import (
    build_answer_input,
    count_rounds_before,
    count_section_rounds,
    list_own_evidence,
    list_sought_goals,
)
from shisho.librarian.surveys import AskCollection, begin_survey, compose_survey
from shisho.librarian.web_fallback import WebFallback, leads_to_web
from shisho.ports import Clock

ANSWER_SHARE = 0.1  # of the budget of tokens: kept back for writing and checking
ANSWER_CALLS = 2  # kept back for the same
RULES_SHARE = 0.1  # of the budget of seconds: kept back for the rules, if a model uses up the rest
READERS = ("evaluate", "fact")  # calls in which a model reads passages


class Nodes:
    """The nodes of one run.

    Only `search`, `evaluate` and the search for support of uncited sentences use the session, and only
    `web_fallback` the web.
    """

    def __init__(
        self,
        search: InquirySearch,
        citations: Citations,
        clock: Clock,
        budget: Budget,
        policy: Policy,
        web: WebFallback,
        notify: Callable[[RunNews], None],
        recall: Recall,
        ask_collection: AskCollection,
    ) -> None:
        self._search = search
        self._collector = EvidenceCollector(search, citations)
        self._clock = clock
        self._budget = budget
        self._policy = policy
        self._web = web
        self._notify = notify
        self._recall = recall
        self._ask_collection = ask_collection

    async def strategy(self, state: LoopState) -> LoopState:
        earlier = state.get("earlier", ())
        resolved = resolve(state["question"], earlier)
        required = state.get("requirements", NO_REQUIREMENTS)
        survey = await self._ask_collection(resolved, required)
        if survey is not None:
            return begin_survey(survey, resolved, required, self._collector.citations)
        recall = _recall_once(self._recall)
        inputs = StrategyInput(state["question"], resolved, earlier, self._clock.now, recall, required)
        allowance = self._build_allowance(LoopState(spent=Spending()))
        thought = await self._policy.split(inputs, allowance)
        aim = replace(thought.value, complexity=required.complexity or thought.value.complexity)
        begun = LoopState(
            strategy=aim,
            goal_status=self._collector.citations.status(aim.goals, ()),
            rounds_without_evidence=0,
            spent=allowance.used,
            has_model=not isinstance(self._policy, RulePolicy),
            uses=thought.uses,
        )
        if not aim.sections:
            return begun
        titles = (await recall()).titles
        return LoopState(**{**begun, "titles": titles, **begin_section(aim, 1, 0, self._collector.citations)})

    async def plan(self, state: LoopState) -> LoopState:
        goals = list_sought_goals(state)
        focus = state["verdicts"][-1].next_focus if state["verdicts"] else ""
        goals.sort(key=lambda goal: goal.id != focus)
        # What was asked of the documents alone is asked again of all.
        plans = state["plans"][count_rounds_before(state) :]
        allowance = self._build_allowance(state)
        aim = state["strategy"]
        where = (aim.complexity, "reached" in state)
        inputs = PlanInput(
            aim,
            goals,
            plans,
            [ref for ref in list_own_evidence(state) if ref.score >= ANSWERING_SCORE],
            state["goal_status"],
            state.get("judgment", Judgment()),
            focus,
            partial(self._search.list_fields, *where),
            partial(self._search.list_read, *where, state["plans"]),
        )
        thought = await self._policy.plan(inputs, allowance)
        return LoopState(plans=(thought.value,), spent=Spending(rounds=1) + allowance.used, uses=thought.uses)

    async def search(self, state: LoopState) -> LoopState:
        aim = state["strategy"]
        plans = state["plans"]
        wanted_words = await asyncio.to_thread(list_wanted_terms, aim.goals)
        goals = list_sought_goals(state)
        rounds = len(plans) - count_section_rounds(state)
        inputs = EvaluateInput(aim, goals, (), {}, list_own_evidence(state), round=rounds)
        shown_round, rarity = await self._search.search_round(
            plans[-1],
            aim.complexity,
            "reached" in state,
            len(plans),
            wanted_words,
            self._policy.measure_room(inputs, self._build_allowance(state)),
            state.get("anew", False),
            self._policy.fills_room,
        )
        short_names = await self._search.find_short_names(
            aim.complexity, "reached" in state, " ".join(goal.question for goal in goals)
        )
        return LoopState(
            shown=shown_round.shown,
            rarity=rarity,
            short_names=short_names,
            exhausted=shown_round.exhausted,
            anew=False,
        )

    async def evaluate(self, state: LoopState) -> LoopState:
        aim = state["strategy"]
        own_refs = list_own_evidence(state)
        earlier = await self._search.list_earlier(
            aim.complexity, "reached" in state, state["plans"], count_section_rounds(state)
        )
        goals = list_sought_goals(state)
        allowance = self._build_allowance(state)
        inputs = EvaluateInput(
            aim,
            goals,
            state["shown"],
            state["rarity"],
            own_refs,
            state["plans"][-1].with_synonyms,
            earlier,
            state["short_names"],
            len(state["plans"]) - count_section_rounds(state),
        )
        thought = await self._policy.evaluate(inputs, allowance)
        reading = thought.value
        findings = [*reading.findings, *reading.closest]
        is_tried = state.get("respelt", False)
        respelt = None if is_tried else await self._respell(state, findings)
        if respelt is not None:
            is_tried = True
            same = {goal.id for goal in aim.goals if goal in respelt.goals}
            # What is near to a misread question is near to nothing.
            findings = [finding for finding in findings if finding.goal_id in same]
        anew = respelt not in (None, aim)
        aim = respelt or aim
        all_read = LoopState(**{**state, "shown": (*earlier, *state["shown"])})
        distinct = drop_repeated(findings)
        refs = [await self._collector.accept(finding, all_read) for finding in distinct]
        accepted = [ref for ref in refs if ref is not None]
        new = (*accepted, *await self._collector.find_copies(findings, accepted, all_read))
        self._send_quotations(accepted)
        judgment = _merge_judgments(
            state.get("judgment", Judgment()), reading.judgment, goals, bool(state["shown"])
        )
        is_new = any(ref.score >= ANSWERING_SCORE for ref in new) if reading.closest else bool(new)
        reads = [use for use in thought.uses if use.node in READERS]
        numbers = {finding: ref.number for finding, ref in zip(distinct, refs, strict=True) if ref}
        return LoopState(
            evidence=new,
            dropped=len(refs) - len(accepted),
            rounds_without_evidence=0 if is_new else state["rounds_without_evidence"] + 1,
            goal_status=self._collector.citations.status(aim.goals, (*own_refs, *new), judgment.goals),
            judgment=judgment,
            written=Payload.wrap(_number_blocks(reading, numbers)),
            spent=allowance.used,
            uses=thought.uses,
            reads=sum(use.fault is None for use in reads),
            strategy=aim,
            respelt=is_tried,
            anew=anew,
            exhausted=state["exhausted"] and not anew,
        )

    async def _respell(self, state: LoopState, findings: Sequence[Finding]) -> Strategy | None:
        """Return the strategy with respelled goals; None if a passage mentions each open goal."""
        answered = {finding.goal_id for finding in findings if finding.score >= ANSWERING_SCORE}
        unanswered = [goal for goal in list_sought_goals(state) if goal.id not in answered]
        misread = await asyncio.to_thread(list_unmatched_goals, state["shown"], unanswered)
        return await self._search.respell(state["strategy"], misread, "reached" in state) if misread else None

    async def route(self, state: LoopState) -> LoopState:
        aim = state["strategy"]
        status = state["goal_status"]
        focus = choose_next_focus(aim.goals, status, state["verdicts"])
        budget = state["budget"]
        rounds_before = count_rounds_before(state)
        plans = state["plans"][rounds_before:]
        goals = list_sought_goals(state)
        inputs = PlanInput(aim, goals, plans, state["evidence"])
        judgment = state.get("judgment", Judgment())
        kept_back = ANSWER_CALLS if judgment != Judgment() else 0
        withheld = withhold(budget, state)
        verdict = route(
            aim,
            status,
            replace(
                budget,
                max_rounds=budget.max_rounds + rounds_before,
                max_seconds=budget.max_seconds - withheld.seconds,
                max_model_calls=budget.max_model_calls - kept_back - withheld.model_calls,
                max_tokens=budget.max_tokens - withheld.tokens,
            ),
            state["spent"],
            rounds_without_evidence=state["rounds_without_evidence"],
            exhausted=state["exhausted"],
            is_done=self._policy.is_done(inputs),
            next_focus=focus,
            judgment=judgment,
            leads_to_web=partial(leads_to_web, state),
        )
        return LoopState(verdicts=(verdict,))

    async def web_fallback(self, state: LoopState) -> LoopState:
        """Search the web for the open goals. The evidence stays, and the rounds are counted again from 1."""
        budget = state["budget"]
        spending = state["spent"]
        plans = state["plans"]
        goals = open_goals(state["strategy"].goals, state["goal_status"])
        pages = budget.max_pages - spending.pages
        seconds = max(0.0, budget.max_seconds - spending.seconds)
        reached = await self._web.search(goals, pages, seconds, state.get("reached"))
        verdicts = state["verdicts"]
        if (
            verdicts
            and not reached.queries
            and is_condition_met(state["strategy"], state["goal_status"], is_over=True)
        ):
            reason = verdicts[-1].judgment_reason
            verdicts = (conclude(LoopStop.CONDITION_MET, state["goal_status"], reason),)
        else:
            verdicts = ()
        return LoopState(
            verdicts=verdicts,
            reached=replace(reached, rounds_before=len(plans)),
            shown=(),
            rarity={},
            short_names={},
            exhausted=False,
            rounds_without_evidence=0,
            spent=Spending(pages=reached.pages),
        )

    async def answer(self, state: LoopState) -> LoopState:
        return await self._write_answer(state, self._policy)

    async def cut_short(self, state: LoopState) -> LoopState:
        """Write the answer of a stopped run.

        This is no step of the ledger, so that the run can be resumed after its last one.
        """
        verdict = conclude(LoopStop.STOPPED, state["goal_status"], "stopped on request")
        last = LoopState(**{**state, "verdicts": (*state["verdicts"], verdict)})
        return LoopState(
            **{
                **last,
                **await self._write_answer(last, RulePolicy()),
                "evidence": last["evidence"],
                "spent": last["spent"],
                "uses": last["uses"],
            }
        )

    def _send_quotations(self, refs: Sequence[EvidenceRef]) -> None:
        """Send accepted quotations to the listener if rules decide: they are the lines of the answer."""
        if isinstance(self._policy, RulePolicy):
            for ref in {ref.number: ref for ref in refs}.values():
                self._send(f"{display_quotation(ref.snippet, code=ref.code)} [{ref.number}]")

    def _send(self, text: str) -> None:
        self._notify(SentenceWritten(text))

    def _build_allowance(self, state: LoopState, *, is_last: bool = False) -> ModelAllowance:
        """Return the model allowance of a node.

        Time for the rules and the share of later sections are kept back and, unless the node `is_last`, calls
        for writing and checking.
        """
        withheld = Spending(
            seconds=RULES_SHARE * self._budget.max_seconds,
            model_calls=0 if is_last else ANSWER_CALLS,
            tokens=0 if is_last else int(ANSWER_SHARE * self._budget.max_tokens),
        )
        if "section" in state:
            sections = len(state["strategy"].sections)
            seconds, calls = withheld.seconds / sections, withheld.model_calls
            withheld = Spending(seconds=seconds, model_calls=calls, tokens=withheld.tokens // sections)
        withheld += withhold(self._budget, state)
        return ModelAllowance(
            self._budget, state["spent"], withheld, lambda seconds: self._notify(ModelWaits(seconds))
        )

    async def section(self, state: LoopState) -> LoopState:
        """Write the current section, and begin the next one."""
        aim = state["strategy"]
        number = state["section"].number
        words = state.get("requirements", NO_REQUIREMENTS).words
        inputs = replace(
            build_answer_input(state), section=describe_task(state, words), evidence=list_own_evidence(state)
        )
        allowance = self._build_allowance(state, is_last=True)
        sought_refs: list[EvidenceRef] = []
        self._send(f"{number}/{len(aim.sections)} {aim.sections[number - 1].heading}")
        thought = await self._policy.answer(
            inputs, allowance, self._send, self._collector.seek(state, sought_refs)
        )
        written = end_section(state, thought.value, (*inputs.evidence, *sought_refs))
        following = begin_section(aim, number + 1, len(state["plans"]), self._collector.citations)
        return LoopState(
            **following,
            sections=(written,),
            judgment=Judgment(),
            evidence=tuple(sought_refs),
            spent=allowance.used,
            uses=thought.uses,
        )

    async def _write_report(self, state: LoopState, policy: Policy) -> LoopState | None:
        """Return the report; None if no section has any text."""
        if not any(section.blocks for section in state["sections"]):
            return None
        allowance = self._build_allowance(state, is_last=True)
        words = state.get("requirements", NO_REQUIREMENTS).words
        thought = await policy.write_whole(ask_whole(state, words, state["evidence"]), allowance)
        aim = state["strategy"]
        everything = (*state["plans"], Plan("", (), "", ""))
        passages = await self._search.list_earlier(aim.complexity, False, everything)
        read = list(dict.fromkeys(passage.title for passage in passages))
        return LoopState(
            **join_sections(state, self._collector.citations),
            verdicts=(conclude_report(state),),
            draft=compose_report(state, thought.value, read, words),
            composed_at=self._clock.now(),
            spent=allowance.used,
            uses=thought.uses,
        )

    async def _write_answer(self, state: LoopState, policy: Policy) -> LoopState:
        whole = LoopState()
        if "section" in state:
            if report := await self._write_report(state, policy):
                return report
            policy = RulePolicy()
            whole = join_sections(state, self._collector.citations)
            state = LoopState(**{**state, **whole})
        inputs = build_answer_input(state)
        allowance = self._build_allowance(state, is_last=True)
        sought_refs: list[EvidenceRef] = []
        seek = self._collector.seek(state, sought_refs)
        if "survey" in state:
            thought = await compose_survey(policy, state["survey"], inputs, allowance, self._send, seek)
        else:
            thought = await policy.answer(inputs, allowance, self._send, seek)
        return LoopState(
            **whole,
            draft=thought.value,
            evidence=tuple(sought_refs),
            composed_at=self._clock.now(),
            spent=allowance.used,
            uses=thought.uses,
        )


def _recall_once(recall: Recall) -> Recall:
    """Return a function that calls `recall` once and returns the same result each time."""
    kept: list[Surroundings] = []

    async def recall_kept() -> Surroundings:
        if not kept:
            kept.append(await recall())
        return kept[0]

    return recall_kept


def _number_blocks(reading: EvaluateResult, numbers: Mapping[Finding, int]) -> AnswerReply:
    """Return the written blocks, citing evidence numbers; no blocks if a finding was not accepted."""
    if not numbers.keys() >= set(reading.findings):
        return AnswerReply(())
    places = {place: numbers[finding] for place, finding in enumerate(reading.findings, 1)}
    return AnswerReply(renumber_blocks(reading.written, places))


def _merge_judgments(
    before: Judgment, now: Judgment | None, read_goals: Sequence[Goal], is_shown: bool
) -> Judgment:
    """Return a round's judgment, with the earlier one of goals that were not read in it.

    If rules read the round, earlier judgments of its goals are dropped, unless nothing was shown and they
    name something missing.
    """
    read_ids = {goal.id for goal in read_goals}
    kept = tuple(
        judgment
        for judgment in before.goals
        if judgment.goal_id not in read_ids or (judgment.missing and not is_shown)
    )
    return Judgment(kept) if now is None else replace(now, goals=(*kept, *now.goals))
