"""The pace of resources in SQLite. Each question is one transaction, and the clock is read inside it: order
is one for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import TypeVar

import apsw

from shisho.domain.pace import QueuePlace, ResourcePace, acquire, release, status
from shisho.domain.politeness import Limit, LimiterStatus, Permit
from shisho.domain.time import to_epoch
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import every, first

T = TypeVar("T")

KEPT_DAYS = 7
# The pace of a resource.
KEEP = """INSERT INTO paces(resource, at, free_at, wall, monotonic) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET at = excluded.at, free_at = excluded.free_at, wall = excluded.wall,
        monotonic = excluded.monotonic"""
# A place in the line of a resource.
PLACE = """INSERT INTO pace_places(resource, ticket, due, began, paid) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT(resource, ticket) DO UPDATE SET due = excluded.due, began = excluded.began, paid = excluded.paid"""
# How often a resource was used on a day.
COUNT = """INSERT INTO pace_days(day, resource, used) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET used = excluded.used"""
# What `_now` reads: the pace of a resource.
PACE = "SELECT at, free_at, wall, monotonic FROM paces WHERE resource = ?"
# Its line, in order of asking.
PLACES = "SELECT ticket, due, began, paid FROM pace_places WHERE resource = ? ORDER BY seq"
# How often it was used on a day.
USED = "SELECT used FROM pace_days WHERE day = ? AND resource = ?"
# A place in its line is given up.
LEAVE = "DELETE FROM pace_places WHERE resource = ? AND ticket = ?"
# Resources that nobody has asked since a day; the table is filled in.
OLD = """DELETE FROM {table} WHERE resource IN (SELECT d.resource FROM pace_days d WHERE d.day < :oldest)
    AND resource NOT IN (SELECT d.resource FROM pace_days d WHERE d.day >= :oldest)"""
# Days that nobody asks for any more.
OLD_DAYS = "DELETE FROM pace_days WHERE day < :oldest"


class EmbeddedLimiter:
    """`ports.Limiter` for all processes that share one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def acquire(self, resource: str, limit: Limit, ticket: str) -> Permit:
        return await self._change(resource, lambda pace: acquire(pace, limit, ticket))

    async def release(self, resource: str, limit: Limit, ticket: str, *, after_s: float = 0.0) -> None:
        await self._change(resource, lambda pace: (release(pace, limit, ticket, after_s), None))

    async def status(self, limits: Mapping[str, Limit]) -> Mapping[str, LimiterStatus]:
        def work(connection: apsw.Connection) -> dict[str, LimiterStatus]:
            return {name: status(self._now(connection, name), limit) for name, limit in limits.items()}

        return await self._database.read(work)

    async def _change(self, resource: str, rule: Callable[[ResourcePace], tuple[ResourcePace, T]]) -> T:
        def work(connection: apsw.Connection) -> T:
            before = self._now(connection, resource)
            after, outcome = rule(before)
            _keep(connection, resource, before, after)
            return outcome

        return await self._database.write(work)

    def _now(self, connection: apsw.Connection, resource: str) -> ResourcePace:
        wall = to_epoch(self._clock.now())
        monotonic = self._clock.monotonic()
        row = first(connection.execute(PACE, (resource,)))
        rows = ResourcePace() if row is None else ResourcePace(row.at, row.free_at, row.wall, row.monotonic)
        line = every(connection.execute(PLACES, (resource,)))
        places = tuple(QueuePlace(place.ticket, place.due, place.began, place.paid) for place in line)
        pace = rows.advance(wall, monotonic)
        used = connection.execute(USED, (pace.day, resource)).get
        return replace(pace, used=used or 0, places=places)


def _keep(connection: apsw.Connection, resource: str, before: ResourcePace, after: ResourcePace) -> None:
    connection.execute(KEEP, (resource, after.at, after.free_at, after.wall, after.monotonic))
    places = set(before.places)
    for place in after.places:
        if place not in places:
            connection.execute(PLACE, (resource, place.ticket, place.due, place.began, place.paid))
    for gone in {place.ticket for place in before.places} - {place.ticket for place in after.places}:
        connection.execute(LEAVE, (resource, gone))
    if after.used != before.used:
        connection.execute(COUNT, (after.day, resource, after.used))
        if not before.used:
            _forget_old(connection, after.day)


def _forget_old(connection: apsw.Connection, day: str) -> None:
    """Resources that nobody has asked for a week; once for each resource and day."""
    oldest = {"oldest": (date.fromisoformat(day) - timedelta(days=KEPT_DAYS)).isoformat()}
    for table in ("pace_places", "paces"):
        connection.execute(OLD.format(table=table), oldest)
    connection.execute(OLD_DAYS, oldest)
