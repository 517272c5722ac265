"""Where bytes wait for their job."""

from __future__ import annotations

from typing import Protocol


class Staging(Protocol):
    """Bytes that wait for their job, readable by their owner alone."""

    def put(self, data: bytes, owner: str) -> str:
        """Store an owner's bytes durably; returns the key. Raises StorageUnusable, Conflict on a full
        disk."""

    def get(self, key: str) -> bytes:
        """Raises NotFound for what is not, or no longer, there."""

    def drop(self, key: str) -> None:
        """Forget them; unknown keys too. Raises NotFound for what cannot be a key."""

    def drop_bytes(self, sha256: str, owner: str) -> None:
        """Forget every copy of the bytes that hash to this; those of other owners stay."""
