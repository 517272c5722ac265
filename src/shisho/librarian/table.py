"""The loop as one table: the work of each node, the state keys it sees, and the next node.

strategy → plan → search → evaluate → route → (plan | web_fallback | section | answer). `web_fallback`
searches the web and returns to plan; for goals that are still open, it asks another engine, then with other
words. Questions about the collection go from strategy to answer. In a report each section has its own rounds:
`section` writes it and begins the next. Every runner reads this table, so that all give the same answers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Annotated, Any, Protocol, cast, get_args, get_origin, get_type_hints

from shisho.domain.inquiry import NextStep, WebPolicy
from shisho.domain.loop_state import LoopState
from shisho.errors import InternalError
from shisho.librarian.nodes import Nodes
from shisho.librarian.reports import are_sections_left
from shisho.librarian.web_fallback import WEB_TIMES, leads_to_web
from shisho.records import dataclass

START = "strategy"
END = "end"


class Act(Protocol):
    """The work of a node: from the part of the state it sees to the part it changes."""

    def __call__(self, state: LoopState) -> Awaitable[LoopState]: ...


@dataclass(frozen=True, slots=True)
class Node:
    """A row of the table.

    `work`: the method of a run's nodes, called with only the keys `sees` of the state. `route`: returns the
    name of the next node, one of `leads_to`, for the state after it. `stoppable`: stop requests are checked
    before it starts.
    """

    name: str
    work: Callable[[Nodes, LoopState], Awaitable[LoopState]]
    sees: tuple[str, ...]
    route: Callable[[LoopState], str]
    leads_to: tuple[str, ...]
    stoppable: bool = False


class Runner(Protocol):
    """A function that runs a state through the table, from START to END."""

    def __call__(
        self, acts: Mapping[str, Act], start_state: LoopState, most_steps: int
    ) -> Awaitable[LoopState]:
        """Return the final state. `acts`: the work of each node, by its name.

        Raises: InternalError after `most_steps` steps, and any error of an act.
        """


def limit_steps(max_rounds: int, sections: int = 1) -> int:
    """Return an upper bound on the steps of a run with these rounds and sections."""
    return 8 * (1 + WEB_TIMES) * max(max_rounds, 1) * sections + 5


def _choose_after_strategy(state: LoopState) -> str:
    if "survey" in state:
        return "answer"
    return "web_fallback" if state["web_policy"] is WebPolicy.FIRST else "plan"


def _choose_after_web(state: LoopState) -> str:
    """Return the next node: the documents are only searched again if the web was searched."""
    return "plan" if state["reached"].queries or not state["verdicts"] else "answer"


def _choose_after_route(state: LoopState) -> str:
    verdict = state["verdicts"][-1]
    if verdict.status is NextStep.CONTINUE:
        return "plan"
    if "section" in state:
        return "section"
    return "web_fallback" if verdict.loop_stop and leads_to_web(state, verdict.loop_stop) else "answer"


def _choose_after_section(state: LoopState) -> str:
    return "plan" if are_sections_left(state) else "answer"


_ROWS = (
    Node(
        "strategy",
        Nodes.strategy,
        ("question", "earlier", "requirements"),
        _choose_after_strategy,
        ("plan", "web_fallback", "answer"),
    ),
    Node(
        "web_fallback",
        Nodes.web_fallback,
        ("strategy", "goal_status", "plans", "verdicts", "budget", "spent", "reached"),
        _choose_after_web,
        ("plan", "answer"),
        stoppable=True,
    ),
    Node(
        "plan",
        Nodes.plan,
        (
            "strategy",
            "goal_status",
            "plans",
            "verdicts",
            "evidence",
            "judgment",
            "spent",
            "reached",
            "section",
        ),
        lambda state: "search",
        ("search",),
        stoppable=True,
    ),
    Node(
        "search",
        Nodes.search,
        ("strategy", "goal_status", "plans", "evidence", "spent", "anew", "reached", "section"),
        lambda state: "evaluate",
        ("evaluate",),
        stoppable=True,
    ),
    Node(
        "evaluate",
        Nodes.evaluate,
        (
            "strategy",
            "goal_status",
            "plans",
            "shown",
            "rarity",
            "short_names",
            "evidence",
            "judgment",
            "rounds_without_evidence",
            "spent",
            "respelt",
            "exhausted",
            "reached",
            "section",
        ),
        lambda state: "route",
        ("route",),
        stoppable=True,
    ),
    Node(
        "route",
        Nodes.route,
        (
            "strategy",
            "goal_status",
            "judgment",
            "plans",
            "evidence",
            "budget",
            "spent",
            "rounds_without_evidence",
            "exhausted",
            "verdicts",
            "reached",
            "web_policy",
            "section",
        ),
        _choose_after_route,
        ("plan", "web_fallback", "section", "answer"),
    ),
    Node(
        "section",
        Nodes.section,
        (
            "requirements",
            "strategy",
            "goal_status",
            "plans",
            "evidence",
            "verdicts",
            "spent",
            "reads",
            "has_model",
            "section",
        ),
        _choose_after_section,
        ("plan", "answer"),
        stoppable=True,
    ),
    Node(
        "answer",
        Nodes.answer,
        (
            "question",
            "strategy",
            "survey",
            "goal_status",
            "plans",
            "evidence",
            "verdicts",
            "spent",
            "reached",
            "written",
            "reads",
            "has_model",
            "requirements",
            "section",
            "sections",
            "titles",
        ),
        lambda state: END,
        (END,),
    ),
)
TABLE: Mapping[str, Node] = {node.name: node for node in _ROWS}


async def run_table(acts: Mapping[str, Act], start_state: LoopState, most_steps: int) -> LoopState:
    """Run node after node until the table leads to END.

    Annotated keys of `LoopState` accumulate, others are replaced.
    """
    state = merge_state(_build_start_state(), start_state)
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
    growing = _get_reducers()
    for key, part in loop_state.items():
        merged[key] = growing[key](merged[key], part) if key in growing else part
    return cast("LoopState", merged)


def _build_start_state() -> LoopState:
    """Return the initial state: accumulating keys are empty. LangGraph begins with the same."""
    hints = _get_state_hints()
    empty = {key: (get_origin(hints[key].__origin__) or hints[key].__origin__)() for key in _get_reducers()}
    return cast("LoopState", empty)


@cache
def _get_reducers() -> Mapping[str, Any]:
    return {
        key: get_args(hint)[1] for key, hint in _get_state_hints().items() if get_origin(hint) is Annotated
    }


@cache
def _get_state_hints() -> Mapping[str, Any]:
    return get_type_hints(LoopState, include_extras=True)
