"""Bytes that wait for their job, in one process."""

from __future__ import annotations

import hashlib
import re
import secrets

from shisho.errors import NotFound

_KEY = re.compile(r"[0-9a-f]{32}")


class MemoryStaging:
    """`ports.Staging` in a dictionary."""

    def __init__(self) -> None:
        self._stored: dict[str, bytes] = {}

    def put(self, data: bytes, owner: str) -> str:
        key = _mark(owner) + secrets.token_hex(12)
        self._stored[key] = bytes(data)
        return key

    def get(self, key: str) -> bytes:
        if _checked(key) not in self._stored:
            raise NotFound("The bytes of this document are no longer there. Hand it in again.")
        return self._stored[key]

    def drop(self, key: str) -> None:
        self._stored.pop(_checked(key), None)

    def drop_bytes(self, sha256: str, owner: str) -> None:
        for key, data in [*self._stored.items()]:
            if key.startswith(_mark(owner)) and hashlib.sha256(data).hexdigest() == sha256:
                del self._stored[key]


def _mark(owner: str) -> str:
    return hashlib.sha256(owner.encode()).hexdigest()[:8]


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise NotFound("{key!r} is no key of ours.", key=key)
    return key
