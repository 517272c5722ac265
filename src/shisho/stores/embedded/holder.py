"""Find the process that holds SQLite's write lock, even if it is frozen.

The kernel knows it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


def holder(database: Path) -> int | None:
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
