"""Follow the folders that are remembered: what happens in them is taken in as soon as it has come to rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Protocol

from shisho.desk.callbacks import Notify
from shisho.desk.news import FileTakenIn, FolderFailed, FolderUpToDate
from shisho.domain.corpus import Receipt
from shisho.domain.folder import WatchedFolder
from shisho.errors import ShishoError, StorageUnusable
from shisho.ports import FolderWatcher, FollowerTurn

TURN_S = 5.0  # between two tries to become the one that follows
IDLE_S = 2.0  # between two looks whether there is a folder to follow
# Until a folder is looked at though nothing was told of it: a share of another machine tells nothing, and
# what is told may be lost.
LOOK_S = 300.0


class FollowedFolders(Protocol):
    """The folders of a library that are remembered, and how one of them is brought up to date."""

    async def list_watched(self) -> Sequence[WatchedFolder]: ...

    def sync(self, folder: Path | str, corpus: str, *, notify: Notify) -> AsyncGenerator[Receipt, None]: ...


class FolderFollower:
    """Keeps the library equal to the folders that are remembered, as long as `follow` runs."""

    def __init__(
        self,
        folders: FollowedFolders,
        watcher: FolderWatcher,
        turn: FollowerTurn,
        seconds: Callable[[], float],
    ) -> None:
        self._folders = folders
        self._watcher = watcher
        self._turn = turn
        self._seconds = seconds
        self._troubles: dict[str, str] = {}

    async def follow(self, notify: Notify) -> None:
        """Until it is cancelled; what is told stands at `FolderDesk.follow`."""
        try:
            while True:
                if not self._turn.take():
                    await asyncio.sleep(TURN_S)
                    continue
                folders = {folder.path: folder for folder in await self._folders.list_watched()}
                if folders:
                    await self._follow(folders, notify)
                else:
                    await asyncio.sleep(IDLE_S)
        finally:
            self._turn.end()

    async def _follow(self, folders: Mapping[str, WatchedFolder], notify: Notify) -> None:
        """As long as these are what is remembered, and stand where they stood."""
        due = set(folders)  # what happened while nobody followed
        looked = self._seconds()
        async with aclosing(self._watcher.watch_changes([Path(path) for path in folders])) as batches:
            async for changed in batches:
                due |= {str(path) for path in changed}
                if self._seconds() - looked > LOOK_S:
                    looked = self._seconds()
                    due = set(folders)
                due = {path for path in sorted(due) if not await self._bring_up(folders[path], notify)}
                if {folder.path: folder for folder in await self._folders.list_watched()} != folders:
                    return

    async def _bring_up(self, folder: WatchedFolder, notify: Notify) -> bool:
        """False where it is worth trying again by itself."""
        try:
            async with aclosing(self._folders.sync(folder.path, folder.corpus, notify=notify)) as receipts:
                async for receipt in receipts:
                    notify(FileTakenIn(receipt))
        except StorageUnusable:  # of no folder, but of them all
            raise
        except ShishoError as error:
            if self._troubles.get(folder.path) != error.message:
                self._troubles[folder.path] = error.message
                notify(FolderFailed(folder, error))
            return not error.retry
        self._troubles.pop(folder.path, None)
        notify(FolderUpToDate(folder))
        return True
