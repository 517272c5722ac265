"""Pages that wait for a person's action, in SQLite."""

from __future__ import annotations

from shisho.ports import Bell, Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.transitions import build_embedded_transactions
from shisho.stores.interventions import StoredInterventions


class EmbeddedInterventions(StoredInterventions):
    """`ports.Interventions` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock, bell: Bell) -> None:
        super().__init__(build_embedded_transactions(database, clock, bell))
