"""Quotas of a day: what a user, or the members of a group together, may use of a resource."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from shisho.domain.team import Grantee
from shisho.domain.time import Instant, later

MOST_PER_DAY = 1_000_000_000_000
DAY_SECONDS = 86_400


class QuotaResource(StrEnum):
    """The things that are counted: jobs that were accepted, pages that were asked for of the web, tokens
    that models have read and
    written."""

    JOBS = "jobs"
    PAGES = "pages"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Quota:
    """A ceiling of a day, and what was used of it on that day (UTC, by the clock of the database). It is free
    again at `free_at`."""

    grantee: Grantee
    resource: QuotaResource
    per_day: int
    used: int
    day: str

    @property
    def free_at(self) -> Instant:
        """When the next day begins."""
        return later(Instant(f"{self.day}T00:00:00+00:00"), DAY_SECONDS)

    def has_room(self, amount: int) -> bool:
        """True where this much more may be used today."""
        return self.used + amount <= self.per_day

    def begin_day(self, today: str) -> Quota:
        """The same on a day: what was used before it counts no more. No day comes again, even where a clock
        is set back."""
        return self if self.day >= today else replace(self, day=today, used=0)


@dataclass(frozen=True, slots=True)
class QuotaCharge:
    """What was taken from which quotas, so that what is not used goes back to those."""

    charged: tuple[Quota, ...]
    amount: int


def find_full(quotas: Iterable[Quota], amount: int) -> Quota | None:
    """The first quota that has no room for this much more."""
    return next((quota for quota in quotas if not quota.has_room(amount)), None)
