"""Rate limits and circuit breakers of engines, and the records of their answers.

The rules are pure: who may send now, and when others retry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from statistics import median
from typing import Any

from shisho.domain.time import Instant, add_seconds
from shisho.records import dataclass

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


LEASE_S = 60.0  # the lease: a request that was not released has expired by then
PATIENCE_S = 2.0  # a ticket this late no longer blocks others: it may be unneeded, or have no worker
GRACE_S = 30.0  # a ticket this late loses its turn
SOON_S = 0.05  # the shortest wait before another try
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class QueuedTicket:
    """A ticket at a resource: queued, to retry at `due`, or running since `began`.

    `paid`: the day on which it was counted.
    """

    ticket: str
    due: float = 0.0
    began: float | None = None
    paid: str | None = None


@dataclass(frozen=True, slots=True)
class ResourcePace:
    """A resource as of one moment, in its own time.

    `at` is now; no request may begin before `free_at`. `wall` and `monotonic` are the readings of the clocks;
    `tickets` are in order of arrival; `used` counts the requests of the day.
    """

    at: float = 0.0
    free_at: float = 0.0
    wall: float = 0.0
    monotonic: float = 0.0
    used: int = 0
    tickets: tuple[QueuedTicket, ...] = ()

    @property
    def day(self) -> str:
        return datetime.fromtimestamp(self.wall, UTC).date().isoformat()

    def advance(self, wall: float, monotonic: float) -> ResourcePace:
        """Return the resource as of now.

        The clock that moved less is trusted, and a clock that ran backwards is ignored. After any jump,
        nothing is free too early, and no wait is longer than announced. (All processes of a machine share the
        monotonic clock, which restarts at boot.)
        """
        passed = min(
            (seconds for seconds in (wall - self.wall, monotonic - self.monotonic) if seconds >= 0),
            default=0.0,
        )
        return replace(self, at=_make_instant(self.at + passed), wall=wall, monotonic=monotonic)


def acquire(pace: ResourcePace, limit: Limit, ticket: str) -> tuple[ResourcePace, Permit]:
    """Return the new state of the resource, and the ticket's permit or its wait."""
    queued = next((queued for queued in pace.tickets if queued.ticket == ticket), QueuedTicket(ticket))
    if queued.began is not None:
        pace, queued = _repeat_request(pace, limit, queued)
    paid = queued.paid == pace.day
    if not paid and _is_spent(pace, limit):
        return _drop_expired(pace, limit, ticket), Permit(False, _count_seconds_to_midnight(pace), spent=True)
    ahead = _list_ahead(pace, ticket)
    if _can_start(pace, limit, ahead):
        begun = replace(queued, began=pace.at, paid=pace.day)
        pace = replace(pace, free_at=_make_instant(pace.at + limit.interval_s), used=pace.used + (not paid))
        return _with(_drop_expired(pace, limit), begun), Permit(True)
    wait = _wait(pace, limit, ahead)
    return _with(_drop_expired(pace, limit), replace(queued, due=_make_instant(pace.at + wait))), Permit(
        False, wait
    )


def release(pace: ResourcePace, limit: Limit, ticket: str, after_s: float = 0.0) -> ResourcePace:
    """Return the resource after a request: the interval begins now.

    A ticket that is not running stays in the queue.
    """
    tickets = tuple(queued for queued in pace.tickets if queued.ticket != ticket or queued.began is None)
    return replace(
        pace,
        free_at=max(pace.free_at, _make_instant(pace.at + max(limit.interval_s, after_s))),
        tickets=tickets,
    )


def describe_status(pace: ResourcePace, limit: Limit) -> LimiterStatus:
    """Return the status of the resource for a new ticket."""
    ahead = _list_ahead(pace, "")
    if _is_spent(pace, limit):
        return LimiterStatus(_count_seconds_to_midnight(pace), pace.used)
    return LimiterStatus(0.0 if _can_start(pace, limit, ahead) else _wait(pace, limit, ahead), pace.used)


def _repeat_request(
    pace: ResourcePace, limit: Limit, queued: QueuedTicket
) -> tuple[ResourcePace, QueuedTicket]:
    # A running ticket that asks again belongs to a process that died and restarted. Its request may have been
    # sent this very moment, so it ends now, the interval runs, and its count is kept.
    again = replace(queued, began=None, due=pace.at)
    tickets = tuple(again if other is queued else other for other in pace.tickets)
    waits = _make_instant(pace.at + limit.interval_s) if _is_under_way(pace, limit, queued) else pace.free_at
    return replace(pace, free_at=max(pace.free_at, waits), tickets=tickets), again


def _can_start(pace: ResourcePace, limit: Limit, ahead: list[QueuedTicket]) -> bool:
    free = pace.at >= pace.free_at and _count_busy(pace, limit) < limit.parallel
    return free and not any(queued.due <= pace.at for queued in ahead)


def _wait(pace: ResourcePace, limit: Limit, ahead: list[QueuedTicket]) -> float:
    """Return the seconds until the ticket's turn: one interval for each ticket ahead.

    If the resource is busy, the wait is one interval at least.
    """
    busy = limit.interval_s if _count_busy(pace, limit) >= limit.parallel else 0.0
    return max(max(pace.free_at - pace.at, busy) + limit.interval_s * len(ahead), SOON_S)


def _list_ahead(pace: ResourcePace, ticket: str) -> list[QueuedTicket]:
    """Return the tickets before this one; all if it is not in the queue."""
    names = [queued.ticket for queued in pace.tickets]
    until = names.index(ticket) if ticket in names else None
    return [
        queued
        for queued in pace.tickets[:until]
        if queued.began is None and pace.at <= queued.due + PATIENCE_S
    ]


def _count_busy(pace: ResourcePace, limit: Limit) -> int:
    return sum(_is_under_way(pace, limit, queued) for queued in pace.tickets)


def _is_under_way(pace: ResourcePace, limit: Limit, queued: QueuedTicket) -> bool:
    # The interval after its latest end belongs to it: if nobody releases it, that end is unknown.
    return queued.began is not None and pace.at < queued.began + LEASE_S + limit.interval_s


def _drop_expired(pace: ResourcePace, limit: Limit, without: str = "") -> ResourcePace:
    """Return the state without expired tickets. Those counted today stay, to be counted once."""

    def is_relevant(queued: QueuedTicket) -> bool:
        waits = queued.began is None and pace.at <= queued.due + GRACE_S
        return waits or _is_under_way(pace, limit, queued) or queued.paid == pace.day

    return replace(
        pace,
        tickets=tuple(queued for queued in pace.tickets if queued.ticket != without and is_relevant(queued)),
    )


def _with(pace: ResourcePace, queued: QueuedTicket) -> ResourcePace:
    is_known = any(other.ticket == queued.ticket for other in pace.tickets)
    tickets = tuple(queued if other.ticket == queued.ticket else other for other in pace.tickets)
    return replace(pace, tickets=tickets if is_known else (*tickets, queued))


def _is_spent(pace: ResourcePace, limit: Limit) -> bool:
    return limit.per_day is not None and pace.used >= limit.per_day


def _count_seconds_to_midnight(pace: ResourcePace) -> float:
    return DAY_S - pace.wall % DAY_S


def _make_instant(seconds: float) -> float:
    return round(seconds, 6)  # sums of fractions must compare equal
