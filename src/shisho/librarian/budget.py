"""The spending of an inquiry, and its ceilings. A ceiling is checked before the spending, and settled
with what it really cost."""

from __future__ import annotations

from shisho.domain.inquiry import Budget, LoopStop
from shisho.domain.loop_state import Spending


def find_reached_ceiling(budget: Budget, spending: Spending, cost: Spending) -> LoopStop | None:
    """The first ceiling that `cost` would break on top of `spending`; None where it fits. What costs nothing
    breaks nothing."""
    after = spending + cost
    ceilings = (
        (cost.rounds, after.rounds > budget.max_rounds, LoopStop.ROUNDS),
        (cost.pages, after.pages > budget.max_pages, LoopStop.PAGES),
        (cost.seconds, after.seconds > budget.max_seconds, LoopStop.SECONDS),
        (cost.model_calls, after.model_calls > budget.max_model_calls, LoopStop.MODEL_CALLS),
        (cost.tokens, after.tokens > budget.max_tokens, LoopStop.TOKENS),
    )
    return next((stop for amount, broken, stop in ceilings if amount > 0 and broken), None)


def estimate_next_round(spending: Spending) -> Spending:
    """Estimate the cost of another round: as much as the rounds so far did on average, and some time in
    any case. Pages are not asked for by rounds."""
    rounds = max(spending.rounds, 1)
    return Spending(
        rounds=1,
        seconds=max(spending.seconds / rounds, 0.001),
        model_calls=-(-spending.model_calls // rounds),
        tokens=-(-spending.tokens // rounds),
    )
