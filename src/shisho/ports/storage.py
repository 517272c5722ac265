"""The machine and the store: files, watched folders, blobs, the clock, maintenance."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import FileSurvey
    from shisho.domain.folder import FileOnDisk, SourceStamp, WatchedFolder
    from shisho.domain.library import BlobFacts
    from shisho.domain.time import Instant


class Storage(Protocol):
    """The place where everything is stored."""

    async def check_ready(self) -> None:
        """Check that something could be stored now.

        Raises StorageUnusable, or Conflict with the lock's holder.
        """

    async def migrate(self) -> Sequence[str]:
        """Migrate the stored data to this version, as every other method does first.

        Returns the names of the migrations that ran. Raises StorageUnusable for data of a newer version,
        Conflict.
        """

    async def examine(self) -> None:
        """Check all data for damage, which takes a while; later writes report the findings."""

    async def backup(self, target: Path) -> None:
        """Write a consistent copy to one file while others continue to write.

        Raises Conflict if the target exists. If the caller is cancelled, the copy is aborted and deleted.
        """

    async def compact(self) -> tuple[int, int]:
        """Return the space of removed data to the system, and the bytes used before and after.

        It takes a while, and others may have to wait. Raises as `check_ready`.
        """

    async def close(self) -> None:
        """Store pending writes and release all resources. Idempotent."""


class Blobs(Protocol):
    """A store of blobs by name, each complete or absent, shared by all machines that use it.

    A name is a folder, a slash and a file (`originals/2c26…`), of ASCII letters, digits, dots, hyphens and
    underscores. Every method blocks, so call it in a thread.

    Raises: StorageUnusable; Conflict, which can be retried; NotFound for an invalid name.
    """

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Store bytes, replacing an existing blob.

        A durable blob survives a crash; otherwise it may be lost in one.
        """

    def get(self, name: str) -> bytes:
        """Return the bytes. Raises NotFound."""

    def read_facts(self, name: str) -> BlobFacts | None:
        """Return the facts of a blob, or None if there is no such blob."""

    def touch(self, name: str) -> bool:
        """Set the time of storage to now.

        Returns False if the blob does not exist, or if the store cannot keep any time but that of the bytes.
        """

    def list(self, folder: str) -> Sequence[BlobFacts]:
        """List all blobs of a folder."""

    def drop(self, name: str) -> None:
        """Delete a blob; a missing one is no error."""


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> Instant:
        """Return the wall-clock time, for dates. It may jump."""

    def timeline_now(self) -> Instant:
        """Return the time on a timeline that jumps of the wall clock do not move.

        For deadlines, which are only compared with each other. All processes that share a store share one
        timeline.
        """

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""


class Files(Protocol):
    """Files on disk."""

    def survey(self, paths: Iterable[Path]) -> FileSurvey:
        """Return the files below these paths, and what was skipped.

        Raises: InvalidParams for a path that does not exist or, with the system's error as its cause, cannot
        be examined.
        """

    def is_folder(self, path: Path) -> bool:
        """Return True for a folder. Raises InvalidParams for a path that cannot be examined."""

    def look(self, paths: Sequence[Path]) -> Sequence[FileOnDisk]:
        """Return the current state of those files that exist.

        Paths are real, except that the last part may be a link.
        """

    def read(self, path: Path, within: Path | None = None) -> bytes:
        """Return the bytes of a file. `within`: the folder that the path must not leave."""


class FolderRegister(Protocol):
    """The watched folders, and the stamps of the files that were read."""

    async def list_watched(self, owner: str) -> Sequence[WatchedFolder]:
        """Return the watched folders in order of their paths."""

    async def watch(self, path: str, corpus: str, owner: str) -> WatchedFolder:
        """Register a folder; one that is already registered uses this corpus from now on."""

    async def forget(self, path: str, owner: str) -> bool:
        """Forget a folder. Returns False if it was not registered."""

    async def list_stamps(self, corpus: str, owner: str) -> Mapping[str, str]:
        """Return the stamps of sources whose document is still the one that was stamped."""

    async def stamp(self, stamps: Sequence[SourceStamp], corpus: str, owner: str) -> None:
        """Store stamps, except for sources that now have another document."""


class FolderWatcher(Protocol):
    """A source of change notifications. They are hints: the folder itself is the truth."""

    def watch_changes(self, folders: Sequence[Path]) -> AsyncGenerator[frozenset[Path], None]:
        """Yield the folders with changes below them, once the changes have settled.

        Yields an empty set every second otherwise; the first one when watching has started. Ends if one of
        the folders itself appears, disappears or is replaced.
        """


class FollowerTurn(Protocol):
    """A lock that lets one of the processes that share a library follow its folders."""

    def take(self) -> bool:
        """Return True if this process has the lock, from now until `end`."""

    def end(self) -> None:
        """Release the lock."""

    def find_holder(self) -> int | None:
        """Return the id of the process with the lock, if known."""
