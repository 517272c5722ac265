"""Which worker processes of this machine are alive: each holds a file lock, which the system lets go when it dies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shisho.domain.job import WorkerId


class FilePresence:
    """`ports.Presence` by one locked file per worker in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[WorkerId, Any] = {}

    def enter(self, worker_id: WorkerId) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._path(worker_id).open("ab")
        _lock(file)
        self._held[worker_id] = file

    def leave(self, worker_id: WorkerId) -> None:
        file = self._held.pop(worker_id, None)
        if file is not None:
            file.close()
            self._path(worker_id).unlink(missing_ok=True)

    def gone(self, worker_ids: Iterable[WorkerId]) -> frozenset[WorkerId]:
        return frozenset(each for each in worker_ids if each not in self._held and self._is_gone(each))

    def _is_gone(self, worker_id: WorkerId) -> bool:
        path = self._path(worker_id)
        try:
            with path.open("rb") as file:
                free = _lock(file)
        except FileNotFoundError:  # it has left, or another has found it dead
            return True
        if free:
            path.unlink(missing_ok=True)
        return free

    def _path(self, worker_id: WorkerId) -> Path:
        return self._folder / f"{worker_id}.lock"


def _lock(file: Any) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: nobody is known to be dead before its beat stops
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
