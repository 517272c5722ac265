"""Sessions of assistants in SQLite."""

from __future__ import annotations

from collections.abc import Callable

from shisho.ports import Clock
from shisho.stores.assistants import StoredAssistants
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.queries import EmbeddedQueryStore


class EmbeddedAssistants(StoredAssistants):
    """`ports.SessionBook` for all processes that share one SQLite file."""

    def __init__(self, database: Database, clock: Clock, site: Callable[[str], str]) -> None:
        super().__init__(EmbeddedQueryStore(database), clock, site)
