"""The index on a server of its own, if one is configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.ports import MeasuredIndex
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.stores.indexing import IndexFeed


def build_outer_index(settings: Settings, feed: IndexFeed) -> MeasuredIndex:
    """Build the index of the setting over the rows of `feed`. Connects at the first search."""
    from shisho.stores.qdrant.index import QdrantIndex
    from shisho.stores.qdrant.server import QdrantServer

    return QdrantIndex(QdrantServer(settings.text("index"), settings.text("index_key")), feed)
