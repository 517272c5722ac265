"""Claims in progress, which complete even if their callers are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from shisho.domain.job import Claim, ClaimLost, Job
from shisho.errors import ShishoError


class ClaimsUnderWay:
    """The claims of one store. `put_back` queues a claimed job again."""

    def __init__(self, put_back: Callable[[Claim], Awaitable[None]]) -> None:
        self._put_back = put_back
        self._under_way: set[asyncio.Task[Job | None]] = set()
        self._given_up: set[asyncio.Task[None]] = set()

    async def follow(self, claiming: Coroutine[Any, Any, Job | None]) -> Job | None:
        """Return the claimed job; if the caller is cancelled, complete the claim and put it back."""
        under_way = asyncio.create_task(claiming)
        self._under_way.add(under_way)
        under_way.add_done_callback(self._under_way.discard)
        try:
            return await asyncio.shield(under_way)
        except asyncio.CancelledError:
            giving_up = asyncio.create_task(self._give_up(under_way))
            self._given_up.add(giving_up)
            giving_up.add_done_callback(self._given_up.discard)
            raise

    async def wait(self) -> None:
        """Wait for the claims in progress."""
        if self._under_way:
            await asyncio.wait(tuple(self._under_way))

    async def _give_up(self, under_way: asyncio.Task[Job | None]) -> None:
        # If this fails, other processes detect that the claim has no heartbeats.
        with suppress(ClaimLost, ShishoError):
            claimed = await under_way
            if claimed is not None:
                await self._put_back(claimed.claim)
