"""The hosts that the current page requests.

A browser makes requests of its own (who is signed in, which forms it has seen). Its maker's hosts are not the
page's, and the proxy blocks all hosts but the page's.
"""

from __future__ import annotations

import asyncio
import secrets

from shisho.web.http.site import host_of_url

WAIT_S = 5.0  # the event for a requested host may arrive after the browser's connection
_MOST = 2_000  # a hostile page must not fill the memory


class PageHosts:
    """The requested hosts of one browser, which identifies itself to the proxy as `user`."""

    def __init__(self) -> None:
        self.user = f"page-{secrets.token_hex(8)}"
        self._hosts: set[str] = set()
        self._more = asyncio.Event()

    def add(self, url: str) -> None:
        """Add the host of a URL that the page requests."""
        host = host_of_url(url)
        if host and len(self._hosts) < _MOST:
            self._hosts.add(host)
            self._more.set()

    async def has(self, host: str, wait_s: float = WAIT_S) -> bool:
        """Return True if the page requests this host within `wait_s`."""
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
