"""Small real servers on loopback that keep a log, and names that lead to them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trustme

from shisho.domain.web import Endpoint
from shisho.errors import AllFetchesFailed


@dataclass(frozen=True)
class Asked:
    """A request as it arrived: header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass
class Answer:
    """`hold`: send the head and this much, then nothing more."""

    body: bytes | str = b""
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    headers: Sequence[tuple[str, str]] = ()
    hold: bool = False

    def raw(self) -> bytes:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        length = len(body) + (1000 if self.hold else 0)
        fields = [
            ("Content-Type", self.media_type),
            ("Content-Length", str(length)),
            ("Connection", "close"),
            *self.headers,
        ]
        lines = "".join(f"{key}: {value}\r\n" for key, value in fields)
        return f"HTTP/1.1 {self.status} OK\r\n{lines}\r\n".encode() + body


Handler = Callable[[Asked], "Answer | Awaitable[Answer]"]


@dataclass
class Server:
    """`connections` counts every one that was opened, whatever came of it."""

    port: int = 0
    connections: int = 0
    asked: list[Asked] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [each.path for each in self.asked]

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint("127.0.0.1", self.port)


@asynccontextmanager
async def serving(handler: Handler, context: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    state = Server()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        state.connections += 1
        try:
            asked = await _read(reader)
            state.asked.append(asked)
            answer = handler(asked)
            answer = answer if isinstance(answer, Answer) else await answer
            writer.write(answer.raw())
            await writer.drain()
            if answer.hold:
                await asyncio.sleep(3600)
            writer.close()
            await writer.wait_closed()
        except (asyncio.IncompleteReadError, OSError):
            pass

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        task.add_done_callback(lambda _: writer.close())

    server = await asyncio.start_server(accepted, "127.0.0.1", 0, ssl=context)
    state.port = server.sockets[0].getsockname()[1]
    try:
        yield state
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Asked(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def tls(*names: str) -> tuple[ssl.SSLContext, trustme.CA]:
    """A server's certificate for these names, and who signed it."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context, authority


@dataclass
class Names:
    """`ports.Resolver` over a table; an address is its own answer. A list of several answers is given one at
    a time."""

    table: dict[str, list[Sequence[Endpoint]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def lead(self, host: str, *answers: Sequence[Endpoint]) -> None:
        self.table[host] = list(answers)

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        self.asked.append(host)
        if host in self.table:
            answers = self.table[host]
            return answers.pop(0) if len(answers) > 1 else answers[0]
        if host.replace(".", "").isdecimal() or ":" in host:
            return [Endpoint(host, port)]
        raise AllFetchesFailed(f"{host} is unknown.")
