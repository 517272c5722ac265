"""The nodes of the loop: each `State -> partial State`, over pure rules."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from shisho.domain.codec import Payload
from shisho.domain.conversation import Surroundings
from shisho.domain.inquiry import (
    Budget,
    EvidenceRef,
    Finding,
    Gap,
    Goal,
    Judgment,
    LoopStop,
    Plan,
    Strategy,
    UnsearchedQuery,
    WebPolicy,
    WebResult,
    build_evidence_ref,
)
from shisho.domain.loop_state import Draft, LoopState, Spending
from shisho.domain.requirements import NO_REQUIREMENTS
from shisho.domain.survey import Survey, SurveyKind
from shisho.errors import NotFound, SourceRemoved
from shisho.language.display import display_quotation
from shisho.language.terms import fold, split_terms
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.evidence import ENOUGH, Citations, context_of, double, verify, with_table_header
from shisho.librarian.model_replies import AnswerReply, BlockReply, renumber_blocks
from shisho.librarian.plan import AskWeb, web_queries
from shisho.librarian.policy import (
    AnswerInput,
    EvaluateInput,
    EvaluateResult,
    PlanInput,
    Policy,
    Recall,
    RulePolicy,
    SeekSupport,
    StepResult,
    StrategyInput,
    recall_nothing,
)
from shisho.librarian.reports import (
    ask_whole,
    begin_section,
    compose_report,
    conclude_report,
    describe_task,
    end_section,
    withhold,
)
from shisho.librarian.route import (
    SEARCHED_OUT,
    choose_next_focus,
    conclude,
    is_condition_met,
    open_goals,
    route,
)
from shisho.librarian.search import InquirySearch
from shisho.librarian.selection.features import end_sentence
from shisho.librarian.selection.select import list_unmatched_goals, list_wanted_terms
from shisho.librarian.splitting import resolve
from shisho.librarian.strategy import join_goals
from shisho.librarian.surveys import AskCollection, begin_survey, survey_nothing, write_summary, write_survey
from shisho.ports import Clock

ANSWER_SHARE = 0.1  # of the budget of tokens: kept back for writing and checking
ANSWER_CALLS = 2  # kept back for the same
RULES_SHARE = 0.1  # of the budget of seconds: kept back for the rules, if a model uses up the rest
READERS = ("evaluate", "fact")  # calls in which a model reads passages
WEB_TIMES = 3  # that the web is asked for a goal: of one engine, of another, then with other words
MAX_COPIES = 3  # of a quotation, in other documents
MAX_SOUGHT_TERMS = 20  # of a sentence that a search is made for


class Nodes:
    """One run's nodes. Only `search` and `evaluate` touch the session, and `answer` where a model has written
    a sentence that cites nothing; only `web_fallback` touches the web, only `answer` the clock."""

    def __init__(
        self,
        search: InquirySearch,
        citations: Citations,
        clock: Clock,
        ask_web: AskWeb | None = None,
        barred: Gap = Gap.NO_WAY,
        policy: Policy | None = None,
        hear: Callable[[str], None] = lambda text: None,
        budget: Budget = Budget(),  # noqa: B008
        recall: Recall = recall_nothing,
        ask_collection: AskCollection = survey_nothing,
        report_wait: Callable[[float], None] | None = None,
    ) -> None:
        self._report_wait = report_wait
        self._search = search
        self._citations = citations
        self._clock = clock
        self._ask_web = ask_web
        self._barred = barred
        self._policy = policy or RulePolicy()
        self._hear = hear
        self._budget = budget
        self._recall = recall
        self._ask_collection = ask_collection

    async def strategy(self, state: LoopState) -> LoopState:
        earlier = state.get("earlier", ())
        resolved = resolve(state["question"], earlier)
        required = state.get("requirements", NO_REQUIREMENTS)
        survey = await self._ask_collection(resolved, required)
        if survey is not None:
            return begin_survey(survey, resolved, required, self._citations)
        recall = _recall_once(self._recall)
        inputs = StrategyInput(state["question"], resolved, earlier, self._clock.now, recall, required)
        allowance = self._build_allowance(LoopState(spent=Spending()))
        thought = await self._policy.split(inputs, allowance)
        aim = replace(thought.value, complexity=required.complexity or thought.value.complexity)
        begun = LoopState(
            strategy=aim,
            goal_status=self._citations.status(aim.goals, ()),
            rounds_without_evidence=0,
            spent=allowance.used,
            uses=thought.uses,
        )
        if not aim.sections:
            return begun
        titles = (await recall()).titles
        return LoopState(**{**begun, "titles": titles, **self._begin_section(aim, 1, 0)})

    def _begin_section(self, whole: Strategy, number: int, rounds: int) -> LoopState:
        goals = whole.sections[number - 1].goals if number <= len(whole.sections) else whole.goals
        return begin_section(whole, number, rounds, self._citations.status(goals, ()))

    async def plan(self, state: LoopState) -> LoopState:
        goals = _list_sought(state)
        focus = state["verdicts"][-1].next_focus if state["verdicts"] else ""
        goals.sort(key=lambda goal: goal.id != focus)
        # What was asked of the documents alone is asked again of all.
        plans = state["plans"][_count_rounds_before(state) :]
        allowance = self._build_allowance(state)
        aim = state["strategy"]
        where = (aim.complexity, "reached" in state)
        inputs = PlanInput(
            aim,
            goals,
            plans,
            _list_telling(_list_own(state)),
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
        goals = _list_sought(state)
        rounds = len(plans) - _count_section_rounds(state)
        inputs = EvaluateInput(aim, goals, (), {}, _list_own(state), round=rounds)
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
        held_refs = _list_own(state)
        passages = state["shown"]
        earlier = await self._search.list_earlier(
            aim.complexity, "reached" in state, state["plans"], _count_section_rounds(state)
        )
        goals = _list_sought(state)
        allowance = self._build_allowance(state)
        from_synonym_search = state["plans"][-1].with_synonyms
        inputs = EvaluateInput(
            aim,
            goals,
            passages,
            state["rarity"],
            held_refs,
            from_synonym_search,
            earlier,
            state["short_names"],
            len(state["plans"]) - _count_section_rounds(state),
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
        state = LoopState(**{**state, "shown": (*earlier, *passages)})
        distinct = _drop_repeated(findings)
        refs = [await self._accept_finding(finding, state) for finding in distinct]
        accepted = [ref for ref in refs if ref is not None]
        new = (*accepted, *await self._find_copies(findings, accepted, state))
        self._tell(accepted)
        judgment = _merge(state.get("judgment", Judgment()), reading.judgment, goals, bool(passages))
        is_new = any(ref.score >= ENOUGH for ref in new) if reading.closest else bool(new)
        reads = [use for use in thought.uses if use.node in READERS]
        numbers = {finding: ref.number for finding, ref in zip(distinct, refs, strict=True) if ref}
        misreads = sum(use.fault is not None for use in reads)
        return LoopState(
            evidence=new,
            dropped=len(refs) - len(accepted),
            rounds_without_evidence=0 if is_new else state["rounds_without_evidence"] + 1,
            goal_status=self._citations.status(aim.goals, (*held_refs, *new), judgment.goals),
            judgment=judgment,
            written=Payload.wrap(_number_blocks(reading, numbers)),
            spent=allowance.used,
            uses=thought.uses,
            reads=len(reads) - misreads,
            misreads=misreads,
            strategy=aim,
            respelt=is_tried,
            anew=anew,
            exhausted=state["exhausted"] and not anew,
        )

    async def _respell(self, state: LoopState, findings: Sequence[Finding]) -> Strategy | None:
        """Return the strategy with other writings of the goals that no passage speaks of; None if there is no
        such goal."""
        unanswered = _list_unanswered(_list_sought(state), findings)
        misread = await asyncio.to_thread(list_unmatched_goals, state["shown"], unanswered)
        return await self._search.respell(state["strategy"], misread, "reached" in state) if misread else None

    async def route(self, state: LoopState) -> LoopState:
        aim = state["strategy"]
        status = state["goal_status"]
        focus = choose_next_focus(aim.goals, status, state["verdicts"])
        budget = state["budget"]
        rounds_before = _count_rounds_before(state)
        plans = state["plans"][rounds_before:]
        goals = _list_sought(state)
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
        """Have the web searched for the open goals. What the documents have shown stays; the rounds begin
        anew."""
        budget = state["budget"]
        spending = state["spent"]
        plans = state["plans"]
        goals = open_goals(state["strategy"].goals, state["goal_status"])
        pages = budget.max_pages - spending.pages
        seconds = max(0.0, budget.max_seconds - spending.seconds)
        before = state.get("reached")
        queries = await asyncio.to_thread(web_queries, goals, pages, before)
        if self._ask_web is None:
            asked_words = [query.text for query in queries] if self._barred is Gap.NOT_ASKED else [""]
            web_result = WebResult(
                unsearched=tuple(UnsearchedQuery(self._barred, text) for text in asked_words or [""])
            )
        elif not queries and before is None:
            web_result = WebResult(unsearched=(UnsearchedQuery(Gap.BUDGET),))
        else:
            web_result = await self._ask_web(queries, pages, seconds) if queries else WebResult()
        verdicts = state["verdicts"]
        if (
            verdicts
            and not web_result.queries
            and is_condition_met(state["strategy"], state["goal_status"], is_over=True)
        ):
            reason = verdicts[-1].judgment_reason
            verdicts = (conclude(LoopStop.CONDITION_MET, state["goal_status"], reason),)
        else:
            verdicts = ()
        return LoopState(
            verdicts=verdicts,
            reached=_add_web_results(before, replace(web_result, rounds_before=len(plans))),
            shown=(),
            rarity={},
            short_names={},
            exhausted=False,
            rounds_without_evidence=0,
            spent=Spending(pages=web_result.pages),
        )

    async def answer(self, state: LoopState) -> LoopState:
        return await self._write_answer(state, self._policy)

    async def cut_short(self, state: LoopState) -> LoopState:
        """The end of a stopped run. It is not a step of the ledger, so that the run can go on from its last
        one."""
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

    def _tell(self, refs: Sequence[EvidenceRef]) -> None:
        """Tell quotations as they are taken: where rules think, they are the lines of the answer."""
        if isinstance(self._policy, RulePolicy):
            for ref in refs:
                self._hear(f"{display_quotation(ref.snippet, code=ref.code)} [{ref.number}]")

    def _build_allowance(self, state: LoopState, *, is_last: bool = False) -> ModelAllowance:
        """Return what a node may use of a model: the rules keep some time, later sections of a report their
        part and, unless it `is_last`, writing and checking their calls."""
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
        return ModelAllowance(self._budget, state["spent"], withheld, self._report_wait)

    async def section(self, state: LoopState) -> LoopState:
        """Write the section whose turn it is, and begin the next one."""
        aim = state["strategy"]
        number = state["section"].number
        words = state.get("requirements", NO_REQUIREMENTS).words
        inputs = replace(
            _to_answer_input(state), section=describe_task(state, words), evidence=_list_own(state)
        )
        allowance = self._build_allowance(state, is_last=True)
        sought_refs: list[EvidenceRef] = []
        self._hear(f"{number}/{len(aim.sections)} {aim.sections[number - 1].heading}")
        thought = await self._policy.answer(inputs, allowance, self._hear, self._seek(state, sought_refs))
        written = end_section(state, thought.value, (*inputs.evidence, *sought_refs))
        following = self._begin_section(aim, number + 1, len(state["plans"]))
        return LoopState(
            **following,
            sections=(written,),
            judgment=Judgment(),
            evidence=tuple(sought_refs),
            spent=allowance.used,
            uses=thought.uses,
        )

    def _seek(self, state: LoopState, sought_refs: list[EvidenceRef]) -> SeekSupport:
        async def seek(text: str) -> EvidenceRef | None:
            ref = await self._support(text, state, len(sought_refs) + 1)
            sought_refs.extend([] if ref is None else [ref])
            return ref

        return seek

    async def _write_report(self, state: LoopState, policy: Policy) -> LoopState | None:
        """Return the report of the written sections, None if there are none."""
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
            **self._join_sections(state),
            verdicts=(conclude_report(state, state["verdicts"][-1]),),
            draft=compose_report(state, thought.value, read, words),
            composed_at=self._clock.now(),
            spent=allowance.used,
            uses=thought.uses,
        )

    def _join_sections(self, state: LoopState) -> LoopState:
        """Return the strategy with the goals of all sections, and their status."""
        aim = state["strategy"]
        goals = tuple(goal for section in aim.sections for goal in section.goals)
        status = {row.goal_id: row for section in state["sections"] for row in section.status}
        return LoopState(
            strategy=replace(aim, goals=goals, condition=join_goals(goal.id for goal in goals)),
            goal_status=tuple(
                status.get(row.goal_id, row) for row in self._citations.status(goals, state["evidence"])
            ),
        )

    async def _write_answer(self, state: LoopState, policy: Policy) -> LoopState:
        whole = LoopState()
        if "section" in state:
            if report := await self._write_report(state, policy):
                return report
            policy = RulePolicy()
            whole = self._join_sections(state)
            state = LoopState(**{**state, **whole})
        inputs = _to_answer_input(state)
        allowance = self._build_allowance(state, is_last=True)
        sought_refs: list[EvidenceRef] = []
        seek = self._seek(state, sought_refs)
        if "survey" in state:
            thought = await self._write_survey(state["survey"], policy, inputs, allowance, seek)
        else:
            thought = await policy.answer(inputs, allowance, self._hear, seek)
        return LoopState(
            **whole,
            draft=thought.value,
            evidence=tuple(sought_refs),
            composed_at=self._clock.now(),
            spent=allowance.used,
            uses=thought.uses,
        )

    async def _write_survey(
        self,
        survey: Survey,
        policy: Policy,
        inputs: AnswerInput,
        allowance: ModelAllowance,
        seek: SeekSupport,
    ) -> StepResult[Draft]:
        """The survey as rules write it; a summary by the model if there is one."""
        by_rules = write_survey(survey, inputs.evidence, inputs.strategy.question)
        if survey.kind is not SurveyKind.SUMMARY or isinstance(policy, RulePolicy):
            return StepResult(by_rules)
        step = await write_summary(policy, survey, inputs, allowance, self._hear, seek)
        return step or StepResult(by_rules)

    async def _support(self, text: str, state: LoopState, time: int) -> EvidenceRef | None:
        """Evidence for a sentence that cites nothing, from one search for it among all in scope."""
        from shisho.librarian.checking.search import SupportSearch  # here, as answers of quotations need none

        aim = state["strategy"]
        keywords = tuple(dict.fromkeys(split_terms(fold(text))))[:MAX_SOUGHT_TERMS]
        plan = Plan(text, keywords, text, "")
        round_ = len(state["plans"]) + time
        shown_round, _ = await self._search.search_round(
            plan, aim.complexity, "reached" in state, round_, (), anew=True
        )
        finding = await asyncio.to_thread(lambda: SupportSearch((), shown_round.shown, aim.goals).find(text))
        if finding is None:
            return None
        return await self._accept_finding(finding, LoopState(**{**state, "shown": shown_round.shown}))

    async def _accept_finding(self, finding: Finding, state: LoopState) -> EvidenceRef | None:
        """The finding as evidence: found word for word in what was shown, and taken from the document as it
        is stored now."""
        verified = verify(finding, state["shown"])
        if verified is None:
            return None
        where = (state["strategy"].complexity, "reached" in state)
        try:
            citation = await self._search.resolve(*where, verified.index, verified.start, verified.end)
        except (NotFound, SourceRemoved):  # removed since it was shown
            return None
        passage = next(passage for passage in state["shown"] if passage.temp_index == verified.index)
        number = self._citations.take(citation)
        ref = build_evidence_ref(
            number,
            finding.goal_id,
            citation,
            passage.heading,
            finding.score,
            len(state["plans"]),
        )
        is_inside = verified.start < len(passage.text)
        ref = replace(
            ref,
            stance=finding.stance,
            rule_score=finding.rule_score,
            context=context_of(passage.text, verified.start),
            passage=end_sentence(passage, verified.end) if is_inside else citation.snippet,
            offset=verified.start if is_inside else 0,
        )
        return with_table_header(ref, citation, state["strategy"].question)

    async def _find_copies(
        self, findings: Sequence[Finding], refs: Sequence[EvidenceRef], state: LoopState
    ) -> list[EvidenceRef]:
        """The same words in other passages that were shown, as further evidence of those documents."""
        copies: list[EvidenceRef] = []
        for finding in findings:
            ref = next((ref for ref in refs if _is_of(ref, finding)), None)
            if ref is None:
                continue
            for index in finding.also[:MAX_COPIES]:
                copy = await self._accept_finding(replace(finding, index=index, also=()), state)
                if copy is not None and double(copy.snippet, ref.snippet):
                    copies.append(replace(copy, same_as=ref.number))
        return copies


def leads_to_web(state: LoopState, stop: LoopStop) -> bool:
    """Return whether the web is searched, or searched again, after the loop stopped for this reason."""
    if "reached" not in state:
        return stop is not LoopStop.CONDITION_MET and state["web_policy"] is WebPolicy.LAST
    web_result = state["reached"]
    return web_result.times < WEB_TIMES and bool(web_result.engines) and stop in SEARCHED_OUT


def _recall_once(recall: Recall) -> Recall:
    """Return a function that recalls the library at its first call and keeps the result."""
    kept: list[Surroundings] = []

    async def recall_kept() -> Surroundings:
        if not kept:
            kept.append(await recall())
        return kept[0]

    return recall_kept


def _to_answer_input(state: LoopState) -> AnswerInput:
    return AnswerInput(
        strategy=state["strategy"],
        status=state["goal_status"],
        evidence=state["evidence"],
        verdict=state["verdicts"][-1],
        unsearched=_get_web_result(state).unsearched,
        asked=state.get("question", state["strategy"].question),
        head=_choose_head(state),
        written=_read_written(state),
    )


def _count_section_rounds(state: LoopState) -> int:
    """The rounds of the sections before this one."""
    return state["section"].rounds_before if "section" in state else 0


def _count_rounds_before(state: LoopState) -> int:
    return max(_get_web_result(state).rounds_before, _count_section_rounds(state))


def _list_own(state: LoopState) -> tuple[EvidenceRef, ...]:
    """The evidence for the goals that are looked for now: of a report those of one section."""
    if "section" not in state:
        return state["evidence"]
    ids = {goal.id for goal in state["strategy"].goals}
    return tuple(ref for ref in state["evidence"] if ref.goal_id in ids)


def _choose_head(state: LoopState) -> str:
    """The key of the line that says who has read the passages."""
    if state["reads"]:
        return "answer_read"
    return "answer_unread" if state["misreads"] or state["spent"].model_calls else "answer_head"


def _number_blocks(reading: EvaluateResult, numbers: Mapping[Finding, int]) -> AnswerReply:
    """The blocks with the numbers of evidence for the places of findings; none if one was not accepted."""
    if not numbers.keys() >= set(reading.findings):
        return AnswerReply(())
    places = {place: numbers[finding] for place, finding in enumerate(reading.findings, 1)}
    return AnswerReply(renumber_blocks(reading.written, places))


def _read_written(state: LoopState) -> tuple[BlockReply, ...]:
    """The answer that a model wrote when it read the last round, if nothing more was wanted after it."""
    if "written" not in state or state["verdicts"][-1].loop_stop is not LoopStop.CONDITION_MET:
        return ()
    return state["written"].read(AnswerReply).blocks


def _is_of(ref: EvidenceRef, finding: Finding) -> bool:
    return ref.goal_id == finding.goal_id and double(ref.snippet, finding.snippet)


def _list_sought(state: LoopState) -> list[Goal]:
    """The open goals; all of them if a model wants more although none is open."""
    goals = state["strategy"].goals
    return open_goals(goals, state["goal_status"]) or list(goals)


def _list_telling(evidence: Sequence[EvidenceRef]) -> Sequence[EvidenceRef]:
    return [ref for ref in evidence if ref.score >= ENOUGH]


def _merge(before: Judgment, now: Judgment | None, read_goals: Sequence[Goal], is_shown: bool) -> Judgment:
    """Return the judgment of a round with that of the goals that were not read in it. If rules have read the
    round, no model has judged its goals; but what it has named as missing is missing still if nothing was
    shown."""
    read_ids = {goal.id for goal in read_goals}
    kept = tuple(
        judgment
        for judgment in before.goals
        if judgment.goal_id not in read_ids or (judgment.missing and not is_shown)
    )
    return Judgment(kept) if now is None else replace(now, goals=(*kept, *now.goals))


def _list_unanswered(goals: Sequence[Goal], findings: Sequence[Finding]) -> list[Goal]:
    answered = {finding.goal_id for finding in findings if finding.score >= ENOUGH}
    return [goal for goal in goals if goal.id not in answered]


def _add_web_results(before: WebResult | None, now: WebResult) -> WebResult:
    """Add up what was asked of the web in all. That no further engine could be asked is not a gap."""
    if before is None:
        return now
    lacking = tuple(query for query in now.unsearched if query.why is not Gap.FAILED)
    return replace(
        now,
        unsearched=tuple(dict.fromkeys((*before.unsearched, *lacking))),
        engines=(*before.engines, *now.engines),
        times=before.times + 1,
    )


def _get_web_result(state: LoopState) -> WebResult:
    return state.get("reached", WebResult())


def _drop_repeated(findings: Sequence[Finding]) -> list[Finding]:
    """The best of each goal, and of the others those that say what none of another goal says."""
    kept_findings: list[Finding] = []
    for finding in findings:
        leads = all(other_finding.goal_id != finding.goal_id for other_finding in kept_findings)
        if leads or not any(
            double(finding.snippet, other_finding.snippet) for other_finding in kept_findings
        ):
            kept_findings.append(finding)
    return kept_findings
