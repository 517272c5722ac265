"""One exchange over one connection, whose head is bounded however it comes."""

from __future__ import annotations

from typing import Any

import httpcore

_HEAD = 32 * 1024
_SIP = 4 * 1024


class MeteredStream(httpcore.AsyncNetworkStream):
    """A connection that gives little until the body begins: at a time, for h11 works off all it has without a
    pause, and in all, for any number of interim answers may come before the answer."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._head_left: int | None = _HEAD

    def body_begins(self) -> None:
        self._head_left = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (as httpcore has it)
        if self._head_left is None:
            return await self._stream.read(max_bytes, timeout)
        if self._head_left <= 0:
            raise httpcore.RemoteProtocolError("the head of its answer does not end")
        data = await self._stream.read(_SIP, timeout)
        self._head_left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  (as httpcore has it)
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


async def ask(stream: httpcore.AsyncNetworkStream, request: httpcore.Request) -> httpcore.Response:
    """Send a request; the head of its answer. The body is read from its `stream` while the connection stays
    open."""
    wire = MeteredStream(stream)
    answer = await _Exchange(request.url.origin, wire).handle_async_request(request)
    wire.body_begins()
    return answer


class _Exchange(httpcore.AsyncHTTP11Connection):
    # a head, and the trailers of a body in chunks: h11 takes 15 ms for so many short lines
    MAX_INCOMPLETE_EVENT_SIZE = _HEAD
