"""Errors of the file system as one sentence for users."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from shisho.errors import Conflict, InvalidParams, ShishoError, StorageUnusable
from shisho.messages import Message
from shisho.messages.system import REASONS, explain_error

_SCARCE = 1 << 16  # bytes
_MIN_FREE_BYTES = 1 << 20  # bytes, for a server that is ready to store something
_NEXT_STEPS = {
    errno.ENOENT: Message("disk.see_name"),
    errno.EISDIR: Message("disk.name_file"),
    errno.EACCES: Message("disk.get_right"),
    errno.EPERM: Message("disk.get_right"),
}


def build_file_error(error: OSError, path: Path) -> ShishoError:
    """Return the error to report for a file system failure.

    Conflict on a full disk, else StorageUnusable.
    """
    if is_full(path.parent):
        return disk_full()
    return forbidden(path) if isinstance(error, PermissionError) else unusable(path, error)


def build_path_error(error: OSError, path: Path) -> ShishoError:
    """Return the error to report for a path that a user has named.

    Conflict on a full disk, else InvalidParams.
    """
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full()
    if error.errno == errno.ENOENT and not os.path.isdir(path.parent):  # noqa: PTH112
        return InvalidParams(
            "disk.no_folder",
            path=path,
            folder=path.parent,
        )
    # some systems report EPERM for a folder
    number = errno.EISDIR if os.path.isdir(path) else error.errno or 0  # noqa: PTH112
    return InvalidParams(
        "disk.unusable",
        path=path,
        why=REASONS.get(number) or explain_error(error),
        next=_NEXT_STEPS.get(number, Message("disk.name_other")),
    )


def check_space(folder: Path) -> None:
    """Check that the folder's disk has room for a little work. Raises Conflict."""
    if is_full(folder, _MIN_FREE_BYTES):
        raise disk_full()


def is_full(folder: Path, least: int = _SCARCE) -> bool:
    """Return True if fewer than `least` bytes, next to nothing, are free on the folder's disk."""
    try:
        return shutil.disk_usage(folder).free < least
    except OSError:
        return False


def disk_full() -> Conflict:
    return Conflict("storage.disk_full")


def forbidden(path: Path) -> StorageUnusable:
    return StorageUnusable(
        "disk.cannot_open",
        path=path,
    )


def unusable(path: Path, error: Exception) -> StorageUnusable:
    return StorageUnusable(
        "disk.broken",
        path=path,
        error=explain_error(error),
    )
