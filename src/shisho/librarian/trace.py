"""Describe the stored steps of a run for a reader.

Goals, rounds, web searches, uses of models.

Pure; works for running and finished runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shisho.domain.answer_log import RunTrace, SearchRound, WebRound, list_goals
from shisho.domain.corpus import Citation, PassageId, RoundRecord
from shisho.domain.inquiry import EvidenceRef, GoalStatus, Plan, RunStep, Strategy, WebResult
from shisho.domain.loop_state import LoopState, Spending
from shisho.domain.model import ModelUse
from shisho.librarian.record import read_output


def trace_run(steps: Sequence[RunStep], records: Sequence[RoundRecord]) -> RunTrace:
    """Build the trace.

    `records`: the rounds of the search session, with counts of ranked and read passages.
    """
    trace = _Trace()
    for step in steps:
        output = read_output(step)
        trace.take(output.read_state())
        trace.citations += output.citations
    return trace.build(_counts(records))


@dataclass(slots=True)
class _Trace:
    """The trace of the steps so far."""

    strategy: Strategy | None = None
    status: tuple[GoalStatus, ...] = ()
    rounds: list[SearchRound] = field(default_factory=list)
    web: list[WebRound] = field(default_factory=list)
    reached: WebResult | None = None
    uses: list[ModelUse] = field(default_factory=list)
    spent: Spending = field(default_factory=Spending)
    citations: list[Citation] = field(default_factory=list)
    refs: list[EvidenceRef] = field(default_factory=list)

    def take(self, state: LoopState) -> None:
        self.strategy = state.get("strategy", self.strategy)
        self.status = state.get("goal_status", self.status)
        self.uses += state.get("uses", ())
        self.refs += state.get("evidence", ())
        self.spent += state.get("spent", Spending())
        for plan in state.get("plans", ()):
            self.rounds.append(SearchRound(len(self.rounds) + 1, _queries(plan), plan.reasoning))
        if "reached" in state:
            self.web.append(_web_round(self.reached, state["reached"]))
            self.reached = state["reached"]
        if self.rounds:
            self.rounds[-1] = _with_outcome(self.rounds[-1], state)

    def build(self, counts: Mapping[int, tuple[int, int, int, int]]) -> RunTrace:
        rounds = []
        for round_ in self.rounds:
            if round_.number in counts:
                ranked, in_scope, new, total = counts[round_.number]
                round_ = replace(round_, ranked=ranked, in_scope=in_scope, new=new, seen=total)
            rounds.append(round_)
        return RunTrace(
            goals=list_goals(self.strategy.goals if self.strategy else (), self.status),
            condition=self.strategy.condition if self.strategy else "",
            rounds=tuple(rounds),
            web=tuple(self.web),
            model=tuple(replace(use, reply="") for use in self.uses),
            seconds=self.spent.seconds,
            pages=self.spent.pages,
            calls=self.spent.model_calls,
            tokens=self.spent.tokens,
            document_ids=tuple(dict.fromkeys(citation.document_id for citation in self.citations)),
            evidence=tuple((ref, self.citations[ref.number - 1]) for ref in self.refs),
        )


def _queries(plan: Plan) -> tuple[str, ...]:
    """Return the search words, and the vector query if it is separate."""
    meant = (plan.vector_query,) if plan.vector_query else ()
    return tuple(dict.fromkeys((*plan.keyword_query, *plan.added_words, *meant)))


def _with_outcome(round_: SearchRound, state: LoopState) -> SearchRound:
    numbers = tuple(ref.number for ref in state.get("evidence", ()))
    round_ = replace(round_, evidence=(*round_.evidence, *numbers))
    verdicts = state.get("verdicts", ())
    if not verdicts:
        return round_
    verdict = verdicts[-1]
    return replace(
        round_, decision=verdict.status, reason=verdict.judgment_reason, next_focus=verdict.next_focus
    )


def _web_round(before: WebResult | None, now: WebResult) -> WebRound:
    """Return the engines and gaps that this web search added.

    Results accumulate over all searches.
    """
    engines = now.engines[len(before.engines) :] if before else now.engines
    gaps = [gap for gap in now.unsearched if before is None or gap not in before.unsearched]
    return WebRound(
        tuple(query.text for query in now.queries),
        tuple(dict.fromkeys(engine for _, engine in engines)),
        tuple(gaps),
    )


def _counts(records: Sequence[RoundRecord]) -> dict[int, tuple[int, int, int, int]]:
    """Return for each round the passages ranked, in scope, newly read, and read in total."""
    read_ids: set[PassageId] = set()
    counts = {}
    for record in records:
        passage_ids = {passage.passage_id for passage in record.shown}
        new = len(passage_ids - read_ids)
        read_ids |= passage_ids
        counts[record.round] = (record.ranked, record.in_scope, new, len(read_ids))
    return counts
