"""The loop: strategy → plan → search → evaluate → route → (plan | reach | answer), as one graph that every interface and test
runs. `reach` goes to the web and on to plan; for goals still open once more, to another engine, then with other words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from shisho.domain.codec import build, plain
from shisho.domain.corpus import Scope
from shisho.domain.inquiry import Answer, Budget, Gap, LoopStop, NextStep, WebPolicy
from shisho.librarian.citations import Citations
from shisho.librarian.nodes import Nodes
from shisho.librarian.reach import AskWeb
from shisho.librarian.record import Node, Notify, RunRecord, RunStopped
from shisho.librarian.search import InquirySearch, SessionOpener
from shisho.librarian.state import LoopState
from shisho.librarian.strategy import checked
from shisho.ports import Clock, Ledger

MODEL = "none"
TIMES = 3  # that the web is asked for a goal: of one engine, of another, then with other words
_SEARCHED_OUT = frozenset({LoopStop.ROUNDS, LoopStop.STAGNATION, LoopStop.EXHAUSTED})


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question with all that its run depends on. `scope` carries the user's filters: no plan can drop them. Of a task's
    inquiry the answer bears the run's id, so that it can be named before it is there. `reach`: when it goes to the web."""

    run_id: str
    question: str
    scope: Scope = field(default_factory=Scope)
    budget: Budget = field(default_factory=Budget)
    task_id: str = ""
    reach: WebPolicy = WebPolicy.NEVER


async def begun(ledger: Ledger, run_id: str) -> Inquiry:
    """The inquiry of a run begun earlier, to be given to `run` again. Raises NotFound."""
    found: Inquiry = build(await ledger.facts(run_id), Inquiry)
    return found


async def run(
    inquiry: Inquiry,
    open_session: SessionOpener,
    ledger: Ledger,
    clock: Clock,
    notify: Notify = lambda event, **facts: None,
    stop: Callable[[], bool] = lambda: False,
    ask_web: AskWeb | None = None,
    barred: Gap = Gap.NO_WAY,
) -> Answer:
    """Answer a question and save the answer. A run begun earlier under this id is replayed from the ledger and goes on.

    `notify` hears each node's name with `step`, `replayed` and `given`, and `forgotten` where a stored step no longer fits.
    Where `stop` turns true, what was found so far is the answer (STOPPED) and the same call goes on from there later. Without
    `ask_web` there is no way to the web: where the inquiry would go there, its answer says why, which is `barred`.
    Raises InvalidParams for a blank or overlong question.
    """
    question = checked(inquiry.question)
    await ledger.begin(inquiry.run_id, inquiry.scope.owner, plain(inquiry))
    citations = Citations()
    nodes = Nodes(InquirySearch(open_session), citations, clock, ask_web, barred)
    record = RunRecord(ledger, inquiry.run_id, citations, clock, notify, stop)
    given = LoopState(question=question, budget=inquiry.budget, reach=inquiry.reach)
    try:
        state = await _through(graph(nodes, record), given, inquiry.budget)
    except RunStopped as stopped:
        state = await nodes.cut_short(stopped.state)
    answer = _answer(inquiry, state, citations, record.steps)
    await ledger.save(answer, inquiry.scope.owner)
    return answer


def graph(nodes: Nodes, record: RunRecord) -> Any:
    """The graph. Each node is named with the keys of the state that it sees."""
    from langgraph.graph import END, START, StateGraph

    drawn = StateGraph(LoopState)
    for node in (
        Node("strategy", nodes.strategy, ("question",)),
        Node("reach", nodes.reach, ("strategy", "goal_status", "plans", "budget", "spent", "reached"), stoppable=True),
        Node(
            "plan", nodes.plan, ("strategy", "goal_status", "plans", "verdicts", "shown", "rarity", "reached"), stoppable=True
        ),
        Node("search", nodes.search, ("strategy", "plans", "reached"), stoppable=True),
        Node(
            "evaluate",
            nodes.evaluate,
            ("strategy", "goal_status", "plans", "shown", "rarity", "evidence", "barren", "reached"),
            stoppable=True,
        ),
        Node(
            "route", nodes.route, ("strategy", "goal_status", "budget", "spent", "barren", "exhausted", "verdicts", "reached")
        ),
        Node("answer", nodes.answer, ("strategy", "goal_status", "evidence", "verdicts", "reached")),
    ):
        drawn.add_node(node.name, record.recorded(node))
    drawn.add_edge(START, "strategy")
    drawn.add_conditional_edges("strategy", _first, ["plan", "reach"])
    drawn.add_conditional_edges("reach", _after_web, ["plan", "answer"])
    drawn.add_edge("plan", "search")
    drawn.add_edge("search", "evaluate")
    drawn.add_edge("evaluate", "route")
    drawn.add_conditional_edges("route", _onward, ["plan", "reach", "answer"])
    drawn.add_edge("answer", END)
    return drawn.compile()


async def _through(drawn: Any, given: LoopState, budget: Budget) -> LoopState:
    from langsmith import tracing_context

    steps = 8 * (1 + TIMES) * max(budget.max_rounds, 1) + 5
    # LangGraph sends every state to a tracing service when the environment of the user's other projects says so.
    with tracing_context(enabled=False):
        state: LoopState = await drawn.ainvoke(given, {"recursion_limit": steps})
    return state


def _first(state: LoopState) -> str:
    return "reach" if state["reach"] is WebPolicy.FIRST else "plan"


def _onward(state: LoopState) -> str:
    verdict = state["verdicts"][-1]
    if verdict.status is NextStep.CONTINUE:
        return "plan"
    if "reached" not in state:
        open_ = verdict.loop_stop is not LoopStop.CONDITION_MET
        return "reach" if open_ and state["reach"] is WebPolicy.LAST else "answer"
    reached = state["reached"]
    again = reached.times < TIMES and reached.engines and verdict.loop_stop in _SEARCHED_OUT
    return "reach" if again else "answer"


def _after_web(state: LoopState) -> str:
    """The documents need no second look where the web was not asked anything."""
    return "plan" if state["reached"].queries or not state["verdicts"] else "answer"


def _answer(inquiry: Inquiry, state: LoopState, citations: Citations, steps: int) -> Answer:
    draft, spent, aim = state["draft"], state["spent"], state["strategy"]
    answer_id = inquiry.run_id if inquiry.task_id else sha256(f"{inquiry.run_id}/{steps}".encode()).hexdigest()[:24]
    return Answer(
        id=answer_id,
        task_id=inquiry.task_id or inquiry.run_id,
        question=aim.question,
        text=draft.text,
        sentences=draft.sentences,
        evidence=citations.evidence(answer_id, state["evidence"]),
        condition=aim.condition,
        goals=aim.goals,
        goal_status=state["goal_status"],
        loop_stop=state["verdicts"][-1].loop_stop or LoopStop.STOPPED,
        rounds=spent.rounds,
        budget_used={name: float(amount) for name, amount in plain(spent).items()},
        abstained=draft.abstained,
        missing=draft.missing,
        model=MODEL,
        created_at=state["composed_at"],
    )
