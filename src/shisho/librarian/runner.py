"""Run the table of nodes. `shisho.integrations.langgraph` has another runner with the same results."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

from shisho.domain.loop_state import LoopState
from shisho.errors import InternalError
from shisho.librarian.table import END, START, TABLE, Act


async def run_table(acts: Mapping[str, Act], start_state: LoopState, most_steps: int) -> LoopState:
    """Run node after node until the table leads to END.

    Annotated keys of `LoopState` accumulate, others are replaced.
    """
    state = merge_state(_beginning(), start_state)
    name = START
    for _ in range(most_steps):
        state = merge_state(state, await acts[name](state))
        name = TABLE[name].route(state)
        if name == END:
            return state
    raise InternalError("langgraph.too_many_steps", steps=most_steps)


def merge_state(state: LoopState, loop_state: LoopState) -> LoopState:
    """Return the state with the output of a node."""
    merged: dict[str, Any] = dict(state)
    growing = _reducers()
    for key, part in loop_state.items():
        merged[key] = growing[key](merged[key], part) if key in growing else part
    return cast("LoopState", merged)


def _beginning() -> LoopState:
    """Return the initial state: accumulating keys are empty. LangGraph begins with the same."""
    hints = _hints()
    empty = {key: (get_origin(hints[key].__origin__) or hints[key].__origin__)() for key in _reducers()}
    return cast("LoopState", empty)


@cache
def _reducers() -> Mapping[str, Any]:
    return {key: get_args(hint)[1] for key, hint in _hints().items() if get_origin(hint) is Annotated}


@cache
def _hints() -> Mapping[str, Any]:
    return get_type_hints(LoopState, include_extras=True)
