"""The requests of one search to its engine: result pages, one after the other, with a cache."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import count, takewhile
from typing import TypeVar

from shisho.domain.codec import build, to_plain
from shisho.domain.discovered_url import DiscoveredUrl, StoredUrl
from shisho.domain.intervention import HumanChallenge
from shisho.domain.job import Job, Priority
from shisho.domain.payloads import SearchFailure, SearchJob
from shisho.domain.politeness import DAY_S
from shisho.domain.time import Instant, to_date, to_epoch
from shisho.domain.web import EngineQuery, PagingStop, SerpHit
from shisho.errors import AllEnginesBlocked, BudgetExhausted, EngineUnavailable, ShishoError, StoreUnavailable
from shisho.jobs.context import JobContext
from shisho.language.terms import fold
from shisho.messages import Message
from shisho.ports import Cache, DiscoveredUrls, SerpEngine
from shisho.records import dataclass
from shisho.web.http.pacing import RetryLater
from shisho.web.http.url import canonicalise
from shisho.web.serp.client import (
    BreakerOpen,
    PersonNeeded,
    QuotaSpent,
    SerpClient,
    SerpExchange,
    StateExpired,
)
from shisho.web.serp.selection import (
    GENERAL,
    Candidate,
    Choice,
    EngineAvailability,
    Needs,
    PassedOverReason,
    classify_query,
    rank_engines,
)
from shisho.web.serp.stopping import DepthReached, PageFacts, PagingSettings, ResultPage, is_repeat

WHOLE_S = 24 * 3600.0
PARTIAL_S = 600.0
CUT_SHORT = frozenset(
    (PagingStop.QUOTA, PagingStop.CHALLENGE, PagingStop.ERROR, PagingStop.BUDGET, PagingStop.STOPPED)
)


@dataclass(frozen=True, slots=True)
class CachedSerp:
    """A result page with its hits; for a cached page, only those that no earlier page had."""

    page: ResultPage
    hits: tuple[SerpHit, ...]


class SerpCache:
    """The cached pages of one search."""

    def __init__(self, cache: Cache, search_job: SearchJob) -> None:
        self._cache = cache
        self._asked = search_job
        self._by_engine: dict[str, dict[int, CachedSerp]] = {}

    async def read_pages(self, engine: str) -> Mapping[int, CachedSerp]:
        """Return an engine's pages by number, as they were at the search's first request for them."""
        if engine not in self._by_engine:
            entry = await self._cache.get(_make_key(self._asked, engine))
            sheets = [build(packed, CachedSerp) for packed in entry.value] if entry else []
            self._by_engine[engine] = {sheet.page.number: sheet for sheet in sheets}
        return self._by_engine[engine]

    async def keep(self, pages: Sequence[ResultPage], stop: PagingStop, urls: Sequence[StoredUrl]) -> None:
        """Store pages with the time of their request: using cached pages does not extend their lifetime."""
        if all(page.cached for page in pages):
            return
        hits: dict[int | None, list[SerpHit]] = {}
        for url in urls:
            other_hit = url.find
            hit = SerpHit(
                other_hit.rank_on_page or 0,
                other_hit.url,
                other_hit.title,
                other_hit.snippet,
                other_hit.published_at,
            )
            hits.setdefault(other_hit.page_number, []).append(hit)
        sheets = [
            CachedSerp(replace(page, cached=True, attempt=0), tuple(hits.get(page.number, ())))
            for page in pages
        ]
        short = stop in CUT_SHORT
        seconds = PARTIAL_S if short else WHOLE_S
        await self._cache.put(
            _make_key(self._asked, pages[0].engine), to_plain(sheets), seconds, partial=short
        )


def _make_key(search_job: SearchJob, engine: str) -> str:
    """Return the same key for searches that an engine would answer alike."""
    alike = replace(search_job, query=fold(search_job.query), owner="", corpus="", until=None, without=())
    option_values = to_plain(replace(alike, engines=(), categories=(), priority=Priority.MEDIUM))
    return "serp " + hashlib.sha256(json.dumps([engine, option_values], sort_keys=True).encode()).hexdigest()


T = TypeVar("T")

LOOK_AGAIN_S = 1.0
# a hostile page must not fill the database
MAX_HITS = 100
LONGEST_URL = 8_000
LONGEST_TITLE = 500
LONGEST_SNIPPET = 2_000


@dataclass(frozen=True, slots=True)
class EngineAccess:
    """The engines and everything needed to ask them.

    `missing`: settings of keys without a value. `find_pending` returns an owner's challenge at an engine;
    `list_solved` reports that the engine answers again.
    """

    table: Mapping[str, SerpEngine]
    missing: frozenset[str]
    asking: SerpClient
    finds: DiscoveredUrls
    cache: Cache
    find_pending: Callable[[str, str], Awaitable[HumanChallenge | None]]
    list_solved: Callable[[str, str], Awaitable[object]]
    paging: Mapping[str, PagingSettings] = field(default_factory=dict)

    def find_paging(self, engine: str) -> PagingSettings:
        """Return the engine's current paging settings."""
        return self.paging.get(engine, PagingSettings())


