"""The place of stores that keep nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shisho.errors import Conflict
from shisho.stores.stopping import CheckWanted, run_while_wanted


class MemoryStorage:
    """`ports.Storage` of one process. Nothing is kept, so its copy is empty."""

    async def check_ready(self) -> None:
        """Always."""

    async def migrate(self) -> Sequence[str]:
        """There is no older version."""
        return ()

    async def examine(self) -> None:
        """There is nothing that could be damaged."""

    async def backup(self, target: Path) -> None:
        def copy(_: CheckWanted) -> None:
            try:
                target.open("xb").close()
            except FileExistsError as error:
                raise Conflict(
                    "{target} exists already. Name another file, or move it away.", target=target
                ) from error

        await run_while_wanted(copy)

    async def close(self) -> None:
        """There is nothing to let go."""
