"""How long to leave a server alone: its turn, Retry-After, backing off; and what a request may cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from shisho.domain.politeness import Limit
from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed
from shisho.ports import Limiter

SLOW_DOWN = (429, 503)
MOST_TRIES = 5
LONGEST_S = 120.0
_DIGITS = 9  # 31 years; a longer number is no time any more, and later than the calendar's last day

Pay = Callable[[], Awaitable[bool]]
"""Spend one page of the task's budget; False: there is none left."""

Browse = Callable[[Request, str], Awaitable[Response]]
"""A request through the browser, in the profile of that name."""


class RetryLater(Exception):
    """Not now; ask again in `seconds`. `host`: who must be left alone until then, "" where it is no host."""

    def __init__(self, seconds: float, host: str = "") -> None:
        super().__init__(f"not before {seconds:.1f} s")
        self.seconds = seconds
        self.host = host


def retry_after(headers: Mapping[str, str], now: str) -> float | None:
    """Seconds that a server asks to be left alone, in full; None where it says nothing that can be understood. `headers` in
    lower case; `now` "": a date is not understood."""
    said = headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return float(said) if len(said) <= _DIGITS else float("9" * _DIGITS)
    try:
        at = parsedate_to_datetime(said)
    except (ValueError, TypeError, OverflowError):
        return None
    if not now:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max((at - datetime.fromisoformat(now)).total_seconds(), 0.0)


def backoff(tries: int, jitter: float) -> float:
    """Seconds before the next try, after so many: 2 to that power, two minutes at most, a tenth more or less by `jitter` (0 to
    1), so that those who failed together do not come back together."""
    return min(2.0 ** min(tries, 10), LONGEST_S) * (0.9 + 0.2 * jitter)


async def turn_at(limiter: Limiter, host: str, limit: Limit, ticket: str) -> None:
    """One request to a host may be sent now, and is to be given back. Raises RetryLater, AllFetchesFailed where it had its
    day's."""
    leave = await limiter.acquire(f"host:{host}", limit, ticket)
    if leave.spent:
        raise AllFetchesFailed(
            "{host} had its {per_day} requests for today. Try again tomorrow.", per_day=limit.per_day, host=host
        )
    if not leave.granted:
        raise RetryLater(leave.wait_s, host)
