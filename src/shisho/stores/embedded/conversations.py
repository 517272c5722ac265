"""Conversations in SQLite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from shisho.ports import Clock
from shisho.stores.conversations import StoredConversations
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.queries import EmbeddedQueryStore


class EmbeddedConversations(StoredConversations):
    """`ports.Conversations` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock, erase: Callable[[], Awaitable[bool]]) -> None:
        super().__init__(EmbeddedQueryStore(database), clock, erase)
