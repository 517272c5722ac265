"""Files on disk as sources: which there are under a path, and their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shisho.errors import DocumentUnreadable, InvalidParams, TooLarge


def find(path: Path) -> Iterator[Path]:
    """The file itself, or every file below a folder in order of name; hidden ones are left out. Raises InvalidParams."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for each in _inside(path):
            if not each.name.startswith((".", "~$")) and (each.is_file() or (each.is_dir() and not each.is_symlink())):
                yield from find(each)
    else:
        raise InvalidParams("There is no file or folder {path}.", path=path)


def _inside(folder: Path) -> list[Path]:
    """What is in a folder; of one that may not be read, only itself, which then is what cannot be opened."""
    try:
        return sorted(folder.iterdir())
    except PermissionError:
        return [folder / "."]


def read(path: Path, max_bytes: int) -> bytes:
    """Raises TooLarge above `max_bytes`, before anything is read; DocumentUnreadable for what cannot be opened."""
    try:
        return _read(path, max_bytes)
    except OSError as error:
        raise DocumentUnreadable("Cannot be opened: {cause}.", cause=error.strerror or error) from error


def _read(path: Path, max_bytes: int) -> bytes:
    size = path.stat().st_size
    if size > max_bytes:
        raise TooLarge(
            "{megabytes:.0f} MB is over the limit of {limit:.0f} MB. Raise max_file_mb, or split the file.",
            megabytes=size / 1e6,
            limit=max_bytes / 1e6,
        )
    return path.read_bytes()
