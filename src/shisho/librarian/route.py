"""On or out: goal status, condition, budget and history → verdict. No model can end a search here, and none
can prolong it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shisho.domain.inquiry import Budget, GoalStatus, LoopStop, NextStep, Strategy, Verdict
from shisho.domain.loop_state import Spending
from shisho.librarian import condition
from shisho.librarian.budget import estimate_next_round, find_reached_ceiling

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
    is_done: bool = False,
    leads_to_web: Callable[[LoopStop], bool] = lambda stop: False,
) -> Verdict:
    """Return the verdict after a round. `rounds_without_evidence` counts rounds since the last new evidence;
    `exhausted` says all in scope was seen, `is_done` that a further round would ask nothing new;
    `leads_to_web` whether the web is searched after this stop."""
    is_stagnant = is_done or rounds_without_evidence >= PATIENCE
    if is_condition_met(strategy, status):
        stop: LoopStop | None = LoopStop.CONDITION_MET
    elif (exhausted or is_stagnant) and 0 < spending.pages >= budget.max_pages:
        stop = LoopStop.PAGES  # the web had more to look at
    elif exhausted:
        stop = LoopStop.EXHAUSTED
    elif is_stagnant:
        stop = LoopStop.STAGNATION
    else:
        stop = find_reached_ceiling(budget, spending, estimate_next_round(spending))
    is_over = stop in SEARCHED_OUT and not leads_to_web(stop)
    if is_over and is_condition_met(strategy, status, is_over=True):
        stop = LoopStop.CONDITION_MET
    reason = _progress(strategy, status)
    if stop is None:
        return Verdict(NextStep.CONTINUE, next_focus, reason)
    return conclude(stop, status, reason)


def is_condition_met(strategy: Strategy, status: Sequence[GoalStatus], *, is_over: bool = False) -> bool:
    """Return whether the condition holds. `is_over`: goals without evidence count as absent from now on."""
    expression = condition.parse(strategy.condition, [goal.id for goal in strategy.goals])
    met_ids = [goal_status.goal_id for goal_status in status if goal_status.met]
    absent_ids = [goal_status.goal_id for goal_status in status if is_over and not goal_status.evidence]
    return condition.holds(expression, met_ids, absent_ids)


def conclude(stop: LoopStop, status: Sequence[GoalStatus], reason: str) -> Verdict:
    """The end, for this reason: an answer, if only a partial one, where there is evidence, else an
    abstention."""
    is_found = stop is LoopStop.CONDITION_MET or any(goal_status.evidence for goal_status in status)
    return Verdict(NextStep.COMPLETE if is_found else NextStep.ABSTAIN, "", reason, stop)


def _progress(strategy: Strategy, status: Sequence[GoalStatus]) -> str:
    goals = {goal.id: goal for goal in strategy.goals}
    return ", ".join(
        f"{goal_status.goal_id} {goal_status.evidence}/{goals[goal_status.goal_id].min_evidence} evidence, "
        f"{goal_status.sources}/{goals[goal_status.goal_id].min_sources} sources"
        for goal_status in status
    )
