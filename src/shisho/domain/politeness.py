"""How often something may be asked, and how it has answered: limits, breakers, and what is remembered of an
answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Any

from shisho.domain.time import Instant, later

FAILURES = 2  # in a row, and the breaker opens
COOL_DOWNS_S = (1800.0, 3600.0, 7200.0)  # for the first, the second, and every further break in a row
PROBE_S = 60.0  # how long the right to try is one asker's
LATEST = 50  # answers that rates are over


@dataclass(frozen=True, slots=True)
class Limit:
    """The pace of one resource."""

    interval_s: float
    """Seconds from the end of a request to the next one; and from its beginning, where several may be
    under way together."""
    parallel: int = 1
    """Requests under way together."""
    per_day: int | None = None
    """Requests in a day (UTC); None: as many as there is time for."""


@dataclass(frozen=True, slots=True)
class Permit:
    """Permission to send one request now."""

    granted: bool
    wait_s: float = 0.0
    """Seconds until it makes sense to ask again, where it is not granted."""
    spent: bool = False
    """Not before the next day."""


@dataclass(frozen=True, slots=True)
class LimiterStatus:
    """Of a resource: seconds until a newcomer's turn, and how many requests it had today."""

    free_in_s: float = 0.0
    used_today: int = 0


class BreakerState(StrEnum):
    """`open`: not to be asked. `half_open`: its time is over, and one request may try."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class RequestOutcome(StrEnum):
    """How an engine has answered one request."""

    SUCCESS = "success"
    FAILURE = "failure"
    CHALLENGE = "challenge"


@dataclass(frozen=True, slots=True)
class EngineHealth:
    """The record of an engine's health. Rates are over its latest requests."""

    engine: str
    breaker: BreakerState = BreakerState.CLOSED
    failures: int = 0
    """In a row."""
    openings: int = 0
    """Breaks in a row."""
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
    """Something kept for a while: JSON-ready, and whether it is only a part of what was asked for."""

    value: Any
    partial: bool
    stored_at: Instant


@dataclass(frozen=True, slots=True)
class PageMemory:
    """The record of a fetched page: the document it became, and what its server wants to be asked with
    again. `source`: the document's name, known where the record is read."""

    document_id: str
    fetched_at: Instant
    etag: str = ""
    last_modified: str = ""
    source: str = ""


def record_outcome(
    health: EngineHealth, outcome: RequestOutcome, now: Instant, error: str = ""
) -> EngineHealth:
    """Update an engine's health by one more answer: two failures in a row, a challenge, or a failed try
    while half open open its breaker; a success closes it. What comes late, while it is open, opens it no
    further."""
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
            open_until=later(now, _cool_down(openings)),
        )
    return health


def clear_failures(health: EngineHealth) -> EngineHealth:
    """The breaker closes; the next break is a first one again."""
    return replace(health, breaker=BreakerState.CLOSED, failures=0, openings=0, open_until=None)


def refresh_breaker(health: EngineHealth, now: Instant) -> EngineHealth:
    """The breaker by this time: half open once its time is over. Where the clock ran back, it stays open for
    no longer than it was opened for."""
    if health.open_until is None:
        return health
    if health.open_until <= now:
        return replace(health, breaker=BreakerState.HALF_OPEN)
    until = min(health.open_until, later(now, _cool_down(health.openings)))
    return replace(health, breaker=BreakerState.OPEN, open_until=until)


def may_probe(prober: str | None, until: Instant | None, asker: str, now: Instant) -> bool:
    """True where an asker may try a half-open engine: nobody else has the right now. One that seems to
    last for long is of a clock that ran back, and is not believed."""
    if prober is None or until is None or (asker and prober == asker):
        return True
    return until <= now or until > later(now, 2 * PROBE_S)


def add_rates(health: EngineHealth, answers: Sequence[tuple[RequestOutcome, float]]) -> EngineHealth:
    """With the rates over these answers and latencies."""
    if not answers:
        return health
    outcomes = [outcome for outcome, _ in answers]
    return replace(
        health,
        success_rate=outcomes.count(RequestOutcome.SUCCESS) / len(outcomes),
        challenge_rate=outcomes.count(RequestOutcome.CHALLENGE) / len(outcomes),
        median_latency_s=median(latency for _, latency in answers),
    )


def _cool_down(openings: int) -> float:
    return COOL_DOWNS_S[min(max(openings, 1), len(COOL_DOWNS_S)) - 1]
