"""Rate limits of resources in a database.

Each request is one transaction in which the clock is read, so the order is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import TypeVar

from shisho.domain.politeness import (
    Limit,
    LimiterStatus,
    Permit,
    QueuedTicket,
    ResourcePace,
    acquire,
    describe_status,
    release,
)
from shisho.domain.time import to_epoch
from shisho.ports import Clock
from shisho.stores.sql import Queries, QueryStore, fetch_first

T = TypeVar("T")

KEPT_DAYS = 7
# Store the pace of a resource.
KEEP = """INSERT INTO paces(resource, at, free_at, wall, monotonic) VALUES (:resource, :at, :free_at, :wall, :monotonic)
    ON CONFLICT (resource) DO UPDATE SET at = excluded.at, free_at = excluded.free_at, wall = excluded.wall,
        monotonic = excluded.monotonic"""
# Store a ticket in the queue of a resource.
PUT_TICKET = """INSERT INTO pace_places(resource, ticket, due, began, paid) VALUES (:resource, :ticket, :due, :began, :paid)
    ON CONFLICT(resource, ticket) DO UPDATE SET due = excluded.due, began = excluded.began, paid = excluded.paid"""
# Store the number of uses of a resource on a day.
COUNT = """INSERT INTO pace_days(day, resource, used) VALUES (:day, :resource, :used)
    ON CONFLICT (day, resource) DO UPDATE SET used = excluded.used"""
# Read the pace of a resource, as input of `_now`.
PACE = "SELECT at, free_at, wall, monotonic FROM paces WHERE resource = :resource"
# Read its queue, in order of requests.
TICKETS = "SELECT ticket, due, began, paid FROM pace_places WHERE resource = :resource ORDER BY seq"
# Read the number of uses on a day.
READ_USE = "SELECT used FROM pace_days WHERE day = :day AND resource = :resource"
# Remove a ticket from its queue.
LEAVE = "DELETE FROM pace_places WHERE resource = :resource AND ticket = :ticket"
# Delete resources without requests since a day; the table is filled in.
OLD = """DELETE FROM {table} WHERE resource IN (SELECT d.resource FROM pace_days d WHERE d.day < :oldest)
    AND resource NOT IN (SELECT d.resource FROM pace_days d WHERE d.day >= :oldest)"""
# Delete old days.
OLD_DAYS = "DELETE FROM pace_days WHERE day < :oldest"


class StoredLimiter:
    """`ports.Limiter` for all processes that share a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def acquire(self, resource: str, limit: Limit, ticket: str) -> Permit:
        return await self._change(resource, lambda pace: acquire(pace, limit, ticket))

    async def release(self, resource: str, limit: Limit, ticket: str, *, after_s: float = 0.0) -> None:
        await self._change(resource, lambda pace: (release(pace, limit, ticket, after_s), None))

    async def read_status(self, limits: Mapping[str, Limit]) -> Mapping[str, LimiterStatus]:
        def read(queries: Queries) -> dict[str, LimiterStatus]:
            return {name: describe_status(self._now(queries, name), limit) for name, limit in limits.items()}

        return await self._store.read(read)

    async def _change(self, resource: str, rule: Callable[[ResourcePace], tuple[ResourcePace, T]]) -> T:
        def write(queries: Queries) -> T:
            queries.hold(f"pace {resource}")
            before = self._now(queries, resource)
            after, outcome = rule(before)
            _keep(queries, resource, before, after)
            return outcome

        return await self._store.write(write)

    def _now(self, queries: Queries, resource: str) -> ResourcePace:
        wall = to_epoch(self._clock.now())
        # The machines' monotonic clocks are not comparable; the shared timeline is.
        monotonic = (
            to_epoch(self._clock.timeline_now()) if self._store.spans_machines else self._clock.monotonic()
        )
        row = fetch_first(queries, PACE, {"resource": resource})
        rows = ResourcePace() if row is None else ResourcePace(row.at, row.free_at, row.wall, row.monotonic)
        line = queries.fetch(TICKETS, {"resource": resource})
        tickets = tuple(QueuedTicket(row.ticket, row.due, row.began, row.paid) for row in line)
        pace = rows.advance(wall, monotonic)
        day = fetch_first(queries, READ_USE, {"day": pace.day, "resource": resource})
        return replace(pace, used=0 if day is None else day.used, tickets=tickets)


def _keep(queries: Queries, resource: str, before: ResourcePace, after: ResourcePace) -> None:
    clocks = {"at": after.at, "wall": after.wall, "monotonic": after.monotonic}
    queries.fetch(KEEP, clocks | {"resource": resource, "free_at": after.free_at})
    earlier = set(before.tickets)
    for queued in after.tickets:
        if queued not in earlier:
            values = {"ticket": queued.ticket, "due": queued.due, "began": queued.began, "paid": queued.paid}
            queries.fetch(PUT_TICKET, values | {"resource": resource})
    for gone in {queued.ticket for queued in before.tickets} - {queued.ticket for queued in after.tickets}:
        queries.fetch(LEAVE, {"resource": resource, "ticket": gone})
    if after.used != before.used:
        queries.fetch(COUNT, {"day": after.day, "resource": resource, "used": after.used})
        if not before.used:
            _forget_old(queries, after.day)


def _forget_old(queries: Queries, day: str) -> None:
    """Delete resources without requests for a week; called once per resource and day."""
    oldest = {"oldest": (date.fromisoformat(day) - timedelta(days=KEPT_DAYS)).isoformat()}
    for table in ("pace_places", "paces"):
        queries.fetch(OLD.format(table=table), oldest)
    queries.fetch(OLD_DAYS, oldest)
