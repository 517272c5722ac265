"""Record every node's input hash and output in the ledger, and describe the stored steps for a reader.

An interrupted run is replayed and continued.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from hashlib import sha256
from typing import Any, get_type_hints

from shisho.domain.answer_log import RunTrace, SearchRound, WebRound, list_goals
from shisho.domain.answer_news import RunNews, StepForgotten, StepTaken
from shisho.domain.codec import Payload, build, dumps, join_object
from shisho.domain.corpus import Citation, NumberedPassage, PassageId, RoundRecord
from shisho.domain.inquiry import EvidenceRef, GoalStatus, Plan, RunStep, StepText, Strategy, WebResult
from shisho.domain.loop_state import LoopState, Spending
from shisho.domain.model import ModelUse
from shisho.librarian.evidence import Citations
from shisho.librarian.search import InquirySearch, SearchedRound
from shisho.librarian.table import Act, Node
from shisho.ports import Clock, Ledger
from shisho.records import dataclass

# The fields of a shown passage with texts of its document, which are stored separately as references.
TEXT_FIELDS = ("text", "after", "overleaf", "code_after")


@dataclass(frozen=True, slots=True)
class StepOutput:
    """The output of a node.

    The changed part of the state, the citations it met first, and the rounds it searched. The passages of a
    round are stored once, in the state if that has them.
    """

    state: Payload
    citations: tuple[Citation, ...]
    rounds: tuple[SearchedRound, ...] = ()

    def read_state(self) -> LoopState:
        """Return the state without parts that only other releases write."""
        hints = _get_state_types()
        parts = json.loads(self.state.text)
        known = {key: build(part, hints[key]) for key, part in parts.items() if key in hints}
        return LoopState(**known)  # type: ignore[typeddict-item]


class RunStopped(Exception):
    """The run was asked to stop; `state` is its state so far."""

    def __init__(self, state: LoopState) -> None:
        super().__init__("stopped")
        self.state = state


class RunRecord:
    """The record of one run. A step with the same input is not repeated.

    Its stored output is returned.
    """

    def __init__(
        self,
        ledger: Ledger,
        run_id: str,
        citations: Citations,
        search: InquirySearch,
        clock: Clock,
        notify: Callable[[RunNews], None],
        stop: Callable[[], bool],
    ) -> None:
        self._ledger = ledger
        self._run_id = run_id
        self._citations = citations
        self._search = search
        self._clock = clock
        self._notify = notify
        self._stop = stop
        self._texts: dict[str, tuple[Any, str]] = {}
        self.steps = 0

    def record_act(self, node: Node, act: Act) -> Act:
        """Return the node's function for a runner; `act` is its work in this run."""

        async def run_recorded(state: LoopState) -> LoopState:
            input_ = {key: state[key] for key in node.sees if key in state}  # type: ignore[literal-required]
            fingerprint = sha256(
                f"[{dumps(node.name)},{join_object(self._write(input_))}]".encode()
            ).hexdigest()
            loop_state = await self._find_replayed(node, fingerprint)
            replayed = loop_state is not None
            if loop_state is None:
                if node.stoppable and self._stop():
                    raise RunStopped(state)
                loop_state = await self._take_step(node, act, input_, fingerprint)
            self.steps += 1
            self._notify(StepTaken(node.name, self.steps, replayed, loop_state))
            return loop_state

        return run_recorded

    def _write(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the members of a state as JSON. A value shared by two steps is written once."""
        members = {}
        for key, value in values.items():
            entry = self._texts.get(key)
            if entry is None or entry[0] is not value:
                self._texts[key] = entry = (value, dumps(value))
            members[key] = entry[1]
        return members

    async def _find_replayed(self, node: Node, fingerprint: str) -> LoopState | None:
        stored = await self._ledger.find_step(self._run_id, self.steps + 1)
        if stored is None:
            return None
        if (stored.node, stored.input_hash) != (node.name, fingerprint):
            await self._ledger.forget_from(self._run_id, self.steps + 1)
            self._notify(StepForgotten(node.name, self.steps + 1))
            return None
        output = read_output(stored)
        for citation in output.citations:
            self._citations.take(citation)
        return output.read_state()

    async def _take_step(self, node: Node, act: Act, input_: Any, fingerprint: str) -> LoopState:
        known_count = len(self._citations)
        round_count = len(self._search.rounds)
        started = self._clock.monotonic()
        state = await act(input_)
        state["spent"] = state.get("spent", Spending()) + Spending(seconds=self._clock.monotonic() - started)
        rounds, bare, texts = _strip_texts(state, self._search.rounds[round_count:])
        members = {
            "state": join_object(self._write(state) | {key: dumps(value) for key, value in bare.items()}),
            "citations": dumps(self._citations.list_since(known_count)),
            "rounds": dumps(rounds),
        }
        output = Payload(join_object(members))
        await self._ledger.record(self._run_id, self.steps + 1, node.name, fingerprint, output, texts)
        return state


def read_output(step: RunStep) -> StepOutput:
    """Return the output of a stored step, with the texts of its passages."""
    data = json.loads(step.output.text)
    if step.texts:
        passages = data["state"].get("shown") or [
            passage for round_ in data["rounds"] for passage in round_["shown"]
        ]
        texts = iter(step.texts)
        for passage in passages:
            passage.update({name: next(texts) for name in TEXT_FIELDS})
    output: StepOutput = build(data, StepOutput)
    return output


def _strip_texts(
    state: LoopState, rounds: Sequence[SearchedRound]
) -> tuple[Sequence[SearchedRound], Mapping[str, Any], Sequence[StepText]]:
    """Return the stored form of a run's passages.

    The rounds, the members of the state that are stored differently, and the texts of the shown passages in
    order: those of the state, or else of the rounds. Passages without a known source keep their texts.
    """
    sources = [source for round_ in rounds for source in round_.sources]
    if "shown" in state:
        rounds = [replace(round_, shown=()) for round_ in rounds]
        if len(sources) != len(state["shown"]):
            return rounds, {}, ()
        bare = tuple(map(_strip_text, state["shown"]))
        return rounds, {"shown": bare}, _list_texts(state["shown"], sources)
    passages = [passage for round_ in rounds for passage in round_.shown]
    if len(sources) != len(passages):
        return rounds, {}, ()
    bare_rounds = [replace(round_, shown=tuple(map(_strip_text, round_.shown))) for round_ in rounds]
    return bare_rounds, {}, _list_texts(passages, sources)


def _strip_text(passage: NumberedPassage) -> NumberedPassage:
    return replace(passage, text="", after="", overleaf="", code_after="")


def _list_texts(passages: Sequence[NumberedPassage], sources: Sequence[Citation]) -> list[StepText]:
    texts: list[StepText] = []
    for passage, source in zip(passages, sources, strict=True):
        starts = {
            "text": source.start,
            "after": source.end,
            "overleaf": source.end + len(passage.after),
            "code_after": source.end + max(0, passage.after.find(passage.code_after)),
        }
        texts += (StepText(source.document_id, starts[name], getattr(passage, name)) for name in TEXT_FIELDS)
    return texts


@cache
def _get_state_types() -> Mapping[str, Any]:
    return get_type_hints(LoopState)


def trace_run(steps: Sequence[RunStep], records: Sequence[RoundRecord]) -> RunTrace:
    """Build the trace.

    `records`: the rounds of the search session, with counts of ranked and read passages.
    """
    trace = _Trace()
    for step in steps:
        output = read_output(step)
        trace.update(output.read_state())
        trace.citations += output.citations
    return trace.build(_count_rounds(records))


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

    def update(self, state: LoopState) -> None:
        self.strategy = state.get("strategy", self.strategy)
        self.status = state.get("goal_status", self.status)
        self.uses += state.get("uses", ())
        self.refs += state.get("evidence", ())
        self.spent += state.get("spent", Spending())
        for plan in state.get("plans", ()):
            self.rounds.append(SearchRound(len(self.rounds) + 1, _list_queries(plan), plan.reasoning))
        if "reached" in state:
            self.web.append(_build_web_round(self.reached, state["reached"]))
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


def _list_queries(plan: Plan) -> tuple[str, ...]:
    """Return the search words, and the vector query if it is separate."""
    meant = (plan.vector_query,) if plan.vector_query else ()
    return tuple(dict.fromkeys((*plan.keyword_query, *plan.added_words, *meant)))


def _with_outcome(round_: SearchRound, state: LoopState) -> SearchRound:
    numbers = (*round_.evidence, *(ref.number for ref in state.get("evidence", ())))
    round_ = replace(round_, evidence=tuple(dict.fromkeys(numbers)))
    verdicts = state.get("verdicts", ())
    if not verdicts:
        return round_
    verdict = verdicts[-1]
    return replace(
        round_, decision=verdict.status, reason=verdict.judgment_reason, next_focus=verdict.next_focus
    )


def _build_web_round(before: WebResult | None, now: WebResult) -> WebRound:
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


def _count_rounds(records: Sequence[RoundRecord]) -> dict[int, tuple[int, int, int, int]]:
    """Return for each round the passages ranked, in scope, newly read, and read in total."""
    read_ids: set[PassageId] = set()
    counts = {}
    for record in records:
        passage_ids = {passage.passage_id for passage in record.shown}
        new = len(passage_ids - read_ids)
        read_ids |= passage_ids
        counts[record.round] = (record.ranked, record.in_scope, new, len(read_ids))
    return counts
