"""Watched folders and the stamps of their files in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.folder import PlaceStamp, WatchedFolder
from shisho.ports import Clock
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_all

# List the watched folders of an owner.
WATCHED = "SELECT path, corpus, since FROM watched_folders WHERE owner = %s ORDER BY path"
# Watch a folder, or change the corpus of a watched one.
WATCH = """INSERT INTO watched_folders(owner, path, corpus, since) VALUES (%s, %s, %s, %s)
    ON CONFLICT (owner, md5(path)) DO UPDATE SET corpus = excluded.corpus RETURNING path, corpus, since"""
# Stop watching a folder.
FORGET = "DELETE FROM watched_folders WHERE owner = %s AND path = %s"
# List the stamps of a corpus, by source.
STAMPS = """SELECT p.source, p.stamp FROM places p JOIN corpora c ON c.id = p.corpus_id
    WHERE c.owner = %s AND c.name = %s AND p.stamp IS NOT NULL"""
# Set the stamp of a source, if it still belongs to this document.
STAMP = """UPDATE places SET stamp = %(stamp)s
    WHERE corpus_id = (SELECT c.id FROM corpora c WHERE c.owner = %(owner)s AND c.name = %(corpus)s)
    AND md5(source) = md5(%(source)s) AND source = %(source)s AND document_id = %(document_id)s"""


class PostgresFolders:
    """`ports.FolderRegister` over PostgreSQL. Each machine watches the folders it has."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def list_watched(self, owner: str) -> Sequence[WatchedFolder]:
        rows = await self._database.read(lambda connection: fetch_all(connection, WATCHED, (owner,)))
        return [WatchedFolder(*row) for row in rows]

    async def watch(self, path: str, corpus: str, owner: str) -> WatchedFolder:
        values = (owner, path, corpus, self._clock.now())
        (row,) = await self._database.write(lambda connection: fetch_all(connection, WATCH, values))
        return WatchedFolder(*row)

    async def forget(self, path: str, owner: str) -> bool:
        return await self._database.write(lambda connection: change(connection, FORGET, (owner, path))) > 0

    async def list_stamps(self, corpus: str, owner: str) -> Mapping[str, str]:
        rows = await self._database.read(lambda connection: fetch_all(connection, STAMPS, (owner, corpus)))
        return {row.source: row.stamp for row in rows}

    async def stamp(self, stamps: Sequence[PlaceStamp], corpus: str, owner: str) -> None:
        where = {"owner": owner, "corpus": corpus}

        def work(connection: Connection) -> None:
            for place in stamps:
                what = {"stamp": place.stamp, "source": place.source, "document_id": place.document_id}
                change(connection, STAMP, where | what)

        await self._database.write(work)
