"""The choice of the database that all stores are built over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.bootstrap.store_parts import LibraryStores, MakeClock
from shisho.settings import Settings

if TYPE_CHECKING:
    from shisho.bootstrap.embedder import BuiltEmbedders


def build_stores(
    settings: Settings, embedders: BuiltEmbedders | None, make_clock: MakeClock
) -> LibraryStores:
    """Nothing is opened. `make_clock` is given the time line of the storage, by which all waiting is measured."""
    from shisho.bootstrap.embedded_stores import build_embedded_stores

    return build_embedded_stores(settings, embedders, make_clock)
