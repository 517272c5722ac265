"""Which open goal the next round is for: the one that has had the fewest rounds to itself."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.inquiry import Goal, GoalStatus, Verdict


def open_goals(goals: Sequence[Goal], status: Sequence[GoalStatus]) -> list[Goal]:
    """The goals not met yet, in their order."""
    met_words = {goal_status.goal_id for goal_status in status if goal_status.met}
    return [goal for goal in goals if goal.id not in met_words]


def choose_next_focus(
    goals: Sequence[Goal], status: Sequence[GoalStatus], verdicts: Sequence[Verdict]
) -> str:
    """The id of the open goal with the most budget left; the earlier one where two are even. Empty when none
    is open."""
    had = [verdict.next_focus for verdict in verdicts]
    return min((goal.id for goal in open_goals(goals, status)), key=had.count, default="")
