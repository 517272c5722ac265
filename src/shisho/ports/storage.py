"""The maintenance interface of the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Storage(Protocol):
    """The place where everything is stored."""

    async def check_ready(self) -> None:
        """Check that something could be stored now.

        Raises StorageUnusable, or Conflict with the lock's holder.
        """

    async def migrate(self) -> Sequence[str]:
        """Migrate the stored data to this version, as every other method does first.

        Returns the names of the migrations that ran. Raises StorageUnusable for data of a newer version,
        Conflict.
        """

    async def examine(self) -> None:
        """Check all data for damage, which takes a while; later writes report the findings."""

    async def backup(self, target: Path) -> None:
        """Write a consistent copy to one file while others continue to write.

        Raises Conflict if the target exists. If the caller is cancelled, the copy is aborted and deleted.
        """

    async def compact(self) -> tuple[int, int]:
        """Give the room of what was removed back to the system. Returns how many bytes were used before and
        are used now. It takes a while, and others may have to wait. Raises as `check_ready`."""

    async def close(self) -> None:
        """Store pending writes and release all resources. Idempotent."""
