"""Erase the remains of a purge after its commit, from the index and the write-ahead log.

The log keeps every old page until it is checkpointed and truncated. The free pages of the database are
given back to the system.
"""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Protocol

import apsw

from shisho.telemetry import log

TRIES = 5
WAIT_MS = 2_000  # for readers and writers, at each attempt
AGAIN_SECONDS = 2.0
# A connection that has read nothing does not know of the WAL, and its checkpoint silently does nothing.
COUNT_SCHEMA = "SELECT count(*) FROM sqlite_schema"
# Release some free pages; writers wait as long. Does nothing in a file that was made without `auto_vacuum`.
RELEASE = "PRAGMA incremental_vacuum(2000)"


class DerivedIndex(Protocol):
    """An index that applies the changes of the shelf."""

    async def catch_up(self) -> None: ...


class Erasure:
    """Erases purged content from index and WAL. Belongs to one event loop."""

    def __init__(self, path: Path, index: DerivedIndex) -> None:
        self._path = path
        self._index = index
        self._retrying: asyncio.Task[None] | None = None

    async def erase(self) -> bool:
        """Erase now; return False if a reader blocks the log.

        The log is then retried until it is empty. It is also emptied when the last process closes the
        database.
        """
        await self._index.catch_up()
        for _ in range(TRIES):
            if await asyncio.to_thread(self._fold):
                return True
        if self._retrying is None or self._retrying.done():
            self._retrying = asyncio.create_task(self._fold_later())
        return False

    async def close(self) -> None:
        if self._retrying is not None:
            self._retrying.cancel()
            await asyncio.wait([self._retrying])

    async def _fold_later(self) -> None:
        emptied = False
        while not emptied:
            await asyncio.sleep(AGAIN_SECONDS)
            emptied = await asyncio.to_thread(self._fold)

    def _fold(self) -> bool:
        try:
            with closing(apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
                connection.set_busy_timeout(WAIT_MS)
                connection.execute(COUNT_SCHEMA).fetchall()
                _release_pages(connection)
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error as error:
            log.debug("the log could not be emptied yet: %r", error)
            return False
        return True


def _release_pages(connection: apsw.Connection) -> None:
    """Shorten the file by its free pages."""
    free = int(connection.pragma("freelist_count"))
    while free:
        connection.execute(RELEASE).fetchall()
        remaining = int(connection.pragma("freelist_count"))
        if remaining >= free:
            return
        free = remaining
