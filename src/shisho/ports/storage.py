"""The ground of all stores, as whoever looks after it sees it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Storage(Protocol):
    """The place where everything is kept."""

    async def check_ready(self) -> None:
        """Check that something could be stored now. Raises StorageUnusable; Conflict that names who holds
        it."""

    async def migrate(self) -> Sequence[str]:
        """Bring what stands there to this version, as every other verb does first. Returns the names of the
        steps that were taken. Raises StorageUnusable for what a newer version has written, Conflict."""

    async def examine(self) -> None:
        """Look through everything for damage, which takes a while; what is found is told to whoever writes
        from then on."""

    async def backup(self, target: Path) -> None:
        """A consistent copy in one file, taken while others go on writing. Raises Conflict if the target
        exists. Where nobody waits for it any more, it is broken off and nothing is left."""

    async def close(self) -> None:
        """Store what is under way and let everything go. It may be said again."""
