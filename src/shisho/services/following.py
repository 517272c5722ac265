"""Following of the watched folders: changes are added as soon as they have settled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Protocol

from shisho.domain.corpus import Receipt
from shisho.domain.folder import WatchedFolder
from shisho.errors import ShishoError, StorageUnusable
from shisho.ports import FolderWatcher, FollowerTurn
from shisho.services.callbacks import Notify
from shisho.services.news import FileTakenIn, FolderFailed, FolderUpToDate

TURN_S = 5.0  # between two attempts to get the lock
IDLE_S = 2.0  # between two checks for watched folders
# Interval of a full check without notifications: network shares send none, and notifications may be lost.
LOOK_S = 300.0


class FollowedFolders(Protocol):
    """The watched folders of a library, with a method to sync one."""

    async def list(self) -> Sequence[WatchedFolder]: ...

    def sync(self, folder: Path | str, corpus: str, *, notify: Notify) -> AsyncGenerator[Receipt, None]: ...


class FolderFollower:
    """A follower that keeps the library in sync with the watched folders while `follow` runs."""

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
        """Follow until it is cancelled; `Folders.follow` documents the notifications."""
        try:
            while True:
                if not self._turn.take():
                    await asyncio.sleep(TURN_S)
                    continue
                folders = {folder.path: folder for folder in await self._folders.list()}
                if folders:
                    await self._follow(folders, notify)
                else:
                    await asyncio.sleep(IDLE_S)
        finally:
            self._turn.end()

    async def _follow(self, folders: Mapping[str, WatchedFolder], notify: Notify) -> None:
        """Follow these folders until the set or one of the folders themselves changes."""
        due = set(folders)  # changes while no process followed
        looked = self._seconds()
        async with aclosing(self._watcher.watch_changes([Path(path) for path in folders])) as batches:
            async for changed in batches:
                due |= {str(path) for path in changed}
                if self._seconds() - looked > LOOK_S:
                    looked = self._seconds()
                    due = set(folders)
                due = {path for path in sorted(due) if not await self._bring_up(folders[path], notify)}
                if {folder.path: folder for folder in await self._folders.list()} != folders:
                    return

    async def _bring_up(self, folder: WatchedFolder, notify: Notify) -> bool:
        """Sync one folder. Returns False if a retry makes sense."""
        try:
            async with aclosing(self._folders.sync(folder.path, folder.corpus, notify=notify)) as receipts:
                async for receipt in receipts:
                    notify(FileTakenIn(receipt))
        except StorageUnusable:  # affects all folders, not one
            raise
        except ShishoError as error:
            if self._troubles.get(folder.path) != error.message:
                self._troubles[folder.path] = error.message
                notify(FolderFailed(folder, error))
            return not error.retry
        self._troubles.pop(folder.path, None)
        notify(FolderUpToDate(folder))
        return True
