"""Let something happen between two reads of the database, wherever a call makes them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import pytest

from shisho.stores.embedded.connect import Database
from shisho.stores.postgres.connect import PostgresDatabase
from tests.machine import PATIENCE

IDLE_SECONDS = 0.2  # between two looks whether a call that waits for news has read anything more
Call = Callable[[], Awaitable[Any]]
_reading: ContextVar[_Reading | None]


class _Reading:
    """What happens after the last of so many reads, before the caller has the reply."""

    def __init__(self, reads: int, change: Call) -> None:
        self.left = reads
        self.change = change
        self.reads = 0
        self.changed = False

    async def count(self) -> None:
        self.reads += 1
        self.left -= 1
        if self.left == 0:
            await self.change()
            self.changed = True


_reading = ContextVar("_reading", default=None)


def count_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the reads of the calls that `change_between` makes."""

    def counted(read: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(database: Any, work: Any) -> Any:
            reply = await read(database, work)
            reading = _reading.get()
            if reading is not None:
                await reading.count()
            return reply

        return call

    monkeypatch.setattr(Database, "read", counted(Database.read))
    monkeypatch.setattr(PostgresDatabase, "read", counted(PostgresDatabase.read))


async def change_between(
    call: Call, reads: int, change: Call, is_waiting: Callable[[], bool] = lambda: False
) -> bool:
    """Make a change after the last of so many reads of a call, and await the call's end; what it raises is
    raised. False, and no change, if it makes fewer reads before it ends or waits for news."""
    reading = _Reading(reads, change)

    async def make() -> Any:
        _reading.set(reading)
        return await call()

    doing = asyncio.create_task(make())
    try:
        async with asyncio.timeout(PATIENCE):
            seen = -1
            while not (reading.changed or doing.done()):
                if reading.left > 0 and is_waiting() and seen == reading.reads:
                    return False
                seen = reading.reads
                await asyncio.wait([doing], timeout=IDLE_SECONDS)
            await doing
        return reading.changed
    finally:
        doing.cancel()
