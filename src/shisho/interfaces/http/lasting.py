"""Long-lived requests.

A task's events stop when their reader loses access, and work for a caller stops when the caller disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextlib import suppress
from typing import Any, TypeVar

from starlette.types import Receive, Send

LOOK_SECONDS = 5.0  # between two checks of access: each is a database query

T = TypeVar("T")
MayComeIn = Callable[[], Awaitable[bool]]


class LastingReply:
    """Both directions of a request. Nothing more is sent once `may_come_in` returns False.

    The application then sees a disconnected client.
    """

    def __init__(self, receive: Receive, send: Send, may_come_in: MayComeIn) -> None:
        self._receive = receive
        self._send = send
        self._may_come_in = may_come_in
        self._looked_at = asyncio.get_running_loop().time()
        self._over = asyncio.Event()

    async def write(self, message: MutableMapping[str, Any]) -> None:
        """Pass on a part of the reply."""
        if self._over.is_set():
            return
        if message.get("more_body") and await self._is_access_revoked():
            self._over.set()
            message = {"type": "http.response.body", "body": b""}
        await self._send(message)

    async def read(self) -> MutableMapping[str, Any]:
        """Wait for the next message of the client."""
        arriving = asyncio.ensure_future(self._receive())
        ending = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait((arriving, ending), return_when=asyncio.FIRST_COMPLETED)
            return await arriving if arriving.done() else {"type": "http.disconnect"}
        finally:
            for waiting in (arriving, ending):
                waiting.cancel()
            with suppress(asyncio.CancelledError):
                await ending

    async def _is_access_revoked(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = now
        return not await self._may_come_in()


async def end_with_caller(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of the work; None if the client disconnected, which cancels it.

    The body of the request must have been read.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_wait_for_disconnect(receive))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.wait((working, watching))


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
