"""Change notifications for folders, by the system; otherwise every folder is polled."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.telemetry import log

DEBOUNCE_MS = 500  # of rest before a change is reported
LONGEST_MS = 10_000  # maximum delay while changes continue
TICK_S = 1.0
LOOK_S = 30.0  # between two polls if the system sends no notifications


class SystemFolderWatcher:
    """`ports.FolderWatcher` by inotify, FSEvents or ReadDirectoryChangesW."""

    async def watch_changes(self, folders: Sequence[Path]) -> AsyncGenerator[frozenset[Path], None]:
        before = {folder: _identify(folder) for folder in folders}
        there = [folder for folder, identity in before.items() if identity is not None]
        async with aclosing(_watch_events(there)) as batches:
            async for changed in batches:
                yield changed
                if any(_identify(folder) != identity for folder, identity in before.items()):
                    return


def _identify(folder: Path) -> tuple[int, int] | None:
    """Return the identity of the folder at this path; a recreated or mounted-over one has another."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


async def _watch_events(folders: Sequence[Path]) -> AsyncGenerator[frozenset[Path], None]:
    from watchfiles import awatch

    if folders:
        heads = {folder: os.path.join(folder, "") for folder in folders}  # noqa: PTH118 a Path has no last separator
        try:
            batches = awatch(
                *folders,
                watch_filter=None,
                debounce=LONGEST_MS,
                step=DEBOUNCE_MS,
                rust_timeout=int(TICK_S * 1_000),
                yield_on_timeout=True,
                ignore_permission_denied=True,
            )
            async with aclosing(batches):
                async for batch in batches:
                    yield _find_touched([path for _, path in batch], heads)
            return
        except (OSError, RuntimeError) as error:
            log.warning(Message("watching.unavailable", why=explain_error(error)))
    async with aclosing(_poll(folders)) as looks:
        async for changed in looks:
            yield changed


def _find_touched(paths: Sequence[str], heads: Mapping[Path, str]) -> frozenset[Path]:
    return frozenset(
        folder
        for folder, head in heads.items()
        if any(path.startswith(head) or path == str(folder) for path in paths)
    )


async def _poll(folders: Sequence[Path]) -> AsyncGenerator[frozenset[Path], None]:
    seconds = 0.0
    while True:
        yield frozenset(folders) if seconds >= LOOK_S else frozenset()
        seconds = TICK_S if seconds >= LOOK_S else seconds + TICK_S
        await asyncio.sleep(TICK_S)
