"""Watched folders and the stamps of their files in SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

from shisho.domain.folder import PlaceStamp, WatchedFolder
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all

# List the watched folders of an owner.
WATCHED = "SELECT path, corpus, since FROM watched_folders WHERE owner = ? ORDER BY path"
# Watch a folder, or change the corpus of a watched one.
WATCH = """INSERT INTO watched_folders(owner, path, corpus, since) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET corpus = excluded.corpus"""
# Stop watching a folder.
FORGET = "DELETE FROM watched_folders WHERE owner = ? AND path = ?"
# List the stamps of a corpus, by source.
STAMPS = """SELECT p.source, p.stamp FROM places p JOIN corpora c ON c.id = p.corpus_id
    WHERE c.owner = ? AND c.name = ? AND p.stamp IS NOT NULL"""
# Set the stamp of a source, if it still belongs to this document.
STAMP = """UPDATE places SET stamp = ? WHERE source = ? AND document_id = ?
    AND corpus_id = (SELECT c.id FROM corpora c WHERE c.owner = ? AND c.name = ?)"""


class EmbeddedFolders:
    """`ports.FolderRegister` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def list_watched(self, owner: str) -> Sequence[WatchedFolder]:
        return await self._database.read(lambda connection: _watched(connection, owner))

    async def watch(self, path: str, corpus: str, owner: str) -> WatchedFolder:
        def work(connection: apsw.Connection) -> WatchedFolder:
            connection.execute(WATCH, (owner, path, corpus, self._clock.now()))
            return next(folder for folder in _watched(connection, owner) if folder.path == path)

        return await self._database.write(work)

    async def forget(self, path: str, owner: str) -> bool:
        def work(connection: apsw.Connection) -> bool:
            connection.execute(FORGET, (owner, path))
            return connection.changes() > 0

        return await self._database.write(work)

    async def list_stamps(self, corpus: str, owner: str) -> Mapping[str, str]:
        def work(connection: apsw.Connection) -> dict[str, str]:
            return {row.source: row.stamp for row in fetch_all(connection.execute(STAMPS, (owner, corpus)))}

        return await self._database.read(work)

    async def stamp(self, stamps: Sequence[PlaceStamp], corpus: str, owner: str) -> None:
        values = [(place.stamp, place.source, place.document_id, owner, corpus) for place in stamps]
        await self._database.write(lambda connection: connection.executemany(STAMP, values) and None)


def _watched(connection: apsw.Connection, owner: str) -> list[WatchedFolder]:
    rows = fetch_all(connection.execute(WATCHED, (owner,)))
    return [WatchedFolder(row.path, row.corpus, row.since) for row in rows]
