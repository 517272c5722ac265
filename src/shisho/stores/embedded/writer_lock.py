"""A file lock that serializes writers fairly.

SQLite's own lock has no queue: without this lock, one of four writing processes starved for 3 s. It is
advisory only: its holder may be frozen, so waiters ignore it after a while. Messages name the process that
holds it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shisho.messages import Message
from shisho.telemetry import log

SECONDS = 5.0
# The bytes that SQLite locks in the shared-memory file of a write-ahead log ("wal.c", WAL_LOCK_MAX, and
# "os_unix.c", UNIX_SHM_BASE).
WRITE = 120
CHECKPOINT = 121
RECOVER = 122
# Run it in a separate process: closing any descriptor of a file releases all of the process's locks on it,
# including SQLite's.
ASK = """
import fcntl, os, struct, sys
linux = sys.platform.startswith("linux")
shape = "hhqqi4x" if linux else "qqihh"
file = os.open(sys.argv[1], os.O_RDWR)
for at in map(int, sys.argv[2:]):
    asked = (fcntl.F_WRLCK, 0, at, 1, 0) if linux else (at, 1, 0, fcntl.F_WRLCK, 0)
    said = struct.unpack(shape, fcntl.fcntl(file, fcntl.F_GETLK, struct.pack(shape, *asked)))
    kind, pid = (said[0], said[4]) if linux else (said[3], said[2])
    if kind != fcntl.F_UNLCK and pid > 0:
        print(pid)
        break
"""


def find_holder(database: Path) -> int | None:
    """Return the ID of the process that is writing to this database, if it can be determined."""
    if sys.platform == "win32":
        return None
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        ASK,
        f"{database}-shm",
        *map(str, (WRITE, RECOVER, CHECKPOINT)),
    ]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return int(output) if output.strip().isdigit() else None


def is_stopped(pid: int) -> bool:
    """Return True if a process is known to be stopped (SIGSTOP, Ctrl-Z)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[:1]
    except OSError:
        return False
    return state in (["T"], ["t"])


if sys.platform != "win32":
    import fcntl

PATIENCE_S = 10.0


class WriterLock:
    """The lock, for use by one thread. The lock file is empty, never read and never deleted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._queued: _Waiter | None = None

    @contextmanager
    def take(self, patience_s: float = PATIENCE_S) -> Iterator[bool]:
        """Wait for the lock; yield True if it was acquired in time.

        It always is if files cannot be locked here.
        """
        turn = self._take(patience_s)
        try:
            yield turn is not None
        finally:
            if turn is not None:
                turn.end()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _take(self, patience_s: float) -> _Turn | None:
        if sys.platform == "win32":  # only SQLite's own busy timeout
            return _Turn()
        try:
            self._file = _open_file(self._path) if self._file is None else self._file
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return self._wait(patience_s)
        except OSError:  # read-only, or no folder: the next write reports it
            return _Turn()
        return _Unlocking(self._file)

    def _wait(self, patience_s: float) -> _Turn | None:
        # The kernel queues waiters fairly, but without a timeout, so another thread waits for the lock.
        is_known = self._queued is not None and self._queued.is_alive()
        if self._queued is None or not is_known:
            self._queued = _Waiter(self._path)
            self._queued.start()
        # The holder that was ignored has not released the lock since: do not wait for it again.
        turn = self._queued.turn(0.0 if is_known else patience_s)
        if turn is None and not is_known:
            log.warning(Message("store.lock_held", seconds=patience_s))
        return turn


class _Turn:
    """A turn without a lock."""

    def end(self) -> None:
        """Release the lock, if one is held."""


class _Unlocking(_Turn):
    def __init__(self, file: int) -> None:
        self._file = file

    def end(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)


class _Closing(_Turn):
    def __init__(self, file: int) -> None:
        self._file = file

    def end(self) -> None:
        os.close(self._file)


class _Waiter(threading.Thread):
    """A thread that waits for the lock, and releases it at once if nobody wants it any more."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="shisho-lock", daemon=True)
        self._path = path
        self._changed = threading.Condition()
        self._wanted = True
        self._turn: _Turn | None = None

    def run(self) -> None:
        with suppress(OSError):
            file = _open_file(self._path)
            fcntl.flock(file, fcntl.LOCK_EX)
            with self._changed:
                if not self._wanted:
                    os.close(file)
                    return
                self._turn = _Closing(file)
                self._changed.notify()

    def turn(self, patience_s: float) -> _Turn | None:
        with self._changed:
            self._changed.wait_for(lambda: self._turn is not None, patience_s)
            turn = self._turn
            self._turn = None
            self._wanted = False
            return turn


def _open_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
