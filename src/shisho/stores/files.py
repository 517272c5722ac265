"""Files on disk as sources: which there are under a path, and their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shisho.errors import InvalidParams, TooLarge


def find(path: Path) -> Iterator[Path]:
    """The file itself, or every file below a folder in order of name; hidden ones are left out. Raises InvalidParams."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for each in sorted(path.iterdir()):
            if not each.name.startswith((".", "~$")) and (each.is_file() or (each.is_dir() and not each.is_symlink())):
                yield from find(each)
    else:
        raise InvalidParams(f"There is no file or folder {path}.")


def read(path: Path, max_bytes: int) -> bytes:
    """Raises TooLarge above `max_bytes`, before anything is read."""
    size = path.stat().st_size
    if size > max_bytes:
        raise TooLarge(
            f"{size / 1e6:.0f} MB is over the limit of {max_bytes / 1e6:.0f} MB. Raise max_file_mb, or split the file."
        )
    return path.read_bytes()
