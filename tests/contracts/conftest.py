"""Every contract test runs against every implementation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shisho.ports import Index, Ledger, SessionLog, Shelf
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.ledger import EmbeddedLedger
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.sessions import EmbeddedSessions
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.memory.ledger import MemoryLedger
from shisho.stores.memory.lexical import MemoryIndex
from shisho.stores.memory.sessions import MemorySessions
from shisho.stores.memory.shelf import MemoryShelf
from shisho.system.clock import SystemClock


@dataclass(frozen=True)
class Store:
    shelf: Shelf
    index: Index
    sessions: SessionLog
    ledger: Ledger
    database: Database | None = None


@pytest.fixture(params=["memory", "embedded"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param == "memory":
        shelf = MemoryShelf()
        yield Store(shelf, MemoryIndex(shelf), MemorySessions(), MemoryLedger())
        return
    database, clock = Database(tmp_path / "shisho.db"), SystemClock()
    index = LexicalIndex(tmp_path / "lexical", database)
    yield Store(EmbeddedShelf(database, clock), index, EmbeddedSessions(database), EmbeddedLedger(database, clock), database)
    await database.close()
