"""Every node's input hash and output into the ledger as they happen. A run that died is replayed to its end
and goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Protocol, get_type_hints

from shisho.domain.codec import build, dumps, plain
from shisho.domain.corpus import Citation
from shisho.librarian.budget import Spending
from shisho.librarian.citations import Citations
from shisho.librarian.state import LoopState
from shisho.librarian.table import Act, Node
from shisho.ports import Clock, Ledger


class Notify(Protocol):
    """Told of progress as it happens."""

    def __call__(self, event: str, **facts: Any) -> None: ...


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
        clock: Clock,
        notify: Notify,
        stop: Callable[[], bool],
    ) -> None:
        self._ledger = ledger
        self._run_id = run_id
        self._citations = citations
        self._clock = clock
        self._notify = notify
        self._stop = stop
        self.steps = 0

    def recorded(self, node: Node, act: Act) -> Act:
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
            loop_state = _given(output)
            self._notify(node.name, step=self.steps, replayed=replayed, given=loop_state)
            return loop_state

        return recorded_act

    async def _replayed(self, node: Node, fingerprint: str) -> Any:
        stored = await self._ledger.step(self._run_id, self.steps + 1)
        if stored is None:
            return None
        if stored[:2] != (node.name, fingerprint):
            await self._ledger.forget_from(self._run_id, self.steps + 1)
            self._notify("forgotten", step=self.steps + 1, node=node.name)
            return None
        for citation in build(stored[2]["citations"], tuple[Citation, ...]):
            self._citations.take(citation)
        return stored[2]

    async def _taken(self, node: Node, act: Act, input_: Any, fingerprint: str) -> Any:
        known_count = len(self._citations)
        started = self._clock.monotonic()
        state = await act(input_)
        state["spent"] = state.get("spent", Spending()) + Spending(seconds=self._clock.monotonic() - started)
        output = {"state": plain(state), "citations": plain(self._citations.since(known_count))}
        await self._ledger.record(self._run_id, self.steps + 1, node.name, fingerprint, plain(input_), output)
        return output


@cache
def _hints() -> Mapping[str, Any]:
    return get_type_hints(LoopState)


def _given(output: Any) -> LoopState:
    hints = _hints()
    return LoopState(**{key: build(part, hints[key]) for key, part in output["state"].items()})  # type: ignore[typeddict-item]
