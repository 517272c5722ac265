"""Staged bytes."""

from __future__ import annotations

from typing import Protocol


class Staging(Protocol):
    """Bytes staged for a job, readable by their owner alone."""

    def put(self, data: bytes, owner: str) -> str:
        """Store an owner's bytes durably and return the key.

        Raises StorageUnusable, Conflict on a full disk.
        """

    def get(self, key: str) -> bytes:
        """Return the bytes. Raises NotFound if there are none, or no longer."""

    def drop(self, key: str) -> None:
        """Delete staged bytes; unknown keys are ignored. Raises NotFound for an invalid key."""

    def drop_bytes(self, sha256: str, owner: str) -> None:
        """Delete every copy of the owner's bytes with this hash; copies of other owners stay."""
