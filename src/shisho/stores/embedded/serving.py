"""Selection of the embedder whose vectors searches use.

It is the configured embedder or, until that has embedded all passages, the previous one. Each has its index
in a separate folder, and only the selected index is read.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from shisho.domain.embedding import EmbedderAbout
from shisho.domain.library import IndexDamage
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.indexing import choose_serving

if TYPE_CHECKING:
    from shisho.stores.embedded.dense import (
        DenseIndex,
    )  # needs numpy, which lists of documents do not

# List the embedders whose vectors can be used, the most complete first, and whether each has vectors and is
# complete.
CANDIDATES = """SELECT m.name, m.choice, m.seen >= (SELECT coalesce(max(seq), 0) FROM changes) AS is_whole,
        EXISTS (SELECT 1 FROM embeddings e WHERE e.embedder_id = m.id) AS has_vectors
    FROM embedders m WHERE m.name NOT LIKE 'retired %' ORDER BY m.seen DESC, m.id DESC"""


class ServingIndex:
    """The vector index that searches use, with the interface of `DenseIndex`."""

    def __init__(
        self,
        root: Path,
        database: Database,
        about: EmbedderAbout,
        is_usable: Callable[[EmbedderAbout], bool] = lambda about: False,
        files_from: int = 0,
    ) -> None:
        """`root` is the parent of the embedders' folders.

        `is_usable` tests whether queries can still be embedded by an earlier embedder.
        `files_from` is that of a `DenseIndex`.
        """
        self._root = root
        self._database = database
        self._about = about
        self._is_usable = is_usable
        self._files_from = files_from
        self._indexes: dict[str, DenseIndex] = {}

    def find(self, connection: apsw.Connection) -> tuple[EmbedderAbout | None, DenseIndex]:
        """Return the embedder to use (None if it has no vectors) and its index."""
        about, has_vectors = self._choose(connection)
        return (about if has_vectors else None), self._index_of(about)

    def delete_all(self) -> None:
        """Delete all indexes; the one in use is rebuilt when it is next used."""
        self._indexes = {}
        shutil.rmtree(self._root, ignore_errors=True)

    def catch_up(self) -> None:
        """Catch up the index in use, and delete the folders of deleted embedders."""
        _, index = self._database.snapshot(self.find)
        index.catch_up()
        for folder in self._database.snapshot(self._list_left_behind):
            shutil.rmtree(folder, ignore_errors=True)

    def examine(self) -> IndexDamage | None:
        """Check the index in use, as `DenseIndex.examine` does."""
        _, index = self._database.snapshot(self.find)
        return index.examine()

    def _choose(self, connection: apsw.Connection) -> tuple[EmbedderAbout, bool]:
        return choose_embedder(connection, self._about, self._is_usable)

    def _index_of(self, about: EmbedderAbout) -> DenseIndex:
        from shisho.stores.embedded.dense import DenseIndex

        if about.name not in self._indexes:
            folder = self._root / folder_name(about)
            self._indexes = {about.name: DenseIndex(folder, self._database, about, self._files_from)}
        return self._indexes[about.name]

    def _list_left_behind(self, connection: apsw.Connection) -> list[Path]:
        """Return the folders of deleted embedders."""
        names = [row.name for row in rows.fetch_all(connection.execute(CANDIDATES))]
        folder_names = {folder_name(EmbedderAbout(name)) for name in (*names, self._about.name)}
        folders = self._root.iterdir() if self._root.is_dir() else ()
        return [folder for folder in folders if folder.name not in folder_names and folder.is_dir()]


def choose_embedder(
    connection: apsw.Connection, about: EmbedderAbout, is_usable: Callable[[EmbedderAbout], bool]
) -> tuple[EmbedderAbout, bool]:
    """Apply `choose_serving` to the stored embedders."""
    return choose_serving(rows.fetch_all(connection.execute(CANDIDATES)), about, is_usable)


def folder_name(about: EmbedderAbout) -> str:
    """Return the folder name of an embedder's index."""
    return hashlib.sha256(about.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
