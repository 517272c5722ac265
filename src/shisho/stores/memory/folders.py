"""Remembered folders that are forgotten with the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.folder import PlaceStamp, WatchedFolder
from shisho.ports import Clock, Shelf


class MemoryFolders:
    """`ports.FolderRegister` in dictionaries, beside a shelf."""

    def __init__(self, shelf: Shelf, clock: Clock) -> None:
        self._shelf = shelf
        self._clock = clock
        self._watched: dict[tuple[str, str], WatchedFolder] = {}
        self._stamps: dict[tuple[str, str, str], PlaceStamp] = {}

    async def list_watched(self, owner: str) -> Sequence[WatchedFolder]:
        return [folder for (whose, _), folder in sorted(self._watched.items()) if whose == owner]

    async def watch(self, path: str, corpus: str, owner: str) -> WatchedFolder:
        known = self._watched.get((owner, path))
        since = self._clock.now() if known is None else known.since
        self._watched[owner, path] = WatchedFolder(path, corpus, since)
        return self._watched[owner, path]

    async def forget(self, path: str, owner: str) -> bool:
        return self._watched.pop((owner, path), None) is not None

    async def list_stamps(self, corpus: str, owner: str) -> Mapping[str, str]:
        places = await self._shelf.list_places(corpus, owner)
        kept = [place for (whose, name, _), place in self._stamps.items() if (whose, name) == (owner, corpus)]
        return {place.source: place.stamp for place in kept if places.get(place.source) == place.document_id}

    async def stamp(self, stamps: Sequence[PlaceStamp], corpus: str, owner: str) -> None:
        for place in stamps:
            self._stamps[owner, corpus, place.source] = place
