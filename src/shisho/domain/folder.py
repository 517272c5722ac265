"""Folders that a corpus follows, and what is kept of the files in them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shisho.domain.corpus import DocumentId, Receipt
from shisho.domain.time import Instant


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder that the library remembers: what changes below `path` is taken into `corpus`."""

    path: str
    corpus: str
    since: Instant


class FolderState(StrEnum):
    """How a followed folder stands. `new`: not yet looked at to the end since the start; `even`: the corpus
    holds what it holds; `trouble`: it cannot be followed now; `elsewhere`: another process follows it;
    `idle`: none does."""

    NEW = "new"
    EVEN = "even"
    TROUBLE = "trouble"
    ELSEWHERE = "elsewhere"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """A folder that is followed, as of now. `documents`: how many the corpus has from there; `trouble`: why
    it cannot be followed, else empty; `failed`: files there that cannot be taken in as they are, a few of
    them."""

    path: str
    corpus: str
    since: Instant
    state: FolderState
    documents: int
    trouble: str
    failed: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file as a source, and its stamp: as long as that is the same, so are its bytes. The stamp is empty
    where the file is so new that it might change within the same tick of the disk's clock."""

    path: Path
    source: str
    stamp: str


@dataclass(frozen=True, slots=True)
class PlaceStamp:
    """The stamp that the file of a source had when its bytes were this document."""

    source: str
    document_id: DocumentId
    stamp: str
