"""Decide whether the search continues.

A model may request more rounds; it ends a search only if the condition is fulfilled, and never exceeds the
budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shisho.domain.inquiry import (
    Budget,
    Goal,
    GoalStatus,
    Judgment,
    LoopStop,
    NextStep,
    Strategy,
    Verdict,
)
from shisho.domain.loop_state import Spending
from shisho.librarian import condition
from shisho.librarian.allowance import estimate_next_round, find_reached_ceiling

PATIENCE = 2  # rounds without new evidence
SEARCHED_OUT = frozenset({LoopStop.ROUNDS, LoopStop.STAGNATION, LoopStop.EXHAUSTED})


def route(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    budget: Budget,
    spending: Spending,
    *,
    rounds_without_evidence: int,
    exhausted: bool,
    next_focus: str,
    judgment: Judgment = Judgment(),  # noqa: B008
    is_done: bool = False,
    leads_to_web: Callable[[LoopStop], bool] = lambda stop: False,
) -> Verdict:
    """Return the verdict after a round.

    `rounds_without_evidence`: since the last new evidence. `exhausted`: all passages in scope were read.
    `is_done`: a further round would ask nothing new. `leads_to_web`: whether the web is searched after this
    stop. `judgment`: of a model, if one has read the round; its COMPLETE also requires the condition.
    """
    is_stagnant = is_done or rounds_without_evidence >= PATIENCE
    wants_more = judgment.status is NextStep.CONTINUE or bool(judgment.read_around)
    is_met = is_condition_met(strategy, status)
    if is_met and not wants_more:
        stop: LoopStop | None = LoopStop.CONDITION_MET
    elif (exhausted or is_stagnant) and 0 < spending.pages >= budget.max_pages:
        stop = LoopStop.PAGES  # the web had more results
    elif exhausted:
        stop = LoopStop.EXHAUSTED
    elif is_stagnant:
        stop = LoopStop.STAGNATION
    else:
        stop = find_reached_ceiling(budget, spending, estimate_next_round(spending))
    is_over = stop in SEARCHED_OUT and not leads_to_web(stop)
    if stop and (is_met or (is_over and is_condition_met(strategy, status, is_over=True))):
        stop = LoopStop.CONDITION_MET
    reason = "; ".join(filter(None, (_describe_progress(strategy, status), judgment.reason)))
    if stop is None:
        focus = judgment.next_focus or next_focus
        return Verdict(NextStep.CONTINUE, focus, reason, model_reason=judgment.reason)
    return conclude(stop, status, reason)


def open_goals(goals: Sequence[Goal], status: Sequence[GoalStatus]) -> list[Goal]:
    """Return the unfulfilled goals, in order."""
    met_ids = {goal_status.goal_id for goal_status in status if goal_status.met}
    return [goal for goal in goals if goal.id not in met_ids]


def choose_next_focus(
    goals: Sequence[Goal], status: Sequence[GoalStatus], verdicts: Sequence[Verdict]
) -> str:
    """Return the id of the open goal that was focused least often; of equals the first.

    Empty if none is open.
    """
    focuses = [verdict.next_focus for verdict in verdicts]
    return min((goal.id for goal in open_goals(goals, status)), key=focuses.count, default="")


def is_condition_met(strategy: Strategy, status: Sequence[GoalStatus], *, is_over: bool = False) -> bool:
    """Return whether the condition is true.

    `is_over`: goals without evidence count as absent from now on.
    """
    expression = condition.parse(strategy.condition, [goal.id for goal in strategy.goals])
    met_ids = [goal_status.goal_id for goal_status in status if goal_status.met]
    absent_ids = [goal_status.goal_id for goal_status in status if is_over and not goal_status.evidence]
    return condition.holds(expression, met_ids, absent_ids)


def conclude(stop: LoopStop, status: Sequence[GoalStatus], reason: str) -> Verdict:
    """Return the final verdict: a full or partial answer with evidence, else an abstention."""
    is_found = stop is LoopStop.CONDITION_MET or any(goal_status.evidence for goal_status in status)
    return Verdict(NextStep.COMPLETE if is_found else NextStep.ABSTAIN, "", reason, stop)


def _describe_progress(strategy: Strategy, status: Sequence[GoalStatus]) -> str:
    goals = {goal.id: goal for goal in strategy.goals}
    return ", ".join(
        f"{goal_status.goal_id} {goal_status.evidence}/{goals[goal_status.goal_id].min_evidence} evidence, "
        f"{goal_status.sources}/{goals[goal_status.goal_id].min_sources} sources"
        for goal_status in status
    )
