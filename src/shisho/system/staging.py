"""Bytes that wait for their job, as files that only their owner can read. Their names are ours, never the
caller's."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from shisho.errors import NotFound
from shisho.system.disk import file_trouble

_KEY = re.compile(r"[0-9a-f]{32}")


class FileStaging:
    """`ports.Staging` in a folder: one file for each, whole or not there at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes, owner: str) -> str:
        """Store bytes so that they outlive a crash; returns their key. Raises StorageUnusable, Conflict on a
        full disk."""
        try:
            return self._stored(data, owner)
        except OSError as error:
            raise file_trouble(error, self._folder) from error

    def _stored(self, data: bytes, owner: str) -> str:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = _mark(owner) + secrets.token_hex(12)
        fresh = self._folder / f"{key}.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._folder / key)
        self._sync()
        return key

    def get(self, key: str) -> bytes:
        """Raises NotFound for what is not, or no longer, there."""
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            raise NotFound("The bytes of this document are no longer there. Hand it in again.") from None

    def drop(self, key: str) -> None:
        """Forget them; unknown keys too."""
        self._path(key).unlink(missing_ok=True)

    def drop_bytes(self, sha256: str, owner: str) -> None:
        """Forget every copy of these bytes that the owner has: a job that failed still holds what it was given."""
        for path in self._folder.glob(_mark(owner) + "*") if self._folder.is_dir() else ():
            with suppress(FileNotFoundError):
                if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
                    path.unlink()

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise NotFound("{key!r} is no key of ours.", key=key)
        return self._folder / key

    def _sync(self) -> None:
        # The new name is durable only when its folder is; Windows cannot open one.
        if hasattr(os, "O_DIRECTORY"):
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _mark(owner: str) -> str:
    """The beginning of the names of an owner's files."""
    return hashlib.sha256(owner.encode()).hexdigest()[:8]
