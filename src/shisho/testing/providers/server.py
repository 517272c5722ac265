"""The server of the fake provider.

In this event loop, on a port of 127.0.0.1, as a context manager.
"""

from __future__ import annotations

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import Mapping
from contextlib import suppress
from inspect import isawaitable
from types import TracebackType
from typing import Self

from shisho.testing.providers.script import ProviderReply, ProviderRequest, Script
from shisho.testing.providers.wire import WireFormat, wire_format


class FakeProvider:
    """A fake provider: `async with FakeProvider(script) as provider:`.

    All four formats are served at `url(provider)`. `script` returns or awaits the reply to each request;
    `requests` lists them in order of arrival, `connections` counts all connections. Port 0 is any free port.
    """

    def __init__(self, script: Script, port: int = 0) -> None:
        self.script = script
        self.requests: list[ProviderRequest] = []
        self.connections = 0
        self._port = port
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # the final callbacks of the transports

    def build_url(self, provider: str) -> str:
        """Return the address for the setting `model_url`."""
        return f"http://127.0.0.1:{self._port}" + ("/v1" if provider == "openai" else "")

    def _begin(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._serve_exchange(reader, writer)
        finally:
            writer.close()

    async def _serve_exchange(self, reader: StreamReader, writer: StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1].partition("?")[0]
        lines = (line.partition(":") for line in head[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        format_ = wire_format(path)
        if format_ is None:
            await _send(writer, 404, {}, "application/json", b'{"error": "no such path"}')
            return
        request = format_.read(path, json.loads(body), headers)
        self.requests.append(request)
        made_reply = self.script(request)
        reply = await made_reply if isawaitable(made_reply) else made_reply
        await asyncio.sleep(reply.delay_s)
        if reply.status != 200:
            text = json.dumps(format_.describe_error(reply.status, reply.text)).encode()
            await _send(writer, reply.status, reply.headers, "application/json", text)
            return
        if reply.page:
            await _send(writer, 200, reply.headers, "text/html", reply.page.encode())
            return
        await _stream(writer, format_, request, reply)


async def _send(
    writer: StreamWriter, status: int, headers: Mapping[str, str], media_type: str, body: bytes
) -> None:
    writer.write(
        _write_head(status, {**headers, "Content-Type": media_type, "Content-Length": str(len(body))})
    )
    writer.write(body)
    await writer.drain()


async def _stream(
    writer: StreamWriter, format_: WireFormat, request: ProviderRequest, reply: ProviderReply
) -> None:
    """Send each piece as its own HTTP chunk, so that the client receives the same pieces."""
    writer.write(_write_head(200, {"Content-Type": format_.media_type, "Transfer-Encoding": "chunked"}))
    events = [event.encode() for event in format_.write_events(request, reply)]
    data = b"".join(events)
    if reply.breaks or reply.hangs:
        data = data[: len(data) // 2]
        events = [data]
    step = reply.cut_bytes
    pieces = [data[at : at + step] for at in range(0, len(data), step)] if step else events
    for piece in pieces:
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await writer.drain()
        if step:
            await asyncio.sleep(0)
    if reply.breaks:
        writer.transport.abort()
        return
    if reply.hangs:
        await asyncio.Event().wait()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _write_head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in {**headers, "Connection": "close"}.items())
    return f"HTTP/1.1 {status} Told\r\n{lines}\r\n".encode("latin-1")
