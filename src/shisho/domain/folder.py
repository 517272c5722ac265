"""Folders that a corpus follows, and what is kept of the files in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shisho.domain.corpus import DocumentId
from shisho.domain.time import Instant


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder that the library remembers: what changes below `path` is taken into `corpus`."""

    path: str
    corpus: str
    since: Instant


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file as a source, and its stamp: as long as that is the same, so are its bytes. The stamp is empty where
    the file is so new that it might change within the same tick of the disk's clock."""

    path: Path
    source: str
    stamp: str


@dataclass(frozen=True, slots=True)
class PlaceStamp:
    """The stamp that the file of a source had when its bytes were this document."""

    source: str
    document_id: DocumentId
    stamp: str
