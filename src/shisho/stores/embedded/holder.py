"""Which process holds SQLite's write lock: the system knows, and names it even where it is frozen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SECONDS = 5.0
# Where SQLite locks the shared-memory file of a write-ahead log ("wal.c", WAL_LOCK_MAX, and "os_unix.c",
# UNIX_SHM_BASE).
WRITE = 120
CHECKPOINT = 121
RECOVER = 122
# In a process of its own: closing any file takes all locks of its process on it away, SQLite's too.
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


def holder(database: Path) -> int | None:
    """The id of the process that writes into this database now; None where nobody does, or it cannot be
    known."""
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
    """True where a process is frozen (SIGSTOP, Ctrl-Z), as far as the system tells."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[:1]
    except OSError:
        return False
    return state in (["T"], ["t"])
