"""A process that asks one resource for leave as fast as it may, and says with which ticket, and when its
requests ran."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from shisho.domain.politeness import Limit
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.sql.limiter import StoredLimiter
from shisho.system.clock import SystemClock


class Morning:
    """The machine's monotonic clock, on a day that no test outlasts."""

    def now(self) -> str:
        return (datetime(2026, 7, 1, tzinfo=UTC) + timedelta(seconds=self.monotonic() % 3600)).isoformat()

    def timeline_now(self) -> str:
        return self.now()

    def monotonic(self) -> float:
        return time.monotonic()


async def waiter(limiter: StoredLimiter, limit: Limit, name: str, seconds: float) -> None:
    """Page after page, each up to so many seconds, until the day is spent."""
    for page in range(1_000):
        ticket = f"{name} {page}"
        while not (leave := await limiter.acquire("engine:mojeek", limit, ticket)).granted:
            if leave.spent:
                return
            await asyncio.sleep(leave.wait_s)
        began = time.monotonic()
        print(json.dumps(ticket), flush=True)
        await asyncio.sleep(random.uniform(seconds / 2, seconds))
        print(json.dumps([began, time.monotonic()]), flush=True)
        await limiter.release("engine:mojeek", limit, ticket)


async def main(path: str, name: str, interval: str, parallel: str, per_day: str, seconds: str) -> None:
    limit = Limit(float(interval), int(parallel), int(per_day))
    database: Database | PostgresDatabase
    limiter: StoredLimiter
    if path.startswith("postgresql:"):
        database = PostgresDatabase(path)
        limiter = StoredLimiter(PostgresQueryStore(database), SystemClock(database.read_timeline))
    else:
        database = Database(Path(path))
        limiter = StoredLimiter(EmbeddedQueryStore(database), Morning())
    await asyncio.gather(*(waiter(limiter, limit, f"{name}{number}", float(seconds)) for number in range(3)))
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
