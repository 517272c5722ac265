"""One result page of one engine, requested politely: permit, budget, request, parsing, circuit breaker."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from shisho.domain.intervention import HumanChallenge
from shisho.domain.politeness import BreakerState, Limit, RequestOutcome
from shisho.domain.time import compute_backoff, count_seconds, to_date
from shisho.domain.web import (
    ChallengeKind,
    EngineAbout,
    EngineQuery,
    Request,
    Response,
    Serp,
    State,
    TimeRange,
)
from shisho.errors import BudgetExhausted, EngineUnavailable, InvalidParams, ShishoError
from shisho.messages import Message
from shisho.ports import Clock, Fetcher, Health, Limiter, SerpEngine, SerpParser
from shisho.records import dataclass
from shisho.telemetry import count
from shisho.web.http.pacing import SLOW_DOWN, Browse, Pay, RetryLater, retry_after
from shisho.web.serp.credentials import fetch_authorised, limit_of

_ADDRESS = re.compile(r"https?://([^\s/?#]{1,300})\S*")
_SHORTEST = 2  # characters: a page's number is not a private word


def hide_words(reason: str, request: Request) -> str:
    """Return the reason without the request's values, and with only the hosts of addresses."""
    values = {*request.form.values(), *(value for _, value in parse_qsl(urlsplit(request.url).query))}
    return _drop_words(reason, {value for value in values if len(value) >= _SHORTEST})


def _drop_words(text: str, words: Iterable[str]) -> str:
    if isinstance(text, Message) and text.values:
        values = {
            name: _drop_words(value, words) if isinstance(value, str) else value
            for name, value in text.values.items()
        }
        return Message(text.id, **values)
    hidden = _ADDRESS.sub(r"\1", text)
    for word in words:
        for spelling in (word, quote(word), quote_plus(word)):
            hidden = hidden.replace(spelling, "…")
    return hidden


_OPERATORS = re.compile(
    r"[\"“”「」]|(?:^|\s)[-+]\S|\b(?:site|inurl|intitle|filetype|url|ip|lang(?:uage)?|loc):",
    re.IGNORECASE,
)
PROBED_S = 5.0  # while another caller probes an engine


class QuotaSpent(RetryLater):
    """The daily limit is reached; `seconds` is until the next day."""

    def __init__(self, engine: str, seconds: float) -> None:
        reason = EngineUnavailable("engine.daily_limit", engine=engine)
        super().__init__(seconds, reason=reason)


class BreakerOpen(RetryLater):
    """The engine's breaker is open; `seconds` is until it may be tried."""

    def __init__(self, engine: str, seconds: float) -> None:
        # The cause belongs to the request of the last caller, who may be another person.
        super().__init__(seconds, reason=EngineUnavailable("engine.cooling_down", engine=engine))


class StateExpired(Exception):
    """The engine no longer knows its own state of an earlier page: request page 1 again."""


class PersonNeeded(Exception):
    """A page with a challenge for a person."""

    def __init__(self, challenge: HumanChallenge, retry_after_s: float = 0.0) -> None:
        super().__init__(challenge.kind)
        self.met = challenge
        self.retry_after_s = retry_after_s


class EngineRefused(EngineUnavailable):
    """The engine refuses to answer, and no person can solve that."""


def assume_nobody(engine: str) -> bool:
    """Return False: no person has used any engine."""
    return False


def is_plain(query: EngineQuery) -> bool:
    """Return True if a query has only words, so that it should have results.

    Quotes, operators or a time range may rightly match nothing.
    """
    return query.time_range is TimeRange.ALL and not _OPERATORS.search(query.text)


@dataclass(frozen=True, slots=True)
class SerpExchange:
    """A result page with its request, in a form to store: without the user's keys."""

    request: Request
    serp: Serp
    status: int


