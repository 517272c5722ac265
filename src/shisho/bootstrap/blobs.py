"""The store of added files, as configured by the setting `blobs`."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.library import BlobFacts
from shisho.errors import ExtraMissing
from shisho.ports import Blobs
from shisho.settings import Settings, expand_user
from shisho.stores.blob_folder import FolderBlobs
from shisho.stores.originals import ORIGINALS
from shisho.stores.staging import FOLDER as STAGING


def build_blobs(settings: Settings) -> Blobs:
    """Build the store of added files without connecting to it.

    The first use raises ExtraMissing if its package is not installed.
    """
    place = settings.read_text("blobs")
    if "://" in place:
        return _connect_objects(place)
    return FolderBlobs(expand_user(place) if place else settings.home)


def list_left_out(settings: Settings) -> Sequence[BlobFacts]:
    """Return the added files that backups omit; none for PostgreSQL, whose backups have them."""
    if settings.read_text("store"):
        return ()
    blobs = build_blobs(settings)
    return [*blobs.list(ORIGINALS), *blobs.list(STAGING)]


def _connect_objects(address: str) -> Blobs:
    try:
        from shisho.stores.blob_objects import connect_objects
    except ImportError as error:
        raise ExtraMissing("blobs.extra_missing", setting="blobs", extra="blobs") from error
    return connect_objects(address)
