"""Addresses that must be refused, and a way out that leads nowhere: no test may depend on the guard for its
own safety."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import httpcore

from shisho.domain.web import Endpoint
from tests.shared import shared


def refused_urls(*names: str) -> list[str]:
    urls = []
    for name in names or ("addresses.txt", "cloud-metadata.txt"):
        for line in shared("hostile", "ssrf", name).read_text("utf-8").splitlines():
            url = line.partition("   #")[0].strip()
            if url and not url.startswith("#"):
                urls.append(url)
    assert len(urls) > 60
    return urls


class Recorder(httpcore.AsyncNetworkBackend):
    """Opens nothing; remembers who would have been connected to. `roads`: addresses that lead to a port of
    this machine."""

    def __init__(self, roads: Mapping[str, int] | None = None) -> None:
        self.opened: list[tuple[str, int]] = []
        self._roads = dict(roads or {})

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (as httpcore has it)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.opened.append((host, port))
        if host not in self._roads:
            raise httpcore.ConnectError("recorded")
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", self._roads[host])


class Insider:
    """`ports.Resolver` to which every name is this machine, and which reads numbers as a C library does."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        try:
            return [Endpoint(socket.inet_ntoa(socket.inet_aton(host)), port)]
        except OSError:
            return [Endpoint(host if ":" in host else "127.0.0.1", port)]
