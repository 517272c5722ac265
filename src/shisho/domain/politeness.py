"""How often something may be asked, and how it has answered: limits, breakers, and what is remembered of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Limit:
    """The pace of one resource: seconds from the end of a request to the next one, requests under way together, requests in
    a day (UTC; None: as many as there is time for)."""

    interval_s: float
    parallel: int = 1
    per_day: int | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """Whether one request may be sent now. If not, `wait_s` is when to ask again; `spent`: not before the next day."""

    granted: bool
    wait_s: float = 0.0
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Of a resource: seconds until a newcomer's turn, and how many requests it had today."""

    free_in_s: float = 0.0
    used_today: int = 0


class BreakerState(StrEnum):
    """`open`: not to be asked. `half_open`: its time is over, and one request may try."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Outcome(StrEnum):
    """How an engine has answered one request."""

    SUCCESS = "success"
    FAILURE = "failure"
    CHALLENGE = "challenge"


@dataclass(frozen=True, slots=True)
class EngineHealth:
    """What is remembered of an engine. `failures` are those in a row; `openings` count breaks in a row, `open_until` ends the
    latest. Rates are over its latest requests; latency in seconds."""

    engine: str
    breaker: BreakerState = BreakerState.CLOSED
    failures: int = 0
    openings: int = 0
    open_until: str | None = None
    success_rate: float | None = None
    challenge_rate: float | None = None
    median_latency_s: float | None = None
    last_error: str = ""
    last_error_at: str | None = None


@dataclass(frozen=True, slots=True)
class Cached:
    """Something kept for a while: JSON-ready, and whether it is only a part of what was asked for."""

    value: Any
    partial: bool
    stored_at: str


@dataclass(frozen=True, slots=True)
class PageMemory:
    """What is remembered of a fetched page: the document it became, and what its server wants to be asked with again."""

    document_id: str
    fetched_at: str
    etag: str = ""
    last_modified: str = ""
