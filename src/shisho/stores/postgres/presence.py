"""The worker processes that are alive, on all machines that share a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from shisho.domain.job import WorkerId
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.presence import FilePresence

FOLDER_NAME = "folder.id"
# Register a worker, and the folder of its lock file.
ENTER = """INSERT INTO workers(id, folder) VALUES (%(id)s, %(folder)s)
    ON CONFLICT (id) DO UPDATE SET folder = excluded.folder"""
# Deregister a worker.
LEAVE = "DELETE FROM workers WHERE id = %(id)s"
# Select the workers that are registered.
KNOWN_WORKERS = "SELECT id, folder FROM workers WHERE id = ANY(%(ids)s)"


class PostgresPresence:
    """`ports.Presence`: a row for each worker, and a locked file in a folder of its machine.

    A process with access to the folder detects the death of its workers at once; other workers are known only
    by their heartbeats.
    """

    def __init__(self, database: PostgresDatabase, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._files = FilePresence(folder)

    def register(self, worker_id: WorkerId) -> None:
        self._files.register(worker_id)
        values = {"id": worker_id, "folder": self._read_name()}
        self._database.commit(lambda connection: connection.execute(ENTER, values))

    def deregister(self, worker_id: WorkerId) -> None:
        self._database.commit(lambda connection: connection.execute(LEAVE, {"id": worker_id}))
        self._files.deregister(worker_id)

    def find_dead(self, worker_ids: Iterable[WorkerId]) -> frozenset[WorkerId]:
        ids = frozenset(worker_ids)
        rows = self._database.snapshot(
            lambda connection: connection.execute(KNOWN_WORKERS, {"ids": [*ids]}).fetchall()
        )
        left = ids - {row.id for row in rows}
        return left | self._files.find_dead(
            WorkerId(row.id) for row in rows if row.folder == self._read_name()
        )

    def _read_name(self) -> str:
        """Return the unique name of this folder, which the first process writes into it."""
        path = self._folder / FOLDER_NAME
        try:
            return path.read_text("ascii")
        except FileNotFoundError:
            mine = path.with_suffix(f".{uuid4().hex}")
            mine.write_text(uuid4().hex, "ascii")
            try:
                path.hardlink_to(mine)
            except FileExistsError:
                pass
            finally:
                mine.unlink()
            return path.read_text("ascii")
