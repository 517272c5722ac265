"""Where temporary files of tests are, and stores in such files."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

from shisho.ports import Clock
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.sql.cache import StoredCache
from shisho.stores.sql.ledger import StoredLedger
from shisho.stores.sql.limiter import StoredLimiter
from shisho.stores.sql.quotas import StoredQuotas
from shisho.system.clock import SystemClock

MEMORY = Path("/dev/shm")
ROOM_BYTES = 4 << 30  # several times what the tests that run at once need
_opened: list[tuple[Database, TemporaryDirectory[str]]] = []


def keep_temporary_files_in_memory() -> None:
    """Let this process and its children make temporary files in memory, where it has room and lets programs
    run: each test of a store waits for the disk after every commit."""
    if sys.platform != "linux" or "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    if shutil.disk_usage(MEMORY).free > ROOM_BYTES and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


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
