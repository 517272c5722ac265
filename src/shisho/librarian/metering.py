"""Count the cost of models against the owner's quotas.

Reserve before a call, settle after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from shisho.domain.quota import QuotaCharge, QuotaResource
from shisho.errors import QuotaExhausted
from shisho.ports import Quotas


class TokenMeter(Protocol):
    """The tokens that an owner may still spend today."""

    async def take(self, tokens: int) -> QuotaCharge | None:
        """Reserve tokens; None if too few are left."""

    async def give_back(self, charge: QuotaCharge, tokens: int) -> None:
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

    async def give_back(self, charge: QuotaCharge, tokens: int) -> None:
        await self.quotas.give_back(charge, tokens)


class UnmeteredTokens:
    """An unlimited meter."""

    async def take(self, tokens: int) -> QuotaCharge | None:
        return QuotaCharge((), tokens)

    async def give_back(self, charge: QuotaCharge, tokens: int) -> None:
        """Do nothing: no tokens were reserved."""
