"""Folders that the library follows: which there are, and what happens in them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.folder import PlaceStamp, WatchedFolder


class FolderRegister(Protocol):
    """The folders that are remembered, and the stamps of the files that were read."""

    async def list_watched(self, owner: str) -> Sequence[WatchedFolder]:
        """In order of their paths."""

    async def watch(self, path: str, corpus: str, owner: str) -> WatchedFolder:
        """Remember a folder; one that is remembered already goes into this corpus from now on."""

    async def forget(self, path: str, owner: str) -> bool:
        """False where it was not remembered."""

    async def list_stamps(self, corpus: str, owner: str) -> Mapping[str, str]:
        """The stamp of every source that stands for the document it was stamped with."""

    async def stamp(self, stamps: Sequence[PlaceStamp], corpus: str, owner: str) -> None:
        """Keep these, but for a source that stands for another document by now."""


class FolderWatcher(Protocol):
    """Tells where something happens. A hint: what it is, the folder itself says."""

    def watch_changes(self, folders: Sequence[Path]) -> AsyncGenerator[frozenset[Path], None]:
        """The folders below which something has happened, once it has come to rest; an empty set every second
        otherwise, the first one when watching has begun. Ends when one of the folders itself has come, gone
        or been put in another's place."""


class FollowerTurn(Protocol):
    """Of all processes that share a library one follows its folders."""

    def take(self) -> bool:
        """True where it is this process's turn, from now to `end`."""

    def end(self) -> None:
        """Let another one follow."""

    def holder(self) -> int | None:
        """The id of the process whose turn it is, as far as it is known."""
