"""The worker processes of this machine that are alive.

Each holds a file lock, which the operating system releases when the process dies.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shisho.domain.job import WorkerId
from shisho.system.disk import build_file_error

if sys.platform != "win32":
    import fcntl


class FilePresence:
    """`ports.Presence`: one locked file per worker.

    The folder is the same for all processes that share the database.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[WorkerId, Any] = {}

    def register(self, worker_id: WorkerId) -> None:
        try:
            self._enter(worker_id)
        except OSError as error:
            raise build_file_error(error, self._folder) from error

    def _enter(self, worker_id: WorkerId) -> None:
        if sys.platform == "win32":  # deaths are only detected by missing heartbeats
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.find_dead(
            WorkerId(path.stem) for path in self._folder.glob("*.lock")
        )  # deletes the files of dead workers
        entering = self._folder / f"{worker_id}.entering"
        file = entering.open("ab")
        fcntl.flock(file, fcntl.LOCK_EX)
        entering.rename(self._locate(worker_id))  # it never appears unlocked under its final name
        self._held[worker_id] = file

    def deregister(self, worker_id: WorkerId) -> None:
        file = self._held.pop(worker_id, None)
        if file is not None:
            self._locate(worker_id).unlink(missing_ok=True)
            file.close()

    def find_dead(self, worker_ids: Iterable[WorkerId]) -> frozenset[WorkerId]:
        if sys.platform == "win32":
            return frozenset()
        return frozenset(
            worker_id for worker_id in worker_ids if worker_id not in self._held and self._is_gone(worker_id)
        )

    def _is_gone(self, worker_id: WorkerId) -> bool:
        path = self._locate(worker_id)
        try:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink(missing_ok=True)
        except BlockingIOError:
            return False
        except FileNotFoundError:  # it has left, or another process has found it dead
            return True
        return True

    def _locate(self, worker_id: WorkerId) -> Path:
        return self._folder / f"{worker_id}.lock"
