"""Storage: `embedded/` (SQLite, tantivy), `postgres/`, `qdrant/` (an index), and files.

Long work of a store, such as a copy of a database, runs in a thread and stops when its caller is cancelled.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
CheckWanted = Callable[[], None]
"""Raises CallerCancelled after the caller was cancelled."""


class CallerCancelled(Exception):
    """The caller was cancelled: undo incomplete work."""


async def run_while_wanted(work: Callable[[CheckWanted], T]) -> T:
    """Run `work` in a thread; if the caller is cancelled, stop the work and wait for it.

    The work is then undone when this raises, unless it had already finished and its result is returned.
    """
    is_over = threading.Event()

    def check_wanted() -> None:
        if is_over.is_set():
            raise CallerCancelled

    working = asyncio.ensure_future(asyncio.to_thread(work, check_wanted))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        is_over.set()
        await asyncio.wait([working])
        if working.exception() is not None:
            raise
        return working.result()
