"""Long work in a thread that is broken off when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
CheckWanted = Callable[[], None]
"""Raises UnwantedWork once nobody waits for the work any more."""


class UnwantedWork(Exception):
    """Nobody waits for the work any more: undo what is half done."""


async def run_while_wanted(work: Callable[[CheckWanted], T]) -> T:
    """Run it in a thread. Where the caller is cancelled, the work is told so and waited for: what it was
    doing is undone when this ends, or was done before and is given."""
    is_over = threading.Event()

    def check_wanted() -> None:
        if is_over.is_set():
            raise UnwantedWork

    working = asyncio.ensure_future(asyncio.to_thread(work, check_wanted))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        is_over.set()
        await asyncio.wait([working])
        if working.exception() is not None:
            raise
        return working.result()
