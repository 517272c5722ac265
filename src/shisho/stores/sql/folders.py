"""Watched folders and the stamps of their files. Each machine watches the folders it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shisho.domain.folder import SourceStamp, WatchedFolder
from shisho.ports import Clock
from shisho.stores.sql import QueryStore

# List the watched folders of an owner.
LIST_WATCHED = "SELECT path, corpus, since FROM watched_folders WHERE owner = :owner ORDER BY path"
# Watch a folder, or change the corpus of a watched one.
WATCH = """INSERT INTO watched_folders(owner, path, corpus, since) VALUES (:owner, :path, :corpus, :now)
    ON CONFLICT /*pg (owner, md5(path)) */ DO UPDATE SET corpus = excluded.corpus RETURNING path, corpus, since"""
# Stop watching a folder.
FORGET = "DELETE FROM watched_folders WHERE owner = :owner AND path = :path"
# List the stamps of a corpus, by source.
STAMPS = """SELECT p.source, p.stamp FROM places p JOIN corpora c ON c.id = p.corpus_id
    WHERE c.owner = :owner AND c.name = :corpus AND p.stamp IS NOT NULL"""
# Set the stamp of a source, if it still belongs to this document.
STAMP = """UPDATE places SET stamp = :stamp
    WHERE corpus_id = (SELECT c.id FROM corpora c WHERE c.owner = :owner AND c.name = :corpus)
    /*pg AND md5(source) = md5(:source) */ AND source = :source AND document_id = :document_id"""


class StoredFolders:
    """`ports.FolderRegister` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def list_watched(self, owner: str) -> Sequence[WatchedFolder]:
        rows = await self._store.read(lambda queries: queries.fetch(LIST_WATCHED, {"owner": owner}))
        return [WatchedFolder(*row) for row in rows]

    async def watch(self, path: str, corpus: str, owner: str) -> WatchedFolder:
        values = {"owner": owner, "path": path, "corpus": corpus, "now": self._clock.now()}
        (row,) = await self._store.write(lambda queries: queries.fetch(WATCH, values))
        return WatchedFolder(*row)

    async def forget(self, path: str, owner: str) -> bool:
        values = {"owner": owner, "path": path}
        return await self._store.write(lambda queries: queries.change(FORGET, values)) > 0

    async def list_stamps(self, corpus: str, owner: str) -> Mapping[str, str]:
        values = {"owner": owner, "corpus": corpus}
        rows = await self._store.read(lambda queries: queries.fetch(STAMPS, values))
        return {row.source: row.stamp for row in rows}

    async def stamp(self, stamps: Sequence[SourceStamp], corpus: str, owner: str) -> None:
        values = [
            {
                "stamp": place.stamp,
                "source": place.source,
                "document_id": place.document_id,
                "owner": owner,
                "corpus": corpus,
            }
            for place in stamps
        ]
        await self._store.write(lambda queries: queries.change_each(STAMP, values))
