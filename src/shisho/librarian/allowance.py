"""Check ceilings before anything is spent, and manage the model budget and the owner's quotas.

Cost is reserved before a call and settled after it. Reserved and spent cost together never exceed the budget.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from shisho.domain.inquiry import Budget, LoopStop
from shisho.domain.loop_state import Spending
from shisho.domain.model import ModelUsage
from shisho.domain.team import QuotaCharge, QuotaResource
from shisho.errors import QuotaExhausted
from shisho.ports import Quotas
from shisho.records import dataclass


def find_reached_ceiling(budget: Budget, spending: Spending, cost: Spending) -> LoopStop | None:
    """Return the first ceiling that `cost` on top of `spending` would exceed; None if it fits.

    Zero cost exceeds nothing.
    """
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
    """Estimate the cost of another round.

    The average of the rounds so far, and at least some time.

    Rounds cost no pages.
    """
    rounds = max(spending.rounds, 1)
    return Spending(
        rounds=1,
        seconds=max(spending.seconds / rounds, 0.001),
        model_calls=-(-spending.model_calls // rounds),
        tokens=-(-spending.tokens // rounds),
    )


class ModelAllowance:
    """The allowance of one node.

    `withheld` is kept for later nodes; `report_wait` receives the seconds of each wait for a provider.
    """

    def __init__(
        self,
        budget: Budget,
        spent: Spending,
        withheld: Spending = Spending(),  # noqa: B008
        report_wait: Callable[[float], None] | None = None,
    ) -> None:
        self.report_wait = report_wait
        self.budget = budget
        self.reserved = Spending()
        self.used = Spending()
        """Spent since its creation."""
        self._before = spent
        self._withheld = withheld

    @property
    def spent(self) -> Spending:
        return self._before + self.used

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.budget.max_seconds - (self._before + self._withheld).seconds)

    @property
    def rounds_left(self) -> int:
        """Return the rounds that may still read, including this one."""
        return max(1, self.budget.max_rounds - self._before.rounds + 1)

    @property
    def tokens_left(self) -> int:
        """Return the tokens that one more call may cost; 0 if no call is left."""
        committed = self.spent + self.reserved + self._withheld
        if self.seconds_left <= 0 or committed.model_calls >= self.budget.max_model_calls:
            return 0
        return max(0, self.budget.max_tokens - committed.tokens)

    def reserve(self, calls: int, tokens: int) -> Spending | None:
        """Reserve this cost; None if it does not fit."""
        cost = Spending(model_calls=calls, tokens=tokens)
        if self.seconds_left <= 0 or find_reached_ceiling(
            self.budget, self.spent + self.reserved + self._withheld, cost
        ):
            return None
        self.reserved += cost
        return cost

    def settle(self, reservation: Spending, usage: ModelUsage) -> None:
        """Release the unused part of a reservation. A provider's count is capped at the reservation."""
        self.reserved = Spending(
            model_calls=self.reserved.model_calls - reservation.model_calls,
            tokens=self.reserved.tokens - reservation.tokens,
        )
        self.used += Spending(
            model_calls=min(usage.calls, reservation.model_calls),
            tokens=min(usage.tokens, reservation.tokens),
        )


class TokenMeter(Protocol):
    """The tokens that an owner may still spend today."""

    async def take(self, tokens: int) -> QuotaCharge | None:
        """Reserve tokens; None if too few are left."""

    async def release_unused(self, charge: QuotaCharge, tokens: int) -> None:
        """Release the unused tokens of a reservation."""


@dataclass(frozen=True, slots=True)
class OwnerTokens:
    """The tokens of one owner and their groups.

    Reservations of a crashed process count until the day ends.
    """

    quotas: Quotas
    owner: str

    async def take(self, tokens: int) -> QuotaCharge | None:
        try:
            return await self.quotas.take(self.owner, QuotaResource.TOKENS, tokens)
        except QuotaExhausted:
            return None

    async def release_unused(self, charge: QuotaCharge, tokens: int) -> None:
        await self.quotas.release_unused(charge, tokens)


class UnmeteredTokens:
    """An unlimited meter."""

    async def take(self, tokens: int) -> QuotaCharge | None:
        return QuotaCharge((), tokens)

    async def release_unused(self, charge: QuotaCharge, tokens: int) -> None:
        """Do nothing: no tokens were reserved."""
