"""Daily quotas: what a user, or the members of a group together, may use of a resource."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from shisho.domain.team import Grantee
from shisho.domain.time import Instant, add_seconds

MAX_PER_DAY = 1_000_000_000_000
DAY_SECONDS = 86_400


class QuotaResource(StrEnum):
    """The counted resources.

    Accepted jobs, pages requested from the web, and tokens that models have read and written.
    """

    JOBS = "jobs"
    PAGES = "pages"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Quota:
    """A daily ceiling, and the amount used on that day (UTC, by the clock of the database).

    It is free again at `free_at`.
    """

    grantee: Grantee
    resource: QuotaResource
    per_day: int
    used: int
    day: str

    @property
    def free_at(self) -> Instant:
        """The beginning of the next day."""
        return add_seconds(Instant(f"{self.day}T00:00:00+00:00"), DAY_SECONDS)

    def has_room(self, amount: int) -> bool:
        """Return whether this much more may be used today."""
        return self.used + amount <= self.per_day

    def begin_day(self, today: str) -> Quota:
        """Return the quota for a day, with the usage of earlier days dropped.

        No day is repeated, even if a clock is set back.
        """
        return self if self.day >= today else replace(self, day=today, used=0)


@dataclass(frozen=True, slots=True)
class QuotaCharge:
    """The amounts charged to quotas, so that unused parts can be refunded to the same ones."""

    charged: tuple[Quota, ...]
    amount: int


def find_full(quotas: Iterable[Quota], amount: int) -> Quota | None:
    """Return the first quota that has no room for this much more."""
    return next((quota for quota in quotas if not quota.has_room(amount)), None)
