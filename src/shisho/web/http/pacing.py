"""Pacing of requests: turns, Retry-After, backoff, and their cost."""

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
MAX_TRIES = 5
_DIGITS = 9  # 31 years; a longer number is not a plausible time, and is later than the calendar's last day

Pay = Callable[[], Awaitable[bool]]
"""Spend one page of the task's budget; False if none is left."""

Browse = Callable[[Request, str], Awaitable[Response]]
"""A request through the browser, in the profile of that name."""


class RetryLater(Exception):
    """Asks for a retry in `seconds`.

    `host`: the host to leave alone until then, "" if it is not a host. `reason` is shown during the wait;
    None if other waiters simply come first.
    """

    def __init__(self, seconds: float, host: str = "", reason: ShishoError | None = None) -> None:
        super().__init__(f"not before {seconds:.1f} s")
        self.seconds = seconds
        self.host = host
        self.reason = reason


def retry_after(headers: Mapping[str, str], now: Instant | None) -> float | None:
    """Return the full delay in seconds that a server requests; None if there is none that can be parsed.

    `headers` in lower case; without `now` dates are not parsed.
    """
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
    """Acquire a permit for one request to a host, which must be released.

    Raises: RetryLater; AllFetchesFailed if the host's daily limit is reached.
    """
    leave = await limiter.acquire(f"host:{host}", limit, ticket)
    if leave.spent:
        raise AllFetchesFailed(
            "fetch.daily_limit",
            per_day=limit.per_day,
            host=host,
        )
    if not leave.granted:
        raise RetryLater(leave.wait_s, host)
