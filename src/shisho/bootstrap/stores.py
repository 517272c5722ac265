"""The choice of the database that all stores are built over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.bootstrap.sql_stores import LibraryStores, MakeClock
from shisho.errors import ExtraMissing
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.bootstrap.embedder import BuiltEmbedders


def build_stores(
    settings: Settings, embedders: BuiltEmbedders | None, make_clock: MakeClock
) -> LibraryStores:
    """Build the stores without opening anything.

    `make_clock` gets the timeline of the storage, which measures all waiting.
    """
    if settings.read_text("store"):
        try:
            from shisho.bootstrap.postgres_stores import PostgresStores
        except ImportError as error:
            raise ExtraMissing("blobs.extra_missing", setting="store", extra="postgres") from error
        return PostgresStores(settings, embedders, make_clock)
    from shisho.bootstrap.embedded_stores import EmbeddedStores

    return EmbeddedStores(settings, embedders, make_clock)
