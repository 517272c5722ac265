"""One application for each user of a shared library, over that user's view, built at first use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from fastapi import FastAPI
from starlette.types import ASGIApp

from shisho.errors import InvalidParams
from shisho.records import dataclass
from shisho.services import Library

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class ProxyRules:
    """The proxies that may name an authenticated user, and the header they use.

    The header is ignored from any other address. Raises: InvalidParams for a header without proxies.
    """

    header: str = ""
    networks: tuple[Network, ...] = ()

    def __post_init__(self) -> None:
        if self.header and not self.networks:
            raise InvalidParams("http.no_trusted_proxy")

    def is_trusted(self, address: str) -> bool:
        """Return whether this is the address of a trusted proxy."""
        try:
            peer = ip_address(address)
        except ValueError:
            return False
        return any(peer in network for network in self.networks)


NO_PROXIES = ProxyRules()


def read_proxies(header: str, addresses: Iterable[str]) -> ProxyRules:
    """Parse the settings `user_header` and `trusted_proxies`.

    Raises: InvalidParams for an invalid address.
    """
    networks = []
    for address in sorted(addresses):
        try:
            networks.append(ip_network(address, strict=False))
        except ValueError as error:
            raise InvalidParams("http.bad_proxy_address", address=address) from error
    return ProxyRules(header.strip().lower(), tuple(networks))


@dataclass(slots=True)
class PersonalApplications:
    """One application for each person, alive from the first request until the server stops.

    Each is built in a thread, one at a time, so that no other request waits for it.
    """

    library: Library
    make: Callable[[Library], FastAPI]
    _applications: dict[str, asyncio.Future[FastAPI]] = field(default_factory=dict)
    _group: asyncio.TaskGroup | None = None
    _over: asyncio.Event = field(default_factory=asyncio.Event)
    _building: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Run the applications while entered."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                yield
            finally:
                self._over.set()
                self._group = None

    async def get(self, owner: str) -> ASGIApp:
        """Return the application of a person.

        Raises: the errors of building it; the next request tries again.
        """
        if owner not in self._applications:
            coming: asyncio.Future[FastAPI] = asyncio.get_running_loop().create_future()
            self._applications[owner] = coming
            if self._group is None:  # not served: a test uses the application directly
                coming.set_result(self.make(self.library.for_owner(owner)))
            else:
                self._group.create_task(self._keep(owner, coming))
        return await asyncio.shield(self._applications[owner])

    async def _keep(self, owner: str, coming: asyncio.Future[FastAPI]) -> None:
        """Run the application in a task of its own.

        Its lifespan must end in the task that started it.
        """
        try:
            async with self._building:
                application = await asyncio.to_thread(self.make, self.library.for_owner(owner))
        except Exception as failure:
            del self._applications[owner]
            coming.set_exception(failure)
            return
        async with application.router.lifespan_context(application):
            coming.set_result(application)
            await self._over.wait()
