"""On or out: goal status, condition, budget and history → verdict. No model can end a search here, and none can prolong it."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.inquiry import Budget, GoalStatus, LoopStop, NextStep, Strategy, Verdict
from shisho.librarian import condition
from shisho.librarian.budget import Spending, ceiling, next_round
from shisho.messages.message import Message

PATIENCE = 2  # rounds without new evidence


def route(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    budget: Budget,
    spent: Spending,
    *,
    rounds_without_evidence: int,
    exhausted: bool,
    next_focus: str,
) -> Verdict:
    """The verdict after a round. `rounds_without_evidence` counts rounds since the last new evidence; `exhausted` says all in
    scope was seen."""
    expression, remark = condition.read(strategy.condition, [goal.id for goal in strategy.goals])
    met = [one.goal_id for one in status if one.met]
    if condition.holds(expression, met):
        stop: LoopStop | None = LoopStop.CONDITION_MET
    elif (exhausted or rounds_without_evidence >= PATIENCE) and 0 < spent.pages >= budget.max_pages:
        stop = LoopStop.PAGES  # the web had more to look at
    elif exhausted:
        stop = LoopStop.EXHAUSTED
    elif rounds_without_evidence >= PATIENCE:
        stop = LoopStop.STAGNATION
    else:
        stop = ceiling(budget, spent, next_round(spent))
    reason = Message.joined([part for part in (_progress(strategy, status), remark) if part], "; ")
    if stop is None:
        return Verdict(NextStep.CONTINUE, next_focus, reason)
    return ended(stop, status, reason)


def ended(stop: LoopStop, status: Sequence[GoalStatus], reason: str) -> Verdict:
    """The end, for this reason: an answer, if only a partial one, where there is evidence, else an abstention."""
    found = stop is LoopStop.CONDITION_MET or any(one.evidence for one in status)
    return Verdict(NextStep.COMPLETE if found else NextStep.ABSTAIN, "", reason, stop)


def _progress(strategy: Strategy, status: Sequence[GoalStatus]) -> str:
    goals = {goal.id: goal for goal in strategy.goals}
    return ", ".join(
        f"{one.goal_id} {one.evidence}/{goals[one.goal_id].min_evidence} evidence, "
        f"{one.sources}/{goals[one.goal_id].min_sources} sources"
        for one in status
    )
