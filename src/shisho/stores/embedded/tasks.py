"""The task store in SQLite."""

from __future__ import annotations

from shisho.ports import Bell, Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.transitions import build_embedded_transactions
from shisho.stores.tasks import StoredTasks


class EmbeddedTasks(StoredTasks):
    """`ports.TaskStore` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock, bell: Bell) -> None:
        super().__init__(build_embedded_transactions(database, clock, bell))
