"""One exchange over one connection, with a bounded head."""

from __future__ import annotations

from typing import Any

import httpcore

_HEAD = 32 * 1024
_SIP = 4 * 1024


class MeteredStream(httpcore.AsyncNetworkStream):
    """A connection with limited reads until the body begins.

    Limited per read, because h11 processes all its input without a pause, and in total, because any number of
    interim responses may precede the final one.
    """

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
    """Send a request and return the head of the response.

    The body is read from its `stream` while the connection stays open.
    """
    wire = MeteredStream(stream)
    answer = await _Exchange(request.url.origin, wire).handle_async_request(request)
    wire.body_begins()
    return answer


class _Exchange(httpcore.AsyncHTTP11Connection):
    # for a head, and for the trailers of a chunked body: h11 takes 15 ms for this many short lines
    MAX_INCOMPLETE_EVENT_SIZE = _HEAD
