"""The hosts that the page under visit asks for. A browser has errands of its own (who is signed in, which
forms it has met): its maker's hosts are none of the page's, and the proxy lets it reach no others."""

from __future__ import annotations

import asyncio
import secrets

from shisho.web.http.site import host_of_url

WAIT_S = 5.0  # the word that a page asks for a host may come after the browser's connection
_MOST = 2_000  # a hostile page must not fill the memory


class PageHosts:
    """Of one browser, which comes to the proxy under the name `user`."""

    def __init__(self) -> None:
        self.user = f"page-{secrets.token_hex(8)}"
        self._hosts: set[str] = set()
        self._more = asyncio.Event()

    def add(self, url: str) -> None:
        """The page asks for this address."""
        host = host_of_url(url)
        if host and len(self._hosts) < _MOST:
            self._hosts.add(host)
            self._more.set()

    async def has(self, host: str, wait_s: float = WAIT_S) -> bool:
        """True where the page asks for this host, or does so within that time."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + wait_s
        while host not in self._hosts:
            self._more.clear()
            try:
                async with asyncio.timeout_at(ends):
                    await self._more.wait()
            except TimeoutError:
                return False
        return True
