"""The index that stands on a server of its own, where one is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.ports import MeasuredIndex
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.stores.index_feed import IndexFeed


def build_outer_index(settings: Settings, feed: IndexFeed) -> MeasuredIndex:
    """The index of the setting, over what `feed` says is true. Nothing is asked of the server before the
    first search."""
    from shisho.stores.qdrant.index import QdrantIndex
    from shisho.stores.qdrant.server import QdrantServer

    return QdrantIndex(QdrantServer(settings.text("index"), settings.text("index_key")), feed)
