"""A chain of redirects that is followed one request at a time, because each of its hosts has its own rules
and its own pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from shisho.domain.web import Response
from shisho.errors import AllFetchesFailed
from shisho.ports import Cache
from shisho.web.http.site import host_of_url

MAX_REDIRECTS = 5  # RFC 9309 2.3.1.2 names five too
KEPT_S = 86_400.0  # whoever waits for the next host's turn does not ask the earlier ones again


@dataclass(frozen=True, slots=True)
class RedirectChain:
    """The addresses that were asked so far, and at the end the one to ask next."""

    urls: tuple[str, ...]

    @property
    def url(self) -> str:
        return self.urls[-1]

    @property
    def begins(self) -> bool:
        """True where nothing has been asked yet."""
        return len(self.urls) == 1

    def extend(self, url: str) -> RedirectChain:
        """Raises AllFetchesFailed for a circle, and where it is too long."""
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
    """Where an answer leads on to; "" where it is an answer of its own."""
    return response.headers.get("location", "") if 300 <= response.status < 400 else ""


class RedirectMemory:
    """Where chains stand whose next host has no turn for us yet."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    async def find_chain(self, name: str, url: str) -> RedirectChain:
        """The chain of this name, if it began at this address; else a new one."""
        entry = await self._cache.get(_key(name))
        urls: Sequence[str] = entry.value if entry is not None else ()
        return RedirectChain(tuple(urls)) if urls and urls[0] == url else RedirectChain((url,))

    async def keep(self, name: str, chain: RedirectChain) -> None:
        await self._cache.put(_key(name), list(chain.urls), KEPT_S)

    async def forget(self, name: str, chain: RedirectChain) -> None:
        """A chain that has come to its end, whatever that was, leaves no address behind."""
        if not chain.begins:
            await self._cache.put(_key(name), [], 0.0)


def _key(name: str) -> str:
    return "redirects " + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
