"""Blobs as files that only their owner can read."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from shisho.domain.library import BlobFacts
from shisho.errors import NotFound
from shisho.system.disk import build_file_error

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_NAME = re.compile(rf"{_PART}/{_PART}")


def check_name(name: str) -> str:
    """Return a valid name. Raises NotFound for an invalid one."""
    if not _NAME.fullmatch(name):
        raise NotFound("blobs.bad_key", key=name)
    return name


def no_blob(name: str) -> NotFound:
    """Return the error for a missing blob."""
    return NotFound("blobs.not_found", name=name)


class FolderBlobs:
    """`ports.Blobs` in a folder, which may be on a disk that several machines share."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        with self._translate_errors(name):
            _write(self._locate(name), data, durable=durable)

    def get(self, name: str) -> bytes:
        try:
            with self._translate_errors(name):
                return self._locate(name).read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            raise no_blob(name) from None

    def read_facts(self, name: str) -> BlobFacts | None:
        try:
            with self._translate_errors(name):
                status = self._locate(name).stat()
        except FileNotFoundError:
            return None
        return BlobFacts(name, status.st_size, status.st_mtime)

    def touch(self, name: str) -> bool:
        try:
            os.utime(self._locate(name))
        except OSError:
            return False
        return True

    def list(self, folder: str) -> Sequence[BlobFacts]:
        with self._translate_errors(folder):
            return [*self._scan(folder)] if (self._root / folder).is_dir() else []

    def drop(self, name: str) -> None:
        with self._translate_errors(name):
            self._locate(name).unlink(missing_ok=True)

    def _scan(self, folder: str) -> Iterator[BlobFacts]:
        with os.scandir(self._root / folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    yield BlobFacts(f"{folder}/{entry.name}", status.st_size, status.st_mtime)

    def _locate(self, name: str) -> Path:
        return self._root / check_name(name)

    @contextmanager
    def _translate_errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, IsADirectoryError):
            raise
        except OSError as error:
            raise build_file_error(error, self._root / name.partition("/")[0]) from error


def _write(path: Path, data: bytes, *, durable: bool) -> None:
    """Write the whole file or nothing. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{secrets.token_hex(16)}.new")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    # The new name is durable only after its folder is synced; Windows cannot open folders.
    if durable and hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