@dataclass(frozen=True, slots=True)
class SerpClient:
    """A client for result pages.

    `browse` serves engines that need a browser (None: there is none); `keys` are the user's own, by setting.
    `is_opened_by_person` returns True for an engine that a person has used in our browser's window. Only that
    browser has their clearance, so the engine is then requested through it.
    """

    fetcher: Fetcher
    browse: Browse | None
    parser: SerpParser
    limiter: Limiter
    health: Health
    clock: Clock
    keys: Mapping[str, str]
    is_opened_by_person: Callable[[str], bool] = assume_nobody

    def limit_of(self, about: EngineAbout) -> Limit:
        """Return the engine's limit, as its keys allow."""
        return limit_of(about, self.keys)

    async def fetch_page(
        self,
        engine: SerpEngine,
        query: EngineQuery,
        number: int,
        state: State,
        ticket: str,
        pay: Pay,
        *,
        doubted: bool = False,
    ) -> SerpExchange:
        """Return result page `number`.

        `doubted`: the state is not from today. A response that is not a result page may then be its fault; it
        does not count against the engine and raises StateExpired. If the page leads to another request
        (`Serp.follow`), it has no hits yet: see `follow`.

        Raises: RetryLater, BreakerOpen, QuotaSpent, PersonNeeded, BudgetExhausted, and the errors of fetcher
        and parser, which count against the engine.
        """
        try:
            request = engine.request(query, number, state)
        except InvalidParams as error:
            if "missing" in error.details and number > 1:
                raise StateExpired from error
            raise
        plain = number == 1 and is_plain(query)
        return await self._exchange_once(engine, request, ticket, pay, doubted, plain=plain)

    async def follow(
        self, engine: SerpEngine, first: SerpExchange, follow: Request, ticket: str, pay: Pay
    ) -> SerpExchange:
        """Return the result page that `first` leads to, with the next-page state of `first`.

        Raises: as `fetch_page`.
        """
        exchange = await self._exchange_once(engine, follow, ticket, pay, doubted=False)
        warnings = (*first.serp.warnings, *exchange.serp.warnings)
        return replace(
            first,
            serp=replace(exchange.serp, next=first.serp.next, warnings=warnings),
            status=exchange.status,
        )

    async def describe_rest(self, engine: str) -> BreakerOpen:
        """Return the error for an open breaker, with the time until the engine may be tried."""
        until = (await self.health.read([engine]))[engine].open_until
        seconds = PROBED_S if until is None else count_seconds(self.clock.timeline_now(), until)
        return BreakerOpen(engine, max(PROBED_S, seconds))

    async def _exchange_once(
        self,
        engine: SerpEngine,
        request: Request,
        ticket: str,
        pay: Pay,
        doubted: bool,
        *,
        plain: bool = False,
    ) -> SerpExchange:
        name = engine.about.name
        limit = self.limit_of(engine.about)
        resource = f"engine:{engine.about.name}"
        if not await self.health.probe(name, ticket):
            raise await self.describe_rest(name)
        leave = await self.limiter.acquire(resource, limit, ticket)
        if not leave.granted:
            raise QuotaSpent(name, leave.wait_s) if leave.spent else RetryLater(leave.wait_s)
        after = 0.0
        try:
            if not await pay():
                raise BudgetExhausted("task.pages_spent")
            return await self._exchange(engine, request, doubted, plain)
        except RetryLater as slow:
            after = slow.seconds
            raise
        except ShishoError as error:
            after = float(error.details.get("retry_after_s") or 0.0)
            raise
        except PersonNeeded as needs:
            after = needs.retry_after_s
            raise
        finally:
            await self.limiter.release(resource, limit, ticket, after_s=after)

    async def _exchange(
        self, engine: SerpEngine, request: Request, doubted: bool, plain: bool
    ) -> SerpExchange:
        name = engine.about.name
        began = self.clock.monotonic()
        response: Response | None = None
        try:
            response = await self._fetch(engine.about, request)
            serp = await self.parser.parse(name, response)
            if serp.no_results and plain and engine.about.blocks_in_silence:
                raise EngineRefused(
                    "engine.silent_block",
                    engine=name,
                )
        except ShishoError as error:
            if (
                doubted
                and response is not None
                and response.status < 500
                and response.status not in SLOW_DOWN
            ):
                raise StateExpired from error
            count("engine_requests", engine=name, outcome=RequestOutcome.FAILURE)
            learnt = await self.health.record(
                name,
                RequestOutcome.FAILURE,
                self.clock.monotonic() - began,
                hide_words(error.message, request),
            )
            if response is None or response.status not in SLOW_DOWN:
                raise
            patience_s = self._read_delay(response)
            if learnt.breaker is not BreakerState.OPEN:
                wait_s = (
                    compute_backoff(learnt.failures, random.random()) if patience_s is None else patience_s
                )
                asked = EngineUnavailable("engine.rate_limited", engine=name)
                raise RetryLater(wait_s, reason=asked) from error
            raise type(error)(error.message, **error.details, retry_after_s=patience_s) from error
        challenge = serp.challenge
        if challenge is not None and doubted:
            raise StateExpired
        outcome, reason = (
            (RequestOutcome.SUCCESS, "")
            if challenge is None
            else (RequestOutcome.CHALLENGE, f"{challenge.kind}: {challenge.marker}")
        )
        count("engine_requests", engine=name, outcome=outcome)
        await self.health.record(name, outcome, self.clock.monotonic() - began, hide_words(reason, request))
        if challenge is not None and challenge.kind is ChallengeKind.BLOCKED:
            details = {"engine": name, "retry_after_s": self._read_delay(response)}
            raise EngineRefused("engine.denied", **details)
        if challenge is not None:
            needed = HumanChallenge(name, urlsplit(request.url).hostname or "", request.url, challenge.kind)
            raise PersonNeeded(needed, self._read_delay(response) or 0.0)
        return SerpExchange(request, serp, response.status)

    def _read_delay(self, response: Response) -> float | None:
        """Return the delay in seconds that a "slow down" response requests, or None."""
        return retry_after(response.headers, self.clock.now()) if response.status in SLOW_DOWN else None

    async def _fetch(self, about: EngineAbout, request: Request) -> Response:
        today = to_date(self.clock.now())
        by_browser = about.needs_browser or (self.browse is not None and self.is_opened_by_person(about.name))
        if not by_browser:
            return replace(await fetch_authorised(self.fetcher.fetch, request, about, self.keys), today=today)
        if self.browse is None:
            raise EngineUnavailable("engine.needs_browser", engine=about.name)
        return replace(await self.browse(request, about.name), today=today)
