"""robots.txt of a site (RFC 9309), and the pace of its host."""

from __future__ import annotations

import asyncio
import re
from functools import lru_cache
from weakref import WeakValueDictionary

from protego import Protego

from shisho.domain.codec import build, to_plain
from shisho.domain.politeness import Limit
from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, TimedOut, TooLarge, UnsupportedMedia
from shisho.messages import Message
from shisho.ports import Cache, Clock, Fetcher, Limiter
from shisho.records import dataclass
from shisho.web.http.pacing import SLOW_DOWN, await_turn, retry_after
from shisho.web.http.redirects import RedirectChain, RedirectMemory, redirect_target
from shisho.web.http.url import extract_host, extract_site

PRODUCT = "Shisho"
MIN_INTERVAL_S = 1.0
PER_DAY = 200
MAX_BYTES = 500 * 1024  # RFC 9309 2.5: the minimum that a parser must accept
KEPT_S = 86_400.0
KEPT_CLOSED_S = 600.0
# "User-agent: Shisho/1.0": the product token ends before the slash (RFC 9309 2.2.1).
_VERSION = re.compile(r"^([ \t]*user-agent[ \t]*:[ \t]*[^\s/#]+)/[^\r\n#]*", re.IGNORECASE | re.MULTILINE)
_LARGE = 20_000  # characters; longer files would block the event loop for too long


@dataclass(frozen=True, slots=True)
class Robots:
    """The robots.txt of a site.

    An empty `text` forbids nothing; `closed` is the reason that nothing may be read for now.
    """

    text: str = ""
    closed: str = ""

    def is_allowed(self, url: str) -> bool:
        return not self.explain_refusal(url)

    def explain_refusal(self, url: str) -> str:
        """Return the reason that the page is forbidden; "" if it is allowed.

        It is worded to follow the site's name.
        """
        if self.closed:
            return self.closed
        return "" if _read(self.text).can_fetch(url, PRODUCT) else Message("robots.disallowed")

    @property
    def delay_s(self) -> float:
        """The delay in seconds between two requests that the site wants; 0 if it names none."""
        rules = _read(self.text)
        rate = rules.request_rate(PRODUCT)
        return max(rules.crawl_delay(PRODUCT) or 0.0, rate.seconds / rate.requests if rate else 0.0)


def parse_robots(response: Response) -> Robots:
    """Parse the response to a request for robots.txt.

    A client error means that there is none; a server error (and "too many requests") means that nothing may
    be read until it is known.
    """
    if response.status == 429 or response.status >= 500:
        return Robots(closed=Message("robots.bad_status", status=response.status))
    if response.status >= 300:
        return Robots()
    body = response.body
    if len(body) > MAX_BYTES:
        body = body[: body.rfind(b"\n", 0, MAX_BYTES) + 1 or MAX_BYTES]
    return Robots(body.decode("utf-8-sig", "replace"))


def derive_limit(rules: Robots | None) -> Limit:
    """Return the limit of a host: its own delay, but at least a second between requests.

    None: its robots.txt is unknown.
    """
    delay = rules.delay_s if rules else 0.0
    return Limit(max(delay, MIN_INTERVAL_S), parallel=1, per_day=PER_DAY)


class RobotsCache:
    """robots.txt of every site, requested once a day at the pace of its host.

    Only one of all processes requests it at a time. Redirects are followed to other hosts too (RFC 9309
    2.3.1.2), each at its own pace; the result applies to the first.
    """

    def __init__(self, fetcher: Fetcher, cache: Cache, limiter: Limiter, clock: Clock | None = None) -> None:
        self._fetcher = fetcher
        self._cache = cache
        self._limiter = limiter
        self._clock = clock
        self._chains = RedirectMemory(cache)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def find_rules(self, url: str, ticket: str) -> Robots:
        """Return the rules of this page's site; `ticket` as for the page.

        Raises: as `await_turn`, and ForbiddenAddress and InvalidParams as the page itself would.
        """
        site = extract_site(url)
        lock = self._asking.setdefault(site, asyncio.Lock())
        async with lock:
            robots = await self._find_known(site)
            return await self._ask(site, ticket) if robots is None else await _compile_robots(robots)

    async def _find_known(self, site: str) -> Robots | None:
        entry = await self._cache.get(f"robots {site}")
        return None if entry is None else build(entry.value, Robots)

    async def _ask(self, site: str, ticket: str) -> Robots:
        name = f"robots.txt of {site}"
        closed_s = KEPT_CLOSED_S
        chain = await self._chains.find_chain(name, f"{site}/robots.txt")
        try:
            while True:
                robots, response, patience_s = await self._send_hop(chain, site, ticket)
                closed_s = max(closed_s, patience_s)
                if not (target := redirect_target(response)):
                    break
                chain = chain.extend(target)
                await self._chains.keep(name, chain)
        except (AllFetchesFailed, TimedOut, TooLarge, UnsupportedMedia) as error:
            robots = Robots(closed=Message("robots.unreachable", cause=error.message))
        await self._chains.forget(name, chain)
        if not chain.begins:  # the pace it wants counts from the end of the chain
            await self._limiter.release(f"host:{extract_host(site)}", derive_limit(robots), ticket)
        await self._cache.put(f"robots {site}", to_plain(robots), closed_s if robots.closed else KEPT_S)
        return robots

    async def _send_hop(self, chain: RedirectChain, site: str, ticket: str) -> tuple[Robots, Response, float]:
        """Send one request of the chain; also return the delay that its host then requests, in seconds."""
        # The page's own ticket: it keeps its place in the queue if another process already has the response
        # by its turn.
        host = extract_host(chain.url)
        first = chain.begins
        elsewhere = None if first else await self._find_known(extract_site(chain.url))
        limit = derive_limit(elsewhere)
        patience_s = 0.0
        await await_turn(self._limiter, host, limit, ticket)
        try:
            response = await self._fetcher.fetch(Request(chain.url, one_hop=True))
            found_robots = await _compile_robots(parse_robots(response))
            if response.status in SLOW_DOWN:
                patience_s = retry_after(response.headers, self._clock.now() if self._clock else None) or 0.0
            limit = derive_limit(found_robots) if first else limit
            return found_robots, response, patience_s
        finally:
            await self._limiter.release(f"host:{host}", limit, ticket, after_s=patience_s)


async def _compile_robots(robots: Robots) -> Robots:
    if len(robots.text) > _LARGE:
        await asyncio.to_thread(_read, robots.text)
    return robots


@lru_cache(maxsize=8)  # a hostile file takes 36 MB
def _read(text: str) -> Protego:
    return Protego.parse(_VERSION.sub(r"\1", text))
