"""What a model costs is counted against the quotas of who asks: set aside before a call, settled after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from shisho.domain.quota import QuotaCharge, QuotaResource
from shisho.errors import QuotaExhausted
from shisho.ports import Quotas


class TokenMeter(Protocol):
    """The tokens that somebody may still spend today."""

    async def take(self, tokens: int) -> QuotaCharge | None:
        """Set aside; None where there is no room for so many."""

    async def give_back(self, charge: QuotaCharge, tokens: int) -> None:
        """What was not used of them."""


@dataclass(frozen=True, slots=True)
class OwnerTokens:
    """Those of one person and their groups. What a process that died had set aside stays used until the day
    is over."""

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
    """Nobody counts."""

    async def take(self, tokens: int) -> QuotaCharge | None:
        return QuotaCharge((), tokens)

    async def give_back(self, charge: QuotaCharge, tokens: int) -> None:
        """Nothing was taken."""