async def wait_without_end() -> float:
    return math.inf


class SerpAttempt:
    """One attempt at one job's result pages. Requests of an earlier attempt are not repeated.

    `patience`: seconds that the job may still wait for an engine that wants to be left alone.
    """

    def __init__(
        self,
        engines: EngineAccess,
        job: Job,
        context: JobContext,
        search_job: SearchJob,
        patience: Callable[[], Awaitable[float]] = wait_without_end,
    ) -> None:
        self._engines = engines
        self._job = job
        self._context = context
        self._asked = search_job
        self._patience = patience
        self._categories = search_job.categories or (classify_query(search_job.query),)
        self.sheets = SerpCache(engines.cache, search_job)

    @property
    def categories(self) -> tuple[str, ...]:
        """The requested categories, else those of the query."""
        return self._categories

    async def read_next(self, pages: Sequence[ResultPage]) -> ResultPage:
        """Return the page after these. Raises as `ResultPages` expects; a longer wait frees the worker."""
        number = self._asked.serp_page + len(pages)
        work = partial(self._read_page, Candidate(pages[0].engine), pages) if pages else self._read_first
        while True:
            try:
                return await self._context.step(f"page {number}", ResultPage, work)
            except RetryLater as later:
                if pages and isinstance(later, QuotaSpent):
                    raise
                if pages and isinstance(later, BreakerOpen):
                    for needs in await self._find_joinable([pages[0].engine], pages):
                        raise needs from later
                elif pages and (error := await self._find_overlong_wait(pages[0].engine, later)) is not None:
                    raise error from later
                await self._context.wait(later.seconds, later.reason)

    async def list_known(self) -> list[ResultPage]:
        """Return the pages of this job so far, from all attempts."""
        taken = await self._context.list_taken("page ")
        keys = takewhile(taken.__contains__, (f"page {number}" for number in count(self._asked.serp_page)))
        return [taken[key].read(ResultPage) for key in keys]

    async def remember_need(self, challenge: HumanChallenge, pages: Sequence[ResultPage]) -> None:
        """Record the challenge after these pages, so that a resumed job asks for the same person."""
        await self._context.step(
            self._make_met_key(challenge.engine, pages), HumanChallenge, partial(_return_value, challenge)
        )

    async def _find_awaited(self, engine: str, pages: Sequence[ResultPage]) -> HumanChallenge | None:
        """Return the challenge that an engine in cooldown waits for, if any."""
        challenge = await self._engines.find_pending(self._asked.owner, engine)
        key = self._make_met_key(engine, pages)
        known_step = (await self._context.list_taken(key)).get(key)
        if challenge is None and known_step is not None:
            return known_step.read(HumanChallenge)
        return challenge

    def _make_met_key(self, engine: str, pages: Sequence[ResultPage]) -> str:
        return f"met {engine} at page {self._asked.serp_page + len(pages)}"

    async def _read_first(self) -> ResultPage:
        """Try each candidate in turn; then wait for a person, or for the first cooldown, or give up."""
        choice = await self._choose()
        waits = await self._list_waits(choice)
        errors = list[ShishoError]()
        need = list[PersonNeeded]()
        resting = [
            passed_over.engine for passed_over in choice.passed if passed_over.why is PassedOverReason.RESTING
        ]
        for candidate in choice.candidates:
            try:
                return await self._read_page(candidate, ())
            except QuotaSpent as quota_spent:
                waits.append(quota_spent)
            except BreakerOpen as rests:
                waits.append(rests)
                resting.append(candidate.engine)
            except RetryLater as later:
                if (error := await self._find_overlong_wait(candidate.engine, later)) is None:
                    await self._context.step("turn", str, partial(_return_value, candidate.engine))
                    raise
                errors.append(error)
                await self._skip_engine(candidate.engine, error.code, error.message)
            except (BudgetExhausted, StoreUnavailable):
                raise
            except PersonNeeded as needs:
                need.append(needs)
                await self._skip_engine(
                    candidate.engine,
                    "AUTH_REQUIRED",
                    Message("engine.challenged", kind=needs.met.kind),
                )
            except ShishoError as error:
                errors.append(error)
                await self._skip_engine(candidate.engine, error.code, error.message)
        need = need or await self._find_joinable(resting)
        if need:
            raise need[0]
        if waits:
            raise min(waits, key=lambda later: later.seconds)
        if not errors and any(
            passed_over.why is PassedOverReason.TOO_SHALLOW for passed_over in choice.passed
        ):
            raise DepthReached
        raise _build_failure(errors, choice)

    async def _find_overlong_wait(self, engine: str, later: RetryLater) -> EngineUnavailable | None:
        """Return an error if an engine wants to be left alone for longer than the job has time."""
        remaining = await self._patience()
        if later.seconds <= remaining:
            return None
        return EngineUnavailable(
            "engine.asks_to_wait",
            engine=engine,
            wait_s=later.seconds,
            left_s=remaining,
        )

    async def _choose(self) -> Choice:
        """Choose engines; recomputed at each attempt, because engines fail and recover while a job waits.

        An engine that was waited for comes first.
        """
        asking = self._engines.asking
        search_job = self._asked
        table = self._engines.table
        abouts = [engine.about for name, engine in table.items() if name not in search_job.without]
        health = await asking.health.read([about.name for about in abouts])
        limits = {f"engine:{about.name}": asking.limit_of(about) for about in abouts}
        limiter_status = {
            name.removeprefix("engine:"): how
            for name, how in (await asking.limiter.read_status(limits)).items()
        }
        # Few engines belong to only one category: general ones replace those in cooldown.
        categories = search_job.categories or tuple(dict.fromkeys((*self._categories, GENERAL)))
        needs = Needs(
            search_job.query,
            categories,
            search_job.engines,
            search_job.language,
            search_job.time_range,
            search_job.serp_page,
        )
        choice = rank_engines(
            abouts,
            needs,
            EngineAvailability(health, limiter_status, self._engines.missing, asking.browse is not None),
        )
        passed = await self._context.list_taken("passed over ")
        turn = (await self._context.list_taken("turn")).get("turn")
        first = None if turn is None else turn.read(str)
        order = sorted(
            choice.candidates,
            key=lambda candidate: (f"passed over {candidate.engine}" in passed, candidate.engine != first),
        )
        return replace(choice, candidates=tuple(order))

    async def _find_joinable(
        self, resting: Sequence[str], pages: Sequence[ResultPage] = ()
    ) -> list[PersonNeeded]:
        """Return engines that already wait for a person, for whom this job may wait too.

        A breaker opens a moment before the job that opened it waits.
        """
        for wait in (0.0, LOOK_AGAIN_S) if resting else ():
            await asyncio.sleep(wait)
            challenges = [await self._find_awaited(engine, pages) for engine in resting]
            if any(challenges):
                return [PersonNeeded(challenge) for challenge in challenges if challenge is not None]
        return []

    async def _list_waits(self, choice: Choice) -> list[RetryLater]:
        """Return the waits for engines that are only in cooldown or over quota."""
        asking = self._engines.asking
        waits = list[RetryLater]()
        for passed_over in choice.passed:
            if passed_over.why is PassedOverReason.RESTING:
                waits.append(await asking.describe_rest(passed_over.engine))
            elif passed_over.why is PassedOverReason.SPENT:
                tomorrow_s = count_seconds_until_tomorrow(asking.clock.now())
                waits.append(QuotaSpent(passed_over.engine, tomorrow_s))
        return waits

    async def _skip_engine(self, engine: str, code: str, reason: str) -> None:
        failure = SearchFailure("", code, Message("common.name_reason", engine=engine, reason=reason))
        await self._context.step(
            f"passed over {engine}",
            SearchFailure,
            partial(_return_value, failure),
        )

    async def list_passed_over(self) -> list[SearchFailure]:
        """List the engines that were excluded before the first page, with the reasons."""
        passed = await self._context.list_taken("passed over ")
        return [failure.read(SearchFailure) for failure in passed.values()]

    async def _read_page(self, candidate: Candidate, pages: Sequence[ResultPage]) -> ResultPage:
        """Return the next page of an engine from the store, or request it."""
        number = self._asked.serp_page + len(pages)
        sheet = (await self.sheets.read_pages(candidate.engine)).get(number)
        if sheet is None:
            exchange = await self._request_page(self._engines.table[candidate.engine], number, pages)
            serp = exchange.serp
            request = exchange.request
            warnings = dict.fromkeys((*candidate.warnings, *request.warnings, *serp.warnings))
            result_page = ResultPage(
                candidate.engine,
                number,
                request.url,
                exchange.status,
                (),
                0,
                serp.next,
                self._job.attempt,
                tuple(warnings),
            )
            sheet = CachedSerp(result_page, serp.hits)
        return await self._store_page(sheet, pages)

    async def _request_page(
        self, engine: SerpEngine, number: int, pages: Sequence[ResultPage]
    ) -> SerpExchange:
        state = (pages[-1].next or {}) if pages else {}
        is_own = bool(pages) and pages[-1].attempt == self._job.attempt
        ticket = f"{self._job.id} {number}"
        expired = f"{engine.about.name} state for page {number} expired"
        if not await self._context.list_taken(expired):
            try:
                return await self._ask(engine, number, state, ticket, doubted=bool(state) and not is_own)
            except StateExpired:
                # Stored, because a job that waits for a permit to renew it returns here, and must not use the
                # old state again.
                await self._context.step(expired, bool, partial(_return_value, True))
        try:
            return await self._ask(engine, number, await self._renew_state(engine, number, ticket), ticket)
        except StateExpired as error:
            raise EngineUnavailable(
                "engine.page_lost",
                engine=engine.about.name,
                number=number,
            ) from error

    async def _renew_state(self, engine: SerpEngine, number: int, ticket: str) -> Mapping[str, str]:
        """Return the engine's state for a page by requesting page 1 again: neither counted nor merged.

        A cursor has to be followed page by page.
        """
        state: Mapping[str, str] = {}
        for again in range(1, number if engine.about.pagination == "cursor" else 2):

            async def ask_once(again: int = again, state: Mapping[str, str] = state) -> dict[str, str]:
                return dict((await self._ask(engine, again, state, ticket)).serp.next or {})

            key = f"{engine.about.name} page {again} again for {number}"
            state = await self._context.step(key, dict[str, str], ask_once)
        return state

    async def _ask(
        self, engine: SerpEngine, number: int, state: Mapping[str, str], ticket: str, *, doubted: bool = False
    ) -> SerpExchange:
        search_job = self._asked
        asking = self._engines.asking
        name = engine.about.name
        today = to_date(asking.clock.now())
        query = EngineQuery(
            search_job.query, today, search_job.language, search_job.region, search_job.time_range
        )
        pay = partial(self._context.charge, pages=1)
        leads_on = f"{name} page {number} leads on"
        stored_page = (await self._context.list_taken(leads_on)).get(leads_on)
        page = (
            stored_page.read(SerpExchange)
            if stored_page is not None
            else await asking.fetch_page(engine, query, number, state, ticket, pay, doubted=doubted)
        )
        if page.serp.follow is not None:
            await self._context.step(leads_on, SerpExchange, partial(_return_value, page))
            page = await asking.follow(engine, page, page.serp.follow, ticket, pay)
        await self._engines.list_solved(search_job.owner, name)
        return page

    async def _store_page(self, sheet: CachedSerp, pages: Sequence[ResultPage]) -> ResultPage:
        named_hits = [(hit, name) for hit in sheet.hits[:MAX_HITS] if (name := _canonicalise(hit.url))]
        # A cached page has all URLs; its hits are those that no earlier page had.
        urls = sheet.page.urls or tuple(dict.fromkeys(name for _, name in named_hits))
        page = replace(sheet.page, urls=urls)
        earlier = [PageFacts(page.number, page.urls, page.fresh) for page in pages]
        if is_repeat(PageFacts(page.number, urls, 0), earlier):
            return replace(page, repeats=True)
        finds = [_find(hit, name, page, self._asked.query) for hit, name in named_hits]
        return replace(page, fresh=await self._engines.finds.add(self._job.claim, finds))


