"""Folders that a corpus watches, and the records of their files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from shisho.domain.corpus import DocumentId, Receipt
from shisho.domain.time import Instant
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A watched folder: changes below `path` are ingested into `corpus`."""

    path: str
    corpus: str
    since: Instant


class FolderState(StrEnum):
    """The state of a watched folder.

    `new`: its first scan since the start is unfinished. `even`: the corpus equals the folder. `trouble`: it
    cannot be watched now. `elsewhere`: another process watches it. `idle`: no process watches it.
    """

    NEW = "new"
    EVEN = "even"
    TROUBLE = "trouble"
    ELSEWHERE = "elsewhere"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """The current status of a watched folder.

    `documents`: how many the corpus has from the folder. `trouble`: why it cannot be watched, else empty.
    `failed`: a few of the files that cannot be ingested.
    """

    path: str
    corpus: str
    since: Instant
    state: FolderState
    documents: int
    trouble: str
    failed: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file as a source, and its stamp: while the stamp is equal, the bytes are equal.

    The stamp is empty if the file is so new that it might change within the same tick of the disk's clock.
    """

    path: Path
    source: str
    stamp: str


@dataclass(frozen=True, slots=True)
class SourceStamp:
    """The stamp of a source's file when its bytes became this document."""

    source: str
    document_id: DocumentId
    stamp: str
