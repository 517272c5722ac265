"""The model servers of this machine, each played on a port of its own."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from shisho.domain.model import FoundModel
from shisho.inference.local_servers import find_models

CLOSED = {"Ollama": 9, "LM Studio": 9, "llama.cpp": 9}  # the discard port, where nobody listens


@asynccontextmanager
async def played(body: str, head: str = "HTTP/1.1 200 OK") -> AsyncIterator[int]:
    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        data = body.encode()
        writer.write(f"{head}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


async def test_models_of_each_server_are_found_with_what_the_settings_take() -> None:
    async with (
        played('{"models": [{"name": "qwen3:8b"}, {"name": "gemma3"}]}') as ollama,
        played('{"data": [{"id": "librarian", "object": "model"}]}') as studio,
    ):
        found = await find_models({**CLOSED, "Ollama": ollama, "LM Studio": studio})
    assert found == (
        FoundModel("ollama/qwen3:8b", f"http://127.0.0.1:{ollama}", "Ollama"),
        FoundModel("ollama/gemma3", f"http://127.0.0.1:{ollama}", "Ollama"),
        FoundModel("openai/librarian", f"http://127.0.0.1:{studio}/v1", "LM Studio"),
    )


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        "[1]",
        '{"models": 3}',
        '{"models": [1, {"name": 2}, {"name": "a\\u0007b"}]}',
        '{"data": null}',
        "[" * 9_000,
    ],
)
async def test_what_is_no_list_of_models_names_none(body: str) -> None:
    async with played(body) as port:
        assert await find_models({**CLOSED, "Ollama": port}) == ()


async def test_no_redirect_is_followed_and_no_endless_list_is_read() -> None:
    async with (
        played('{"models": [{"name": "elsewhere"}]}') as other,
        played("", f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{other}/api/tags") as moved,
        played('{"models": [{"name": "' + "a" * 2_000_000 + '"}]}') as endless,
    ):
        assert await find_models({**CLOSED, "Ollama": moved, "llama.cpp": endless}) == ()
