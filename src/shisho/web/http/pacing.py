"""How long to leave a server alone: its turn, Retry-After, backing off; and what a request may cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from shisho.domain.politeness import Limit
from shisho.domain.time import Instant, to_epoch
from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, ShishoError
from shisho.ports import Limiter

SLOW_DOWN = (429, 503)
MOST_TRIES = 5
_DIGITS = 9  # 31 years; a longer number is no time any more, and later than the calendar's last day

Pay = Callable[[], Awaitable[bool]]
"""Spend one page of the task's budget; False: there is none left."""

Browse = Callable[[Request, str], Awaitable[Response]]
"""A request through the browser, in the profile of that name."""


class RetryLater(Exception):
    """Not now; ask again in `seconds`. `host`: who must be left alone until then, "" where it is no host.
    `reason` is told while it is waited for; None: it is others' turn before."""

    def __init__(self, seconds: float, host: str = "", reason: ShishoError | None = None) -> None:
        super().__init__(f"not before {seconds:.1f} s")
        self.seconds = seconds
        self.host = host
        self.reason = reason


def retry_after(headers: Mapping[str, str], now: Instant | None) -> float | None:
    """Seconds that a server asks to be left alone, in full; None where it says nothing that can be
    understood. `headers` in lower case; without `now` a date is not understood."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value) if len(value) <= _DIGITS else float("9" * _DIGITS)
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if now is None:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(at.timestamp() - to_epoch(now), 0.0)


async def await_turn(limiter: Limiter, host: str, limit: Limit, ticket: str) -> None:
    """One request to a host may be sent now, and is to be given back. Raises RetryLater, AllFetchesFailed
    where it had its day's."""
    leave = await limiter.acquire(f"host:{host}", limit, ticket)
    if leave.spent:
        raise AllFetchesFailed(
            "fetch.daily_limit",
            per_day=limit.per_day,
            host=host,
        )
    if not leave.granted:
        raise RetryLater(leave.wait_s, host)
