"""Sockets that hold a server up: more than it takes, and headers that never end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from starlette.types import Receive, Scope, Send

from shisho.interfaces.http.connections import BoundedProtocol
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import serve_application
from tests.machine import PATIENCE

REQUEST = b"GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


async def greet(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def served(most: int) -> AsyncIterator[Connect]:
    started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()
    rules = AccessRules(max_connections=most)
    server = asyncio.create_task(serve_application(greet, rules, 0, started.set_result, over))
    port = int((await started).rsplit(":", 1)[1])
    async with AsyncExitStack() as stack:

        async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            return reader, writer

        try:
            yield connect
        finally:
            over.set()
            await server


async def reply(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The head and the body of a reply."""
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
    size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    return head, await reader.readexactly(int(size.split(b":")[1]))


async def test_connections_over_the_limit_are_told_so_and_the_others_go_on() -> None:
    async with served(3) as connect:
        held = [await connect() for _ in range(3)]
        for reader, writer in held:
            writer.write(REQUEST)
            assert (await reply(reader))[1] == b"ok"
        reader, writer = await connect()
        writer.write(REQUEST)
        head, body = await reply(reader)
        assert head.startswith(b"HTTP/1.1 503 ") and b"\r\nretry-after: " in head
        told = json.loads(body)
        assert (told["ok"], told["code"], told["details"]["most"]) == (False, "SERVER_BUSY", 3)
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""  # it is closed
        held[0][1].write(REQUEST)
        assert (await reply(held[0][0]))[1] == b"ok"
        held[1][1].close()
        async with asyncio.timeout(PATIENCE):
            while True:  # until the server has noticed
                reader, writer = await connect()
                writer.write(REQUEST)
                if (await reply(reader))[1] == b"ok":
                    break


async def test_whoever_is_refused_and_says_nothing_does_not_stay() -> None:
    async with served(1) as connect:
        reader, writer = await connect()
        writer.write(REQUEST)
        await reply(reader)
        silent, _ = await connect()
        assert await asyncio.wait_for(silent.read(), PATIENCE) == b""


@pytest.mark.parametrize("first", [b"", REQUEST], ids=["new", "kept"])
async def test_headers_that_do_not_end_are_given_up(monkeypatch: pytest.MonkeyPatch, first: bytes) -> None:
    monkeypatch.setattr(BoundedProtocol, "header_seconds", 0.2)
    async with served(9) as connect:
        reader, writer = await connect()
        if first:
            writer.write(first)
            assert (await reply(reader))[1] == b"ok"
        writer.write(REQUEST[:-2] + b"x-slow: ")
        head, body = await reply(reader)
        assert head.startswith(b"HTTP/1.1 408 ") and json.loads(body)["code"] == "TIMEOUT"
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""


async def test_a_connection_that_asks_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "header_seconds", 0.2)
    async with served(9) as connect:
        reader, _ = await connect()
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""


async def test_a_kept_connection_may_rest_longer_than_headers_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BoundedProtocol, "header_seconds", 0.05)
    async with served(9) as connect:
        reader, writer = await connect()
        for _ in range(2):
            writer.write(REQUEST)
            assert (await reply(reader))[1] == b"ok"
            await asyncio.sleep(0.3)
