"""Watched folders: the register and the notifications of changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.folder import PlaceStamp, WatchedFolder


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

    async def stamp(self, stamps: Sequence[PlaceStamp], corpus: str, owner: str) -> None:
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

    def holder(self) -> int | None:
        """Return the id of the process with the lock, if known."""
