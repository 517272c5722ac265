"""Bytes by name, in one process."""

from __future__ import annotations

import time
from collections.abc import Sequence

from shisho.domain.blob import BlobFacts
from shisho.stores.blob_names import check_name, no_blob


class MemoryBlobs:
    """`ports.Blobs` in a dictionary."""

    def __init__(self) -> None:
        self._stored: dict[str, tuple[bytes, float]] = {}

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        self._stored[check_name(name)] = (bytes(data), time.time())

    def get(self, name: str) -> bytes:
        if check_name(name) not in self._stored:
            raise no_blob(name)
        return self._stored[name][0]

    def facts(self, name: str) -> BlobFacts | None:
        if check_name(name) not in self._stored:
            return None
        data, at = self._stored[name]
        return BlobFacts(name, len(data), at)

    def touch(self, name: str) -> bool:
        if check_name(name) not in self._stored:
            return False
        self._stored[name] = (self._stored[name][0], time.time())
        return True

    def list(self, folder: str) -> Sequence[BlobFacts]:
        names = [name for name in self._stored if name.startswith(f"{folder}/")]
        return [facts for name in names if (facts := self.facts(name)) is not None]

    def drop(self, name: str) -> None:
        self._stored.pop(check_name(name), None)
