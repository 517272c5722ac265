"""Bytes that wait for their job, as blobs, whose names callers cannot choose."""

from __future__ import annotations

import hashlib
import re
import secrets
from contextlib import suppress

from shisho.errors import NotFound
from shisho.ports import Blobs

FOLDER = "staging"
_KEY = re.compile(r"[0-9a-f]{32}")


class BlobStaging:
    """`ports.Staging`: one blob for each."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def put(self, data: bytes, owner: str) -> str:
        """Store bytes durably; return their key.

        Raises: StorageUnusable, Conflict on a full disk.
        """
        key = _mark(owner) + secrets.token_hex(12)
        self._blobs.put(f"{FOLDER}/{key}", data)
        return key

    def get(self, key: str) -> bytes:
        """Read staged bytes. Raises NotFound if they are missing."""
        name = _check_key(key)
        with suppress(NotFound):
            return self._blobs.get(name)
        raise NotFound("adding.bytes_gone")

    def drop(self, key: str) -> None:
        """Delete staged bytes; unknown keys are ignored."""
        self._blobs.drop(_check_key(key))

    def drop_bytes(self, sha256: str, owner: str) -> None:
        """Delete all copies of these bytes that the owner has: failed jobs keep their input."""
        beginning = f"{FOLDER}/{_mark(owner)}"
        for blob in self._blobs.list(FOLDER):
            if blob.name.startswith(beginning):
                with suppress(NotFound):
                    if hashlib.sha256(self._blobs.get(blob.name)).hexdigest() == sha256:
                        self._blobs.drop(blob.name)


def _check_key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise NotFound("blobs.bad_key", key=key)
    return f"{FOLDER}/{key}"


def _mark(owner: str) -> str:
    """Return the prefix of the names of an owner's files."""
    return hashlib.sha256(owner.encode()).hexdigest()[:8]
