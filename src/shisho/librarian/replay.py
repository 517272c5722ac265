"""Replay a run from its record.

Current rules and prompts over recorded passages, replies and pages.

The library, the web and models are not used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from shisho.domain.answer_news import RunNews, StepTaken
from shisho.domain.codec import Payload
from shisho.domain.conversation import NewTurn, Surroundings
from shisho.domain.corpus import UNBOUNDED_ROOM, Citation, Complexity, NumberedPassage, Round
from shisho.domain.inquiry import Answer, Evidence, Gap, Goal, Inquiry, Plan, RunStep, StepText, Strategy
from shisho.domain.loop_state import LoopState
from shisho.domain.model import ModelUse
from shisho.domain.place import restrict_place
from shisho.domain.requirements import Requirements
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.librarian.loop import assemble
from shisho.librarian.policy import Policy
from shisho.librarian.record import read_output
from shisho.librarian.search import InquirySearch, SearchedRound
from shisho.librarian.surveys import CitedSurvey
from shisho.librarian.table import TABLE, run_table
from shisho.ports import SearchSession


class RecordedRun:
    """The parsed steps of a run. Raises: NotFound if they are incomplete."""

    def __init__(self, steps: Sequence[RunStep]) -> None:
        if not steps or steps[0].node != "strategy":
            raise NotFound("replay.not_kept")
        self._nodes = [step.node for step in steps]
        self._outputs = [read_output(step) for step in steps]
        self.states = [output.read_state() for output in self._outputs]

    def __len__(self) -> int:
        return len(self._nodes)

    def list_of_node(self, node: str) -> list[LoopState]:
        """Return all outputs of this node in order."""
        return [state for name, state in zip(self._nodes, self.states, strict=True) if name == node]

    def uses(self) -> list[ModelUse]:
        """Return each use of a model, with its reply."""
        return [use for state in self.states for use in state.get("uses", ())]

    def had_model(self) -> bool:
        """Return whether a model was configured, even if it had nothing to read."""
        return any(state.get("has_model") or state.get("uses") for state in self.states)

    def sources(self) -> dict[int, tuple[NumberedPassage, Citation]]:
        """Return each shown passage with its source, by its number."""
        shown: dict[int, tuple[NumberedPassage, Citation]] = {}
        for state, output in zip(self.states, self._outputs, strict=True):
            for round_ in output.rounds:
                passages = round_.shown or state.get("shown", ())
                shown |= {
                    passage.temp_index: (passage, source)
                    for passage, source in zip(passages, round_.sources, strict=True)
                }
        return shown

    async def survey_again(self, question: str, required: Requirements) -> CitedSurvey | None:
        """Return the recorded survey; None if the question was not about the collection."""
        state = self.states[0]
        if "survey" not in state:
            return None
        headings = tuple(ref.heading for ref in state["evidence"])
        return CitedSurvey(state["survey"], tuple(self._outputs[0].citations), headings)

    async def recall_again(self) -> Surroundings:
        """Return the recorded titles; nothing else of the library was stored with the run."""
        return Surroundings(titles=self.states[0].get("titles", ()))

    def list_rounds(self) -> dict[int, tuple[Round, Mapping[str, float]]]:
        """Return each round by its number, with the recorded rarity of its terms."""
        rounds: dict[int, tuple[Round, Mapping[str, float]]] = {}
        for state, output in zip(self.states, self._outputs, strict=True):
            for round_ in output.rounds:
                shown = round_.shown or state.get("shown", ())
                made_round = Round(shown, len(shown), 0, state.get("exhausted", False), round_.sources)
                rounds[round_.number] = (made_round, state.get("rarity", {}))
        return rounds

    def list_short_names(self) -> dict[int, Mapping[str, frozenset[str]]]:
        """Return the recorded synonyms of each round, by its number."""
        return {
            round_.number: state.get("short_names", {})
            for state, output in zip(self.states, self._outputs, strict=True)
            for round_ in output.rounds
        }


class RecordedSearch(InquirySearch):
    """A search that returns the recorded passages for any query."""

    def __init__(self, recorded: RecordedRun) -> None:
        super().__init__(_refuse_session)
        self._rounds = recorded.list_rounds()
        self._short_names = recorded.list_short_names()
        self._sources = recorded.sources()
        planned = [plan for state in recorded.list_of_node("plan") for plan in state["plans"]]
        self._fields = sorted({field for plan in planned for field in plan.filter_conditions})
        respelt = (state["strategy"] for state in recorded.list_of_node("evaluate") if state.get("respelt"))
        self._respelt = next(respelt, None)

    async def list_fields(self, complexity: Complexity, is_reached: bool) -> Sequence[str]:
        return self._fields

    async def search_round(
        self,
        plan: Plan,
        complexity: Complexity,
        is_reached: bool,
        round_: int,
        wanted_words: Sequence[str],
        room_tokens: int = UNBOUNDED_ROOM,
        anew: bool = False,
        fills_room: bool = False,
    ) -> tuple[Round, Mapping[str, float]]:
        shown_round, rarity = self._rounds.get(round_, (Round((), 0, 0, True), {}))
        self.rounds.append(SearchedRound(round_, shown_round.shown, shown_round.sources))
        return shown_round, rarity

    async def resolve(
        self, complexity: Complexity, is_reached: bool, temp_index: int, start: int, end: int
    ) -> Citation:
        passage, source = self._sources[temp_index]
        snippet = f"{passage.text}{passage.after}{passage.overleaf}"[start:end]
        return replace(
            source,
            start=source.start + start,
            end=source.start + end,
            snippet=snippet,
            sha256=hashlib.sha256(snippet.encode("utf-8", "surrogatepass")).hexdigest(),
            place=restrict_place(source.place, passage.text, start, end),
            code=source.code or (start >= len(passage.text) and snippet == passage.code_after.strip()),
        )

    async def find_short_names(
        self, complexity: Complexity, is_reached: bool, question: str
    ) -> Mapping[str, frozenset[str]]:
        number = self.rounds[-1].number if self.rounds else 0
        return self._short_names.get(number, {})

    async def respell(self, aim: Strategy, goals: Sequence[Goal], is_reached: bool) -> Strategy:
        return self._respelt or aim


class RecordedClock:
    """A clock that gives each step its recorded duration."""

    def __init__(self, recorded: RecordedRun, answered_at: Instant) -> None:
        self._seconds = [state["spent"].seconds for state in recorded.states]
        self._answered_at = answered_at
        self._time = 0.0
        self._readings = count()

    def now(self) -> Instant:
        return self._answered_at

    def timeline_now(self) -> Instant:
        return self._answered_at

    def monotonic(self) -> float:
        """Return the recorded time; read before and after each step."""
        step, is_after = divmod(next(self._readings), 2)
        if is_after and step < len(self._seconds):
            self._time += self._seconds[step]
        return self._time


class ForgetfulLedger:
    """`ports.Ledger` for a run that stores nothing."""

    async def begin(self, inquiry: Inquiry, turn: NewTurn | None = None) -> None:
        pass

    async def find_inquiry(self, run_id: str) -> Inquiry:
        raise NotFound("replay.not_found", run_id=run_id)

    async def record(
        self,
        run_id: str,
        step: int,
        node: str,
        input_hash: str,
        output: Payload,
        texts: Sequence[StepText] = (),
    ) -> None:
        pass

    async def find_step(self, run_id: str, step: int) -> RunStep | None:
        return None

    async def forget_from(self, run_id: str, step: int) -> None:
        pass

    async def list_steps(self, run_id: str) -> Sequence[RunStep]:
        return ()

    async def expire_steps(self, before: Instant) -> int:
        return 0

    async def save(self, answer: Answer, owner: str) -> None:
        pass

    async def answer(self, prefix: str, owner: str) -> Answer:
        raise NotFound("answer.none")

    async def find_evidence(self, prefix: str, owner: str) -> Evidence:
        raise NotFound("answer.none")

    async def find_run(self, prefix: str, owner: str) -> str:
        raise NotFound("replay.not_found", run_id=prefix)


async def replay(inquiry: Inquiry, recorded: RecordedRun, before: Answer, policy: Policy | None) -> Answer:
    """Return the answer of this run under the current rules.

    A stopped run is stopped after the same number of steps. `policy`: with the recorded replies; None if
    rules decided.
    """
    search = RecordedSearch(recorded)
    clock = RecordedClock(recorded, before.created_at)
    taken: list[StepTaken] = []

    def notify(news: RunNews) -> None:
        if isinstance(news, StepTaken):
            taken.append(news)

    run = assemble(
        inquiry,
        search,
        ForgetfulLedger(),
        clock,
        notify,
        lambda: len(taken) >= len(recorded),
        None,
        Gap.NO_WAY,
        policy,
        recall=recorded.recall_again,
        ask_collection=recorded.survey_again,
    )
    asked_web = iter(recorded.list_of_node("web_fallback"))

    async def ask_web_again(state: LoopState) -> LoopState:
        given_state = next(asked_web)
        return LoopState(**{**given_state, "spent": replace(given_state["spent"], seconds=0.0)})

    web_node = TABLE["web_fallback"]
    acts = {**run.acts, web_node.name: run.record.record_act(web_node, ask_web_again)}
    return await replace(run, acts=acts).take(run_table)


async def _refuse_session(complexity: Complexity, is_reached: bool) -> SearchSession:
    raise NotFound("replay.not_found", run_id="")
