"""One web page, fetched politely.

robots.txt, the host's pace, the budget, and the meaning of the response.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from shisho.domain.time import compute_backoff
from shisho.domain.web import Challenge, ChallengeKind, Request, Response
from shisho.errors import (
    AllFetchesFailed,
    AuthRequired,
    BudgetExhausted,
    RobotsDisallowed,
    ShishoError,
    TimedOut,
)
from shisho.ports import Cache, Clock, Fetcher, Limiter
from shisho.records import dataclass
from shisho.web.crawl.robots import Robots, RobotsCache, derive_limit
from shisho.web.http.challenge import detect
from shisho.web.http.pacing import (
    MAX_TRIES,
    SLOW_DOWN,
    Browse,
    Pay,
    RetryLater,
    await_turn,
    retry_after,
)
from shisho.web.http.redirects import RedirectChain, RedirectMemory, redirect_target, refresh_target
from shisho.web.http.url import extract_host

# a challenge has fewer bytes and paragraphs
SMALL = 20_000
PARAGRAPHS = 3
SHORT_S = 2.0  # a visit may wait this long without being rescheduled
TOTAL_S = 20.0  # for a page and the redirects on the way to it
REMEMBERED_S = 600.0  # how long a host's "slow down" is remembered
# The page itself, or a confirmation that it is unchanged. Others below 400 are a part or a promise: some
# walls answer "accepted" (202), and "moved" without an address has no other content.
_PAGES = frozenset((200, 203, 304))


@dataclass(frozen=True, slots=True)
class PageClient:
    """A client for web pages.

    `robots` None: robots.txt is ignored at the owner's request. `browse` None: there is no browser.
    """

    fetcher: Fetcher
    browse: Browse | None
    robots: RobotsCache | None
    limiter: Limiter
    cache: Cache
    clock: Clock

    async def fetch_page(
        self, request: Request, ticket: str, pay: Pay, *, browse: Browse | None = None
    ) -> Response:
        """Return the page, or 304 if nothing has changed; with `browse`, as rendered by its scripts.

        Redirects and forwarding pages are followed one request at a time: each host has its own robots.txt,
        turn and daily limit; together they cost one page.

        Raises: RetryLater if a host must be left alone for now, BudgetExhausted, RobotsDisallowed,
        AuthRequired for a challenge, and AllFetchesFailed for a response that is not the page: an error, a
        part, a promise.
        """
        if browse is not None:
            return await self._fetch_by_browser(request, ticket, pay, browse)
        memory = RedirectMemory(self.cache)
        took_s = 0.0
        chain = await memory.find_chain(ticket, request.url)
        try:
            while True:
                began = self.clock.monotonic()
                fetch = partial(self._fetch_within, TOTAL_S - took_s)
                asked_request = replace(request, url=chain.url, one_hop=True)
                response = await self._send_within_rules(
                    asked_request, ticket, pay if chain.begins else _pay_host, fetch
                )
                took_s += self.clock.monotonic() - began
                if not (target := _find_next_target(response, chain)):
                    break
                chain = chain.extend(target)
                await memory.keep(ticket, chain)
        except ShishoError:
            await memory.forget(ticket, chain)
            raise
        await memory.forget(ticket, chain)
        return response

    async def _fetch_within(self, seconds: float, request: Request) -> Response:
        try:
            async with asyncio.timeout(max(seconds, 0.0)):
                return await self.fetcher.fetch(request)
        except TimeoutError as late:
            host = extract_host(request.url)
            raise TimedOut(
                "fetch.redirects_timeout",
                host=host,
                seconds=TOTAL_S,
            ) from late

    async def _fetch_by_browser(self, request: Request, ticket: str, pay: Pay, browse: Browse) -> Response:
        """Fetch by the browser, which follows redirects without permits.

        A page from a host whose robots.txt forbids it is discarded, and the host still gets its pause.
        """

        async def fetch(asked_request: Request) -> Response:
            return await browse(asked_request, "")

        response = await self._send_within_rules(request, ticket, pay, fetch)
        host = extract_host(response.url)
        if response.url and host != extract_host(request.url):
            rules = await self._find_rules(response.url, ticket)
            await self.limiter.release(f"host:{host}", derive_limit(rules), ticket)
        return response

    async def _find_rules(self, url: str, ticket: str) -> Robots | None:
        """Return the rules of this page's site; None if robots.txt is ignored. Raises RobotsDisallowed."""
        rules = await self.robots.find_rules(url, ticket) if self.robots else None
        if rules is not None and (refusal := rules.explain_refusal(url)):
            raise RobotsDisallowed(
                "fetch.robots_refused",
                host=extract_host(url),
                refusal=refusal,
                url=url,
            )
        return rules

    async def _send_within_rules(
        self, request: Request, ticket: str, pay: Pay, fetch: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Send one request within its host's rules and pace."""
        host = extract_host(request.url)
        after = 0.0
        limit = derive_limit(await self._find_rules(request.url, ticket))
        tries = await self._count_tries(host)
        await await_turn(self.limiter, host, limit, ticket)
        try:
            if not await pay():
                raise BudgetExhausted("task.pages_spent")
            response = await fetch(request)
            challenge = None if redirect_target(response) else _find_challenge(response)
            if response.status in SLOW_DOWN:
                asked_s = retry_after(response.headers, self.clock.now())
                after = asked_s or 0.0
                if challenge is None or challenge.kind is ChallengeKind.BLOCKED:
                    after = compute_backoff(tries + 1, random.random()) if asked_s is None else asked_s
                    raise await self._slow_down(host, tries + 1, after)
            if tries:
                await self.cache.put(f"slow host:{host}", 0, REMEMBERED_S)
        finally:
            await self.limiter.release(f"host:{host}", limit, ticket, after_s=after)
        return _expect_usable(request.url, response, challenge)

    async def render(self, request: Request, ticket: str, pay: Pay) -> Response | None:
        """Render a page without text; None if there is no browser, or its host is too slow to ask again."""
        if self.browse is None:
            return None
        try:
            return await self.fetch_page(request, ticket, pay, browse=self.browse)
        except RetryLater as later:
            if later.seconds > SHORT_S:
                return None
            await asyncio.sleep(later.seconds)
        with suppress(RetryLater):
            return await self.fetch_page(request, ticket, pay, browse=self.browse)
        return None

    async def _count_tries(self, host: str) -> int:
        """Return how often the host has asked for patience lately.

        Raises AllFetchesFailed after too many times.
        """
        entry = await self.cache.get(f"slow host:{host}")
        if entry is not None and entry.value >= MAX_TRIES:
            raise _refuse_host(host)
        return entry.value if entry is not None else 0

    async def _slow_down(self, host: str, tries: int, after: float) -> RetryLater | AllFetchesFailed:
        await self.cache.put(f"slow host:{host}", tries, REMEMBERED_S + after)
        if tries >= MAX_TRIES:
            return _refuse_host(host)
        return RetryLater(after, host, AllFetchesFailed("fetch.host_cooling", host=host))


async def _pay_host() -> bool:
    return True


def _find_next_target(response: Response, chain: RedirectChain) -> str:
    """Return the next address; a page that only forwards back is one to be read."""
    target = redirect_target(response)
    refreshed = "" if target else refresh_target(response)
    return target or (refreshed if refreshed not in chain.urls else "")


def _refuse_host(host: str) -> AllFetchesFailed:
    return AllFetchesFailed("fetch.rate_limited", host=host)


def _expect_usable(url: str, response: Response, challenge: Challenge | None) -> Response:
    if challenge is not None:
        raise AuthRequired(
            "fetch.challenged",
            url=url,
            kind=challenge.kind,
        )
    if response.status not in _PAGES and not redirect_target(response):
        raise AllFetchesFailed("fetch.bad_status", url=url, status=response.status)
    return response


def _find_challenge(response: Response) -> Challenge | None:
    # The markers of challenges are ASCII.
    return (
        detect(response.body.decode("latin-1"), response.url, response.status)
        if _may_be_challenge(response)
        else None
    )


def _may_be_challenge(response: Response) -> bool:
    """Return True if the page is small. Pages with content also contain captchas, in their forms."""
    if "html" not in (response.media_type or "html"):
        return False
    small = len(response.body) < SMALL and response.body.count(b"<p") < PARAGRAPHS
    return small or (response.status >= 400 and len(response.body) < 10 * SMALL)
