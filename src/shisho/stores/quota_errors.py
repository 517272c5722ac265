"""The error of every store for an exhausted quota, and the rule for charging it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.quota import Quota, QuotaResource, find_full
from shisho.domain.time import Instant, count_seconds, drop_fraction
from shisho.errors import QuotaExhausted

FULL: Mapping[QuotaResource, str] = {
    QuotaResource.JOBS: ("quota.jobs_used_up"),
    QuotaResource.PAGES: ("quota.pages_used_up"),
    QuotaResource.TOKENS: ("quota.tokens_used_up"),
}


def check_room(quotas: Sequence[Quota], amount: int, now: Instant) -> None:
    """Raise QuotaExhausted for the first of today's quotas without room for this amount."""
    full = find_full(quotas, amount)
    if full is None:
        return
    raise QuotaExhausted(
        FULL[full.resource],
        name=full.grantee.name,
        resource=full.resource,
        used=full.used,
        limit=full.per_day,
        asked=amount,
        free_at=drop_fraction(full.free_at),
        retry_after_s=max(1.0, count_seconds(now, full.free_at)),
    )
