"""Transactions of the queue in SQLite."""

from __future__ import annotations

from shisho.ports import Bell, Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.queries import EmbeddedQueryStore
from shisho.stores.transitions import Transactions


def build_embedded_transactions(database: Database, clock: Clock, bell: Bell) -> Transactions:
    """Return the transactions of a queue over one SQLite file."""
    return Transactions(EmbeddedQueryStore(database), clock, bell)