def count_seconds_until_tomorrow(now: Instant) -> float:
    """Return the seconds until the next UTC day."""
    return DAY_S - to_epoch(now) % DAY_S


async def _return_value(value: T) -> T:
    return value


def _find(hit: SerpHit, name: str, page: ResultPage, query: str) -> DiscoveredUrl:
    title = hit.title[:LONGEST_TITLE]
    snippet = hit.snippet[:LONGEST_SNIPPET]
    return DiscoveredUrl(hit.url, name, title, snippet, hit.date, query, page.engine, page.number, hit.rank)


def _canonicalise(url: str) -> str:
    try:
        return canonicalise(url) if len(url) <= LONGEST_URL else ""
    except ValueError:
        return ""


def _build_failure(errors: Sequence[ShishoError], choice: Choice) -> ShishoError:
    if len(errors) == 1:
        return errors[0]
    if errors:
        reasons = Message.join((error.message for error in errors), "; ")
        engines = [candidate.engine for candidate in choice.candidates]
        return AllEnginesBlocked("engine.none_answered", reasons=reasons, engines=engines)
    none = Message("engine.none_for_category")
    reasons = Message.join(engine.reason for engine in choice.passed) if choice.passed else none
    return EngineUnavailable("engine.none_usable", reasons=reasons)
