"""Say in one sentence what is wrong with a file or its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from shisho.errors import Conflict, ShishoError, StorageUnusable
from shisho.messages.system import reason_of

_SCARCE = 1 << 16  # bytes


def file_trouble(error: OSError, path: Path) -> ShishoError:
    """A failure of the file system as visitors are told it: Conflict where the disk is full, else
    StorageUnusable."""
    if is_full(path.parent):
        return disk_full()
    return forbidden(path) if isinstance(error, PermissionError) else unusable(path, error)


def is_full(folder: Path) -> bool:
    """True where next to nothing is left on the folder's disk."""
    try:
        return shutil.disk_usage(folder).free < _SCARCE
    except OSError:
        return False


def disk_full() -> Conflict:
    return Conflict("The disk is full: nothing was stored. Free some space and try again.")


def forbidden(path: Path) -> StorageUnusable:
    return StorageUnusable(
        "{path} cannot be opened. Give yourself the right to read and write it and its folder.",
        path=path,
    )


def unusable(path: Path, error: Exception) -> StorageUnusable:
    return StorageUnusable(
        "{path} cannot be used: {error}. Mend the disk or the folder, or choose another home.",
        path=path,
        error=reason_of(error),
    )
