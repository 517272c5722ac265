"""The bytes of one plain file; for outside callers, only without links in its path."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shisho.errors import DocumentUnreadable, ForbiddenPath, TooLarge
from shisho.messages.system import explain_error

# Opened without blocking: a pipe in place of the file would block the reader forever.
READ_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
FOLDER = (
    getattr(os, "O_DIRECTORY", 0) | NO_LINK | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_PATH", os.O_RDONLY)
)


def read(path: Path, max_bytes: int, within: Path | None = None) -> bytes:
    """Return the bytes of a plain file.

    `within`: the folder that must contain the file; both without links, as when the path was accepted.

    Raises: TooLarge above `max_bytes`, before anything is read; ForbiddenPath if a link has replaced a part
    of the path; DocumentUnreadable if it cannot be opened or is not a plain file.
    """
    try:
        with _open_path(path, within) as file:
            return _read_whole(file, max_bytes)
    except OSError as error:
        if within is not None and _is_elsewhere(path):
            raise ForbiddenPath("path.link_swapped", path=path) from error
        raise DocumentUnreadable("path.cannot_open", cause=explain_error(error)) from error


@contextmanager
def _open_path(path: Path, within: Path | None) -> Iterator[int]:
    if within is None:
        file = os.open(path, READ_FLAGS)
    elif os.open in os.supports_dir_fd and NO_LINK:
        file = _walk_path(path, within)
    else:
        file = os.open(path, READ_FLAGS)
        # The best available check without a walk: an open file cannot be swapped, and its name leads to it
        # now.
        if not (
            path.resolve() == path
            and path.is_relative_to(within)
            and os.path.samestat(os.fstat(file), path.stat())
        ):
            os.close(file)
            raise OSError(f"{path} leads elsewhere")
    try:
        yield file
    finally:
        os.close(file)


def _walk_path(path: Path, within: Path) -> int:
    """Open the file by opening each folder on the way inside the previous one, never through a link."""
    if path == within:
        return os.open(path, READ_FLAGS | NO_LINK)
    *folders, name = path.relative_to(within).parts
    descriptor = os.open(within, FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        return os.open(name, READ_FLAGS | NO_LINK, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def _read_whole(file: int, max_bytes: int) -> bytes:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise DocumentUnreadable("path.not_plain_file")
    if status.st_size > max_bytes:
        raise _refuse_size(status.st_size, max_bytes)
    with os.fdopen(os.dup(file), "rb") as plain:
        data = plain.read(max_bytes + 1)
    if len(data) > max_bytes:  # it has grown since
        raise _refuse_size(len(data), max_bytes)
    return data


def _refuse_size(size: int, limit: int) -> TooLarge:
    return TooLarge(
        "path.too_large",
        megabytes=math.ceil(size / 2**20),
        limit=limit // 2**20,
    )


def _is_elsewhere(path: Path) -> bool:
    return any(part.is_symlink() for part in (path, *path.parents))
