"""Stores in temporary files, for tests of what stands on a store."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from shisho.ports import Clock
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.sql.cache import StoredCache
from shisho.stores.sql.ledger import StoredLedger
from shisho.stores.sql.limiter import StoredLimiter
from shisho.stores.sql.quotas import StoredQuotas
from shisho.system.clock import SystemClock

_opened: list[tuple[Database, TemporaryDirectory[str]]] = []


def temporary_database() -> Database:
    """Open a new database; the fixture `temporary_stores` closes and removes it after the test."""
    folder = TemporaryDirectory()
    database = Database(Path(folder.name) / "shisho.db")
    _opened.append((database, folder))
    return database


async def close_databases() -> None:
    while _opened:
        database, folder = _opened.pop()
        await database.close()
        folder.cleanup()


def new_ledger() -> StoredLedger:
    return StoredLedger(EmbeddedQueryStore(temporary_database()), SystemClock())


def new_cache(clock: Clock) -> StoredCache:
    return StoredCache(EmbeddedQueryStore(temporary_database()), clock)


def new_limiter(clock: Clock) -> StoredLimiter:
    return StoredLimiter(EmbeddedQueryStore(temporary_database()), clock)


def new_quotas(clock: Clock) -> StoredQuotas:
    return StoredQuotas(EmbeddedQueryStore(temporary_database()), clock)
