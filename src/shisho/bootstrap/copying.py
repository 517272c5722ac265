"""A library brought from one place to another: `shisho copy`."""

from __future__ import annotations

from pathlib import Path

from shisho.bootstrap.blobs import build_blobs
from shisho.errors import ExtraMissing
from shisho.settings import Settings


async def restore_archive(settings: Settings, source: Path, store: str) -> None:
    """Fill an empty PostgreSQL database, and the place of its files, with what a backup of one holds. Raises Conflict,
    InvalidParams, StorageUnusable."""
    try:
        from shisho.stores.postgres.connect import PostgresDatabase
        from shisho.stores.postgres.storage import PostgresStorage
    except ImportError as error:
        raise ExtraMissing('The setting "store" needs an extra: pip install "shisho[postgres]"') from error

    storage = PostgresStorage(PostgresDatabase(store), build_blobs(settings))
    try:
        await storage.restore(source)
    finally:
        await storage.close()
