"""A chain of redirects followed one request at a time, because each host has its own rules and pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from shisho.domain.web import Response
from shisho.errors import AllFetchesFailed
from shisho.ports import Cache
from shisho.web.http.site import host_of_url

MAX_REDIRECTS = 5  # RFC 9309 2.3.1.2 names five too
KEPT_S = 86_400.0  # a waiter for the next host does not ask the earlier ones again


@dataclass(frozen=True, slots=True)
class RedirectChain:
    """The requested addresses so far, followed by the next one."""

    urls: tuple[str, ...]

    @property
    def url(self) -> str:
        return self.urls[-1]

    @property
    def begins(self) -> bool:
        """True if nothing has been requested yet."""
        return len(self.urls) == 1

    def extend(self, url: str) -> RedirectChain:
        """Append an address. Raises AllFetchesFailed for a loop, or if the chain is too long."""
        host = host_of_url(self.url)
        if url in self.urls:
            raise AllFetchesFailed("fetch.redirect_loop", host=host)
        if len(self.urls) > MAX_REDIRECTS:
            raise AllFetchesFailed(
                "fetch.too_many_redirects",
                host=host,
                max_redirects=MAX_REDIRECTS,
            )
        return RedirectChain((*self.urls, url))


def redirect_target(response: Response) -> str:
    """Return the target of a redirect; "" for any other response."""
    return response.headers.get("location", "") if 300 <= response.status < 400 else ""


class RedirectMemory:
    """A store of unfinished chains that wait for their next host."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    async def find_chain(self, name: str, url: str) -> RedirectChain:
        """Return the chain of this name if it began at this address, else a new one."""
        entry = await self._cache.get(_make_key(name))
        urls: Sequence[str] = entry.value if entry is not None else ()
        return RedirectChain(tuple(urls)) if urls and urls[0] == url else RedirectChain((url,))

    async def keep(self, name: str, chain: RedirectChain) -> None:
        await self._cache.put(_make_key(name), list(chain.urls), KEPT_S)

    async def forget(self, name: str, chain: RedirectChain) -> None:
        """Delete a finished chain, whatever its outcome, so that no address is left."""
        if not chain.begins:
            await self._cache.put(_make_key(name), [], 0.0)


def _make_key(name: str) -> str:
    return "redirects " + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
