"""Every node's input hash and output into the ledger as they happen. A run that died is replayed to its end
and goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, get_type_hints

from shisho.domain.answer_news import RunNews, StepForgotten, StepTaken
from shisho.domain.codec import Payload, build, dumps
from shisho.domain.corpus import Citation
from shisho.domain.inquiry import RunStep
from shisho.domain.loop_state import LoopState, Spending
from shisho.librarian.citations import Citations
from shisho.librarian.search import InquirySearch, SearchedRound
from shisho.librarian.table import Act, Node
from shisho.ports import Clock, Ledger


@dataclass(frozen=True, slots=True)
class StepOutput:
    """The output of a node: the part of the state that it changed, the citations it has met first, and the
    rounds that it has searched. What a round has shown stands once, in the state where that has it."""

    state: Payload
    citations: tuple[Citation, ...]
    rounds: tuple[SearchedRound, ...] = ()

    def read_state(self) -> LoopState:
        hints = _hints()
        parts = json.loads(self.state.text)
        return LoopState(**{key: build(part, hints[key]) for key, part in parts.items()})  # type: ignore[typeddict-item]


class RunStopped(Exception):
    """The run was asked to stop; `state` is what it had come to."""

    def __init__(self, state: LoopState) -> None:
        super().__init__("stopped")
        self.state = state


class RunRecord:
    """The record of one run. A step taken before with the same input is not taken again: its stored output is
    given."""

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
        self.steps = 0

    def record_act(self, node: Node, act: Act) -> Act:
        """The node as a runner runs it; `act` is its work for this run."""

        async def recorded_act(state: LoopState) -> LoopState:
            input_ = {key: state[key] for key in node.sees if key in state}  # type: ignore[literal-required]
            fingerprint = sha256(dumps([node.name, input_]).encode()).hexdigest()
            output = await self._replayed(node, fingerprint)
            replayed = output is not None
            if output is None:
                if node.stoppable and self._stop():
                    raise RunStopped(state)
                output = await self._taken(node, act, input_, fingerprint)
            self.steps += 1
            loop_state = output.read_state()
            self._notify(StepTaken(node.name, self.steps, replayed, loop_state))
            return loop_state

        return recorded_act

    async def _replayed(self, node: Node, fingerprint: str) -> StepOutput | None:
        stored = await self._ledger.find_step(self._run_id, self.steps + 1)
        if stored is None:
            return None
        if (stored.node, stored.input_hash) != (node.name, fingerprint):
            await self._ledger.forget_from(self._run_id, self.steps + 1)
            self._notify(StepForgotten(node.name, self.steps + 1))
            return None
        output = stored.output.read(StepOutput)
        for citation in output.citations:
            self._citations.take(citation)
        return output

    async def _taken(self, node: Node, act: Act, input_: Any, fingerprint: str) -> StepOutput:
        known_count = len(self._citations)
        round_count = len(self._search.rounds)
        started = self._clock.monotonic()
        state = await act(input_)
        state["spent"] = state.get("spent", Spending()) + Spending(seconds=self._clock.monotonic() - started)
        rounds = self._search.rounds[round_count:]
        if "shown" in state:
            rounds = [replace(round_, shown=()) for round_ in rounds]
        output = StepOutput(
            Payload.wrap(state), tuple(self._citations.list_since(known_count)), tuple(rounds)
        )
        number = self.steps + 1
        given = Payload.wrap(input_)
        await self._ledger.record(self._run_id, number, node.name, fingerprint, given, Payload.wrap(output))
        return output


def read_output(step: RunStep) -> tuple[LoopState, Sequence[Citation]]:
    """The part of the state that a stored step has changed, and what it has cited first."""
    output = step.output.read(StepOutput)
    return output.read_state(), output.citations


@cache
def _hints() -> Mapping[str, Any]:
    return get_type_hints(LoopState)
