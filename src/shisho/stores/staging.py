"""Bytes that wait for their job, as blobs. Their names are ours, never the caller's."""

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
        """Store bytes so that they outlive a crash; returns their key. Raises StorageUnusable, Conflict on a
        full disk."""
        key = _mark(owner) + secrets.token_hex(12)
        self._blobs.put(f"{FOLDER}/{key}", data)
        return key

    def get(self, key: str) -> bytes:
        """Raises NotFound for what is not, or no longer, there."""
        name = _name(key)
        with suppress(NotFound):
            return self._blobs.get(name)
        raise NotFound("adding.bytes_gone")

    def drop(self, key: str) -> None:
        """Forget them; unknown keys too."""
        self._blobs.drop(_name(key))

    def drop_bytes(self, sha256: str, owner: str) -> None:
        """Forget every copy of these bytes that the owner has: a job that failed still holds what it was
        given."""
        beginning = f"{FOLDER}/{_mark(owner)}"
        for blob in self._blobs.list(FOLDER):
            if blob.name.startswith(beginning):
                with suppress(NotFound):
                    if hashlib.sha256(self._blobs.get(blob.name)).hexdigest() == sha256:
                        self._blobs.drop(blob.name)


def _name(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise NotFound("blobs.bad_key", key=key)
    return f"{FOLDER}/{key}"


def _mark(owner: str) -> str:
    """The beginning of the names of an owner's files."""
    return hashlib.sha256(owner.encode()).hexdigest()[:8]
