"""Rate limits and circuit breakers of engines, and the records of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Any

from shisho.domain.time import Instant, add_seconds

FAILURES = 2  # in a row; then the breaker opens
COOL_DOWNS_S = (1800.0, 3600.0, 7200.0)  # for the first, the second, and every further break in a row
PROBE_S = 60.0  # how long one asker has the exclusive right to probe
LATEST = 50  # the number of answers that rates cover


@dataclass(frozen=True, slots=True)
class Limit:
    """The rate limit of one resource."""

    interval_s: float
    """Seconds from the end of a request to the next one; also from its start if several may run at once."""
    parallel: int = 1
    """The maximum number of concurrent requests."""
    per_day: int | None = None
    """Requests per day (UTC); None: unlimited."""


@dataclass(frozen=True, slots=True)
class Permit:
    """Permission to send one request now."""

    granted: bool
    wait_s: float = 0.0
    """Seconds to wait before asking again, if it is not granted."""
    spent: bool = False
    """The quota of the day is spent."""


@dataclass(frozen=True, slots=True)
class LimiterStatus:
    """The status of a resource: seconds until a new ticket's turn, and its requests today."""

    free_in_s: float = 0.0
    used_today: int = 0


class BreakerState(StrEnum):
    """The state of a breaker.

    `open`: the engine must not be called. `half_open`: the cool-down is over, and one request may probe.
    """

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class RequestOutcome(StrEnum):
    """How an engine answered one request."""

    SUCCESS = "success"
    FAILURE = "failure"
    CHALLENGE = "challenge"


@dataclass(frozen=True, slots=True)
class EngineHealth:
    """The health of an engine. Rates cover its latest requests."""

    engine: str
    breaker: BreakerState = BreakerState.CLOSED
    failures: int = 0
    """Consecutive failures."""
    openings: int = 0
    """Consecutive breaks."""
    open_until: Instant | None = None
    """The end of the latest break."""
    success_rate: float | None = None
    challenge_rate: float | None = None
    median_latency_s: float | None = None
    """In seconds, over its latest requests."""
    last_error: str = ""
    last_error_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A cached JSON-ready value, and whether it is only a part of the requested one."""

    value: Any
    partial: bool
    stored_at: Instant


@dataclass(frozen=True, slots=True)
class PageMemory:
    """The record of a fetched page: its document, and the validators for the next request.

    `source`: the document's name, if known.
    """

    document_id: str
    fetched_at: Instant
    etag: str = ""
    last_modified: str = ""
    source: str = ""


def record_outcome(
    health: EngineHealth, outcome: RequestOutcome, now: Instant, error: str = ""
) -> EngineHealth:
    """Return an engine's health updated by one more answer.

    Two consecutive failures, a challenge, or a failed probe while half open open its breaker; a success
    closes it. Late failures of an open breaker don't extend the break.
    """
    if outcome is RequestOutcome.SUCCESS:
        return clear_failures(health)
    health = replace(
        refresh_breaker(health, now), failures=health.failures + 1, last_error=error, last_error_at=now
    )
    if health.breaker is BreakerState.OPEN:
        return health
    if (
        health.breaker is BreakerState.HALF_OPEN
        or outcome is RequestOutcome.CHALLENGE
        or health.failures >= FAILURES
    ):
        openings = health.openings + 1
        return replace(
            health,
            breaker=BreakerState.OPEN,
            openings=openings,
            open_until=add_seconds(now, _compute_cool_down(openings)),
        )
    return health


def clear_failures(health: EngineHealth) -> EngineHealth:
    """Return the health with a closed breaker; the next break counts as the first again."""
    return replace(health, breaker=BreakerState.CLOSED, failures=0, openings=0, open_until=None)


def refresh_breaker(health: EngineHealth, now: Instant) -> EngineHealth:
    """Return the health with the breaker's current state: half open after its cool-down.

    If the clock ran backwards, it stays open for no longer than it was opened for.
    """
    if health.open_until is None:
        return health
    if health.open_until <= now:
        return replace(health, breaker=BreakerState.HALF_OPEN)
    until = min(health.open_until, add_seconds(now, _compute_cool_down(health.openings)))
    return replace(health, breaker=BreakerState.OPEN, open_until=until)


def may_probe(prober: str | None, until: Instant | None, asker: str, now: Instant) -> bool:
    """Return whether an asker may probe a half-open engine: nobody else has the right now.

    A right that seems to last too long comes from a clock that ran backwards, and is ignored.
    """
    if prober is None or until is None or (asker and prober == asker):
        return True
    return until <= now or until > add_seconds(now, 2 * PROBE_S)


def add_rates(health: EngineHealth, answers: Sequence[tuple[RequestOutcome, float]]) -> EngineHealth:
    """Return the health with the rates over these answers and latencies."""
    if not answers:
        return health
    outcomes = [outcome for outcome, _ in answers]
    return replace(
        health,
        success_rate=outcomes.count(RequestOutcome.SUCCESS) / len(outcomes),
        challenge_rate=outcomes.count(RequestOutcome.CHALLENGE) / len(outcomes),
        median_latency_s=median(latency for _, latency in answers),
    )


def _compute_cool_down(openings: int) -> float:
    return COOL_DOWNS_S[min(max(openings, 1), len(COOL_DOWNS_S)) - 1]
