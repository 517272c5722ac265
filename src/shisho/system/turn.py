"""A file lock held by one of many processes. The system releases it when its holder dies."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class FileTurn:
    """`ports.FollowerTurn` by a locked file that contains the id of the process with the lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> bool:
        if sys.platform == "win32" or self._file is not None:  # all follow: each change is still added once
            return True
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:  # nothing can be written here, so nothing can be added either
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._file = file
        with suppress(OSError):  # a full disk: the lock counts, the id is only information for people
            os.truncate(file, 0)
            os.write(file, str(os.getpid()).encode())
        return True

    def end(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def find_holder(self) -> int | None:
        with suppress(OSError, ValueError):
            return int(self._path.read_text("ascii"))
        return None
