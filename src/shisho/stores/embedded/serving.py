"""Which embedder's vectors searches use: those of the one that is set; while it has not been through all
passages, those of the one before. Each has its index in a folder of its own, and only the one that serves is
read."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from shisho.domain.embedding import EmbedderAbout
from shisho.domain.index_damage import IndexDamage
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.serving import choose_serving

if TYPE_CHECKING:
    from shisho.stores.embedded.dense import DenseIndex  # it needs numpy, a list of documents does not

# Embedders whose vectors may serve, those that have come furthest first; whether each has vectors, and is
# through with all.
CANDIDATES = """SELECT m.name, m.choice, m.seen >= (SELECT coalesce(max(seq), 0) FROM changes) AS is_whole,
        EXISTS (SELECT 1 FROM embeddings e WHERE e.embedder_id = m.id) AS has_vectors
    FROM embedders m WHERE m.name NOT LIKE 'retired %' ORDER BY m.seen DESC, m.id DESC"""


class ServingIndex:
    """The index of vectors that searches use, as `DenseIndex` is one."""

    def __init__(
        self,
        root: Path,
        database: Database,
        about: EmbedderAbout,
        is_usable: Callable[[EmbedderAbout], bool] = lambda about: False,
    ) -> None:
        """`root`: the folder of all their folders. `is_usable`: whether queries can still get vectors of an
        earlier embedder."""
        self._root = root
        self._database = database
        self._about = about
        self._is_usable = is_usable
        self._indexes: dict[str, DenseIndex] = {}

    def find(self, connection: apsw.Connection) -> tuple[EmbedderAbout | None, DenseIndex]:
        """The embedder that serves, None where no passage has a vector of it, and its index."""
        about, has_vectors = self._chosen(connection)
        return (about if has_vectors else None), self._index_of(about)

    def begin_anew(self) -> None:
        """Delete all of them, so that what serves is made anew at the next use."""
        self._indexes = {}
        shutil.rmtree(self._root, ignore_errors=True)

    def catch_up(self) -> None:
        """As of a `DenseIndex`. What earlier embedders left behind is removed."""
        _, index = self._database.snapshot(self.find)
        index.catch_up()
        for folder in self._database.snapshot(self._left_behind):
            shutil.rmtree(folder, ignore_errors=True)

    def examine(self) -> IndexDamage | None:
        """As of a `DenseIndex`."""
        _, index = self._database.snapshot(self.find)
        return index.examine()

    def _chosen(self, connection: apsw.Connection) -> tuple[EmbedderAbout, bool]:
        return choose_embedder(connection, self._about, self._is_usable)

    def _index_of(self, about: EmbedderAbout) -> DenseIndex:
        from shisho.stores.embedded.dense import DenseIndex

        if about.name not in self._indexes:
            self._indexes = {about.name: DenseIndex(self._root / folder_name(about), self._database, about)}
        return self._indexes[about.name]

    def _left_behind(self, connection: apsw.Connection) -> list[Path]:
        """Folders of embedders that are no more."""
        names = [row.name for row in rows.fetch_all(connection.execute(CANDIDATES))]
        folder_names = {folder_name(EmbedderAbout(name)) for name in (*names, self._about.name)}
        folders = self._root.iterdir() if self._root.is_dir() else ()
        return [folder for folder in folders if folder.name not in folder_names and folder.is_dir()]


def choose_embedder(
    connection: apsw.Connection, about: EmbedderAbout, is_usable: Callable[[EmbedderAbout], bool]
) -> tuple[EmbedderAbout, bool]:
    """As `choose_serving`."""
    return choose_serving(rows.fetch_all(connection.execute(CANDIDATES)), about, is_usable)


def folder_name(about: EmbedderAbout) -> str:
    """Name the folder of an embedder's index."""
    return hashlib.sha256(about.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
