"""The box as it runs: in this event loop, on two ports of 127.0.0.1, until it is left."""

from __future__ import annotations

import asyncio
import ssl
import time
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import trustme

from shisho.system.box import (
    FILE,
    HOME,
    LOG,
    TRAPS,
    BoxPorts,
    BoxResolver,
    announce_box,
    make_tls_context,
)
from shisho_box.hostile import play
from shisho_box.log import Log, LogEntry
from shisho_box.message import BoxRequest, Way
from shisho_box.ranking import Decay, RankingModel
from shisho_box.real import add_real_pages
from shisho_box.rules import Rule, rule_of
from shisho_box.web import RoutedRequest, SmallWeb
from shisho_box.wire import BoxConnection
from shisho_box.world import BoxPage, BoxQuestion, make


class Box:
    """`async with Box(seed=1) as box:`. Give a `folder` if other processes are to find it.

    A port 0 is any that is free. `decay` to `tracking` as in `ranking.RankingModel`; `pdf`: the bytes of the
    one PDF, else it is made."""

    def __init__(
        self,
        *,
        seed: int = 0,
        topics: int = 16,
        pages: int = 20,
        decay: Decay = Decay.STEEP,
        depth: int = 50,
        repeats: float = 0.05,
        tracking: float = 0.08,
        pdf: bytes | None = None,
        folder: Path | None = None,
        http_port: int = 0,
        https_port: int = 0,
    ) -> None:
        world = add_real_pages(make(seed, topics, pages), pdf)
        self.web = SmallWeb(world, RankingModel(seed, decay, depth, repeats, tracking))
        self.folder = folder
        self._wanted = BoxPorts(http_port, https_port)
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []

    async def __aenter__(self) -> Self:
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
        authority = trustme.CA()
        self.ca_pem = authority.cert_pem.bytes().decode("ascii")
        self.log = Log(self.log_file)
        with_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*self.hosts, *TRAPS, HOME).configure_cert(with_tls)
        plain = await self._listen("http", self._wanted.http, None)
        self.ports = BoxPorts(plain, await self._listen("https", self._wanted.https, with_tls))
        self.web.port = self.ports.http
        if self.folder:
            announce_box(self.folder, self.ports, self.hosts, self.ca_pem)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.folder:
            (self.folder / FILE).unlink(missing_ok=True)
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # the transports' own last turn
        self.log.close()

    @property
    def log_file(self) -> Path | None:
        return self.folder / LOG if self.folder else None

    @property
    def hosts(self) -> tuple[str, ...]:
        """All names of the box, for `allow_private_hosts`."""
        return self.web.hosts

    @cached_property
    def resolver(self) -> BoxResolver:
        return BoxResolver(self.ports, self.hosts)

    @cached_property
    def ssl_context(self) -> ssl.SSLContext:
        """For clients."""
        return make_tls_context(self.ca_pem)

    @property
    def questions(self) -> Sequence[BoxQuestion]:
        return self.web.world.questions

    def page(self, url: str) -> BoxPage | None:
        """The page at an address, under whichever name an engine gave it."""
        return self.web.page(url)

    def list_relevant(self, query: str) -> set[str]:
        """The addresses of the pages that tell what the query asks, copies of others left out."""
        return {page.url for page in self.web.index.list_relevant(query) if page.mirror_of is None}

    def results(self, engine: str, query: str) -> list[str]:
        """Every address an engine has for a query, in its order, over all its result pages."""
        return self.web.results(engine, query)

    def behave(self, **rule: Any) -> Rule:
        """Misbehave from now on: the fields of `rules.Rule`. Raises InvalidParams."""
        return self.web.rules.add(rule_of(rule))

    def calm_down(self, rule: Rule | None = None) -> None:
        """Take back one rule, or all."""
        self.web.rules.remove(rule)

    def expire(self, engine: str) -> None:
        """The tokens an engine has given until now are worth nothing any more."""
        self.web.tokens.expire(engine)

    async def _listen(self, scheme: str, port: int, tls: ssl.SSLContext | None) -> int:
        server = await asyncio.get_running_loop().create_server(self._accept(scheme), HOME, port, ssl=tls)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    def _accept(self, scheme: str) -> Callable[[], StreamReaderProtocol]:
        """Called as soon as a connection is there, before TLS: whoever only knocks is logged too."""

        def knocked() -> StreamReaderProtocol:
            number = self.log.record_connection(scheme)
            return StreamReaderProtocol(
                StreamReader(), lambda reader, writer: self._start(number, scheme, reader, writer)
            )

        return knocked

    def _start(self, number: int, scheme: str, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(
            self._serve(number, BoxConnection(scheme, reader, writer))
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, number: int, wire: BoxConnection) -> None:
        try:
            with suppress(ConnectionError, ssl.SSLError):
                while request := await wire.read_request():
                    await self._exchange(number, wire, request)
            wire.writer.close()
        finally:
            if not wire.writer.is_closing():
                wire.writer.transport.abort()

    async def _exchange(self, connection: int, wire: BoxConnection, request: BoxRequest) -> None:
        routed = self.web.meet(request)
        answer, note = self.web.answer(request, routed, time.monotonic())
        number = self.log.record_request(_entry(connection, request, routed, note))
        status = 0
        try:
            if answer.way is Way.SCRIPT:
                await play(answer.script, wire.reader, wire.writer)
                raise ConnectionResetError
            await wire.answer(request, answer)
            status = answer.status
        finally:
            self.web.record_end(routed, note, time.monotonic())
            self.log.record_end(number, status)


def _entry(connection: int, request: BoxRequest, routed: RoutedRequest, note: str) -> LogEntry:
    place = routed.place
    return LogEntry(
        0, connection, 0.0, 0.0, request.scheme, request.method, request.host, request.path, request.query, request.form,
        request.cookies, request.headers, place.engine, place.query, place.page, note,
    )  # fmt: skip
