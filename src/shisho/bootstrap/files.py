"""Read and write files that a user named, with one-sentence errors."""

from __future__ import annotations

from pathlib import Path

from shisho.system.disk import path_trouble

__all__ = ["path_trouble", "read_file", "write_file"]


def read_file(path: Path) -> bytes:
    """Read a file. Raises: InvalidParams."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise path_trouble(error, path) from error


def write_file(path: Path, data: bytes) -> None:
    """Write a file. Raises: InvalidParams, Conflict if the disk is full."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise path_trouble(error, path) from error
