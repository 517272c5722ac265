"""Files that a visitor has named, read and written, with what is wrong with one in one sentence."""

from __future__ import annotations

from pathlib import Path

from shisho.system.disk import path_trouble

__all__ = ["path_trouble", "read_file", "write_file"]


def read_file(path: Path) -> bytes:
    """Raises InvalidParams."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise path_trouble(error, path) from error


def write_file(path: Path, data: bytes) -> None:
    """Raises InvalidParams, Conflict where the disk is full."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise path_trouble(error, path) from error
