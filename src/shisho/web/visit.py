"""One web page, fetched politely: robots.txt, the host's pace, the budget, and what its answer means."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from shisho.domain.web import Challenge, ChallengeKind, Request, Response
from shisho.errors import AllFetchesFailed, AuthRequired, BudgetExhausted, RobotsDisallowed
from shisho.ports import Cache, Clock, Fetcher, Limiter
from shisho.web.asking import SLOW_DOWN, Browse, Pay
from shisho.web.challenge import detect
from shisho.web.politeness import MOST_TRIES, Later, RobotsBook, backoff, host_limit, retry_after, turn_at

SMALL, PARAGRAPHS = 20_000, 3  # a challenge has fewer bytes and paragraphs
SHORT_S = 2.0  # a visit may wait so long in its place
REMEMBERED_S = 600.0  # how long a host's "slow down" counts towards the next


@dataclass(frozen=True, slots=True)
class Visiting:
    """The way to web pages. `robots` None: robots.txt is not asked, because the owner has said so. `browse` None: there is no
    browser here."""

    fetcher: Fetcher
    browse: Browse | None
    robots: RobotsBook | None
    limiter: Limiter
    cache: Cache
    clock: Clock

    async def page(self, request: Request, ticket: str, pay: Pay, *, browse: Browse | None = None) -> Response:
        """The page, or 304 where nothing has changed; `browse`: as its scripts make it. Raises Later where its host must be
        left alone for now, BudgetExhausted, RobotsDisallowed, AuthRequired where it wants a person, and AllFetchesFailed for an
        error's page."""
        host = urlsplit(request.url).hostname or ""
        rules = await self.robots.rules(request.url, ticket) if self.robots else None
        if rules is not None and (refusal := rules.refusal(request.url)):
            raise RobotsDisallowed(f"{host} {refusal}: {request.url}. Open it in a browser, save it, add the file.")
        limit, resource, tries = host_limit(rules), f"host:{host}", await self._tries(host)
        await turn_at(self.limiter, host, limit, ticket)
        after = 0.0
        try:
            if not await pay():
                raise BudgetExhausted("The task's budget of pages is spent. Open a task with a larger max_pages.")
            response = await (browse(request, "") if browse else self.fetcher.fetch(request))
            met = _challenge(response)
            if response.status in SLOW_DOWN and (met is None or met.kind is ChallengeKind.BLOCKED):
                told = retry_after(response.headers, self.clock.now())
                after = backoff(tries + 1, random.random()) if told is None else told
                raise await self._slower(host, tries + 1, after)
            if tries:
                await self.cache.put(f"slow host:{host}", 0, REMEMBERED_S)
        finally:
            await self.limiter.give_back(resource, limit, ticket, after_s=after)
        return _usable(request.url, response, met)

    async def rendered(self, request: Request, ticket: str, pay: Pay) -> Response | None:
        """A page without text as its scripts make it; None where there is no browser, or its host is too slow to ask again."""
        if self.browse is None:
            return None
        try:
            return await self.page(request, ticket, pay, browse=self.browse)
        except Later as later:
            if later.seconds > SHORT_S:
                return None
            await asyncio.sleep(later.seconds)
        with suppress(Later):
            return await self.page(request, ticket, pay, browse=self.browse)
        return None

    async def _tries(self, host: str) -> int:
        """How often the host has asked for patience lately; raises AllFetchesFailed where that was too often."""
        known = await self.cache.get(f"slow host:{host}")
        if known is not None and known.value >= MOST_TRIES:
            raise _left_alone(host)
        return known.value if known is not None else 0

    async def _slower(self, host: str, tries: int, after: float) -> Later | AllFetchesFailed:
        await self.cache.put(f"slow host:{host}", tries, REMEMBERED_S)
        return _left_alone(host) if tries >= MOST_TRIES else Later(after)


def _left_alone(host: str) -> AllFetchesFailed:
    return AllFetchesFailed(f"{host} asks to be left alone (status 429 or 503). Try again in ten minutes.", host=host)


def _usable(url: str, response: Response, met: Challenge | None) -> Response:
    if met is not None:
        raise AuthRequired(f"{url} wants proof of a person ({met.kind}): open it in a browser, save it, add the file.")
    if response.status >= 400:
        raise AllFetchesFailed(f"{url} answered with status {response.status}.", status=response.status)
    return response


def _challenge(response: Response) -> Challenge | None:
    # The marks that give a challenge away are ASCII.
    return detect(response.body.decode("latin-1"), response.url, response.status) if _may_bar(response) else None


def _may_bar(response: Response) -> bool:
    """Pages with something to read carry captchas too, in their forms."""
    if "html" not in (response.media_type or "html"):
        return False
    small = len(response.body) < SMALL and response.body.count(b"<p") < PARAGRAPHS
    return small or (response.status >= 400 and len(response.body) < 10 * SMALL)
