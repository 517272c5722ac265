"""What a job does on the web: fetch an address; search a query page by page, visit its hits, take them in."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from shisho.domain.codec import build, plain
from shisho.domain.corpus import WEB_CORPUS, DocumentId, Receipt, Source
from shisho.domain.find import Find
from shisho.domain.intervention import Met
from shisho.domain.job import Job
from shisho.domain.task import StopStrategy
from shisho.domain.web import Challenge, ChallengeKind, Hit, Query, Request, Response, Serp, Tier, TimeRange
from shisho.errors import AllFetchesFailed, BudgetExhausted, EngineUnavailable, ShishoError
from shisho.handlers.library import Finds, Shelving, checked
from shisho.jobs.context import JobContext
from shisho.ports import Clock, Fetcher, SerpEngine
from shisho.web.url import canonical

AT_ONCE = 4  # hits under way together, one of each host
LEAST_NOVELTY = 0.1
DEEPEST = 10  # result pages
PRESETS = {"academic": 3, "technical": 3, "general": 2, "government": 2, "news": 1}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The input of a fetch job."""

    url: str
    owner: str
    corpus: str = WEB_CORPUS
    metadata: Mapping[str, str] = field(default_factory=dict)
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """The input of a search job."""

    query: str
    owner: str
    corpus: str = WEB_CORPUS
    engines: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = "ja"
    region: str | None = None
    time_range: TimeRange = TimeRange.ALL
    max_results_per_query: int = 10
    serp_page: int = 1
    serp_max_pages: int | None = None
    stop_strategy: StopStrategy = StopStrategy.AUTO


@dataclass(frozen=True, slots=True)
class Page:
    """What is kept of a result page for going on after it; what stood on it is kept where a purge finds it. `urls` are
    canonical; `fresh` of them the task had not met before."""

    engine: str
    number: int
    url: str
    urls: tuple[str, ...]
    fresh: int
    next: Mapping[str, str] | None
    warnings: tuple[str, ...] = ()

    @property
    def novelty(self) -> float:
        """The share of its URLs that are new to the task; a first page is new as a whole."""
        return 1.0 if self.number == 1 else self.fresh / len(self.urls) if self.urls else 0.0


class Challenged(Exception):
    """A page wants a person."""

    def __init__(self, challenge: Challenge, engine: str, url: str) -> None:
        super().__init__(challenge.kind)
        self.challenge, self.engine, self.url = challenge, engine, url


@dataclass(frozen=True, slots=True)
class Searching:
    """The web side of the handlers. Without engines or a fetcher its jobs end with ENGINE_UNAVAILABLE."""

    shelving: Shelving
    finds: Finds
    blocked: Callable[[str], Awaitable[Sequence[str]]]
    engines: Mapping[str, SerpEngine]
    fetcher: Fetcher | None
    clock: Clock

    async def fetch(self, job: Job, context: JobContext) -> Mapping[str, Any]:
        """One address. Ends with its receipt, or with the error that says why it could not be had."""
        wanted = build(job.input, Wanted)
        receipt: Mapping[str, Any] = await context.step("taken in", partial(self._fetched, job, context, wanted))
        await self.shelving.clear(wanted.password)
        return receipt

    async def search(self, job: Job, context: JobContext) -> Mapping[str, Any]:
        """One query on one engine, as deep as asked. Pages 1..N stay whatever becomes of page N+1."""
        asked = build(job.input, Search)
        run = _Run(self, job, context, asked)
        while (stop := onward(asked, self._deepest(asked, run.pages), run.pages, run.useful)) is None:
            try:
                await run.page(asked.serp_page + len(run.pages))
            except Challenged as met:
                stop = await self._person(met, run)
                break
            except ShishoError as error:
                if not run.pages:
                    raise
                run.errors.append({"url": "", "code": error.code, "reason": error.message})
                stop = "BUDGET" if isinstance(error, BudgetExhausted) else "ERROR"
                break
        return await run.output(stop)

    async def answered(self, request: Request) -> Response:
        """What the way to the web brings."""
        if self.fetcher is None:
            raise EngineUnavailable("Web pages cannot be fetched in this installation.")
        return await self.fetcher.fetch(request)

    def candidates(self, asked: Search) -> Iterator[SerpEngine]:
        """The engines to try in turn, as asked for, else by category, those of the last mile last."""
        if asked.engines:
            yield from (self.engines[name] for name in asked.engines if name in self.engines)
            return
        fitting = [each for each in self.engines.values() if each.about.enabled and _fits(each, asked)]
        yield from sorted(fitting, key=lambda each: each.about.tier is Tier.LAST_MILE)

    def _deepest(self, asked: Search, pages: Sequence[Page]) -> int:
        """How many result pages at most."""
        if asked.serp_max_pages is not None or asked.stop_strategy is StopStrategy.EXHAUSTIVE:
            most = asked.serp_max_pages or DEEPEST
        else:
            most = max((PRESETS.get(each, 2) for each in asked.categories), default=PRESETS["general"])
        if not pages:
            return most
        about = self.engines[pages[0].engine].about
        return min(most, about.max_pages) if about.pagination_enabled else 1

    async def _person(self, met: Challenged, run: _Run) -> str:
        """Leave the job to a person; what pages 1..N brought is its result if nobody comes. A refusal is nobody's turn."""
        if met.challenge.kind is ChallengeKind.BLOCKED:
            refused = EngineUnavailable(f"{met.engine} refuses to answer from here. Ask another engine.", engine=met.engine)
            if not run.pages:
                raise refused
            run.errors.append({"url": "", "code": refused.code, "reason": refused.message})
            return "CHALLENGE"
        held = Met(met.engine, urlsplit(met.url).hostname or "", met.url, met.challenge.kind)
        await run.context.await_person(await run.output("CHALLENGE") if run.pages else None, held)

    async def _fetched(self, job: Job, context: JobContext, wanted: Wanted) -> Any:
        if not await context.charge(pages=1):
            raise BudgetExhausted("The task's budget of pages is spent. Open a task with a larger max_pages.")
        name = canonical(wanted.url)
        await self.finds.add(job.claim, [Find(wanted.url, name)])
        source = await self.page(wanted.url, "", wanted.metadata, await self.shelving.secret(wanted.password))
        return plain(checked(await self.shelving.shelve(job.claim, name, source, wanted.corpus, wanted.owner)))

    async def page(self, url: str, title: str, metadata: Mapping[str, str], password: str | None = None) -> Source:
        """A web page as a source. Raises AllFetchesFailed for an error's page."""
        response = await self.answered(Request(url))
        if response.status >= 400:
            raise AllFetchesFailed(f"{url} answered with status {response.status}.", status=response.status)
        own_title = "html" in (response.media_type or "html")
        return Source(
            name=response.url or url,
            data=response.body,
            media_type=response.media_type,
            title="" if own_title else title,
            metadata=metadata,
            password=password,
            charset=response.charset,
        )


class _Run:
    """One attempt at one search."""

    def __init__(self, web: Searching, job: Job, context: JobContext, asked: Search) -> None:
        self.web, self.job, self.context, self.asked = web, job, context, asked
        self.pages: list[Page] = []
        self.errors: list[dict[str, str]] = []
        self.visited: dict[str, DocumentId | None] = {}
        self._since = web.clock.monotonic()
        self._hosts: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._slots = asyncio.Semaphore(AT_ONCE)

    @property
    def useful(self) -> int:
        """How many hits have become documents."""
        return sum(document is not None for document in self.visited.values())

    async def page(self, number: int) -> None:
        """The next result page, its hits stored and visited."""
        held = build(await self.context.step(f"page {number}", partial(self._asked, number)), Page)
        self.pages.append(held)
        self.visited = dict(await self.web.finds.settled(self.job.id))
        await self._tell()
        await self._visit(held)
        self.context.partial = await self.output("BUDGET")
        began, self._since = self._since, self.web.clock.monotonic()
        if not await self.context.charge(seconds=self._since - began):
            raise BudgetExhausted("The task's budget of seconds is spent. Open a task with a larger max_seconds.")

    async def output(self, stop: str) -> dict[str, Any]:
        """The whole result: every page, every hit in merged order, what was stored and what went wrong."""
        finds = await self.web.finds.of_job(self.job.id)
        hits = [{name: one[name] for name in ("rank", "page_number", "url", "status", "document_id")} for one in finds]
        pages = [
            {"number": one.number, "url": one.url, "hits": len(one.urls), "fresh": one.fresh, "novelty": round(one.novelty, 3)}
            for one in self.pages
        ]
        return {
            "query": self.asked.query,
            "engine": self.pages[0].engine if self.pages else None,
            "pages": pages,
            "paging_stop": stop,
            "hits": hits,
            "documents": sorted({one["document_id"] for one in hits if one["document_id"]}),
            "errors": self.errors,
            "warnings": sorted({warning for one in self.pages for warning in one.warnings}),
        }

    async def _asked(self, number: int) -> Any:
        """Ask for one page; before the first one is there, each candidate in turn."""
        candidates = [self.web.engines[self.pages[0].engine]] if self.pages else [*self.web.candidates(self.asked)]
        if not candidates:
            asked = ", ".join(self.asked.engines) or "this category"
            raise EngineUnavailable(f"No search engine is set up here for {asked}. `list_engines` shows what there is.")
        for place, engine in enumerate(candidates, 1):
            try:
                return plain(await self._answer(engine, number))
            except (Challenged, EngineUnavailable) as error:
                if place == len(candidates):
                    raise
                self.errors.append({"url": "", "code": "ENGINE_UNAVAILABLE", "reason": f"{engine.about.name}: {error}"})

    async def _answer(self, engine: SerpEngine, number: int) -> Page:
        if not await self.context.charge(pages=1):
            raise BudgetExhausted("The task's budget of pages is spent. Open a task with a larger max_pages.")
        asked = self.asked
        today = date.fromisoformat(self.web.clock.now()[:10])
        query = Query(asked.query, today, asked.language, asked.region, asked.time_range)
        state = self.pages[-1].next if self.pages else {}
        request = engine.request(query, number, state or {})
        serp = await self._read(engine, request)
        if serp.follow is not None:
            hits = await self._read(engine, serp.follow)
            serp = replace(hits, next=serp.next, warnings=(*serp.warnings, *hits.warnings))
        if serp.challenge is not None:
            raise Challenged(serp.challenge, engine.about.name, request.url)
        return await self._kept(engine.about.name, number, request, serp)

    async def _read(self, engine: SerpEngine, request: Request) -> Serp:
        response = await self.web.answered(request)
        return await asyncio.to_thread(engine.parse, response)

    async def _kept(self, engine: str, number: int, request: Request, serp: Serp) -> Page:
        finds = [
            Find(
                url=hit.url,
                canonical_url=name,
                title=hit.title,
                snippet=hit.snippet,
                published_at=hit.date,
                query=self.asked.query,
                engine=engine,
                page_number=number,
                rank_on_page=hit.rank,
            )
            for hit, name in _named(serp.hits)
        ]
        fresh = await self.web.finds.add(self.job.claim, finds)
        urls = tuple(dict.fromkeys(find.canonical_url for find in finds))
        return Page(engine, number, request.url, urls, fresh, serp.next, (*request.warnings, *serp.warnings))

    async def _visit(self, page: Page) -> None:
        blocked = await self.web.blocked(self.asked.owner)
        finds = await self.web.finds.of_job(self.job.id)
        visits = [asyncio.create_task(self._visit_one(one, blocked)) for one in finds if one["page_number"] == page.number]
        try:
            await asyncio.gather(*visits)
        finally:
            for each in visits:
                each.cancel()
            await asyncio.gather(*visits, return_exceptions=True)

    async def _visit_one(self, find: Mapping[str, Any], blocked: Sequence[str]) -> None:
        name, host = find["canonical_url"], urlsplit(find["url"]).hostname or ""
        async with self._hosts[host], self._slots:
            if name in self.visited or self._enough():
                return
            if any(f".{host}".endswith(f".{domain}") for domain in blocked):
                await self.web.finds.settle(self.job.claim, name)
                return
            self.visited[name] = await self._taken_in(name, find["url"], find["title"])
        await self._tell()

    async def _taken_in(self, name: str, url: str, title: str) -> DocumentId | None:
        try:
            if not await self.context.charge(pages=1):
                raise BudgetExhausted("The task's budget of pages is spent.")
            source = await self.web.page(url, title, {})
        except ShishoError as error:
            await self.web.finds.settle(self.job.claim, name, code=error.code, reason=error.message)
            return None
        asked = self.asked
        receipt: Receipt = await self.web.shelving.shelve(self.job.claim, name, source, asked.corpus, asked.owner)
        return receipt.document_id

    def _enough(self) -> bool:
        return self.asked.stop_strategy is StopStrategy.AUTO and self.useful >= self.asked.max_results_per_query

    async def _tell(self) -> None:
        await self.context.progress(pages=len(self.pages), visited=len(self.visited), documents=self.useful)


def onward(asked: Search, deepest: int, pages: Sequence[Page], useful: int) -> str | None:
    """Why paging stops here; None: go on."""
    if not pages:
        return None
    last, auto = pages[-1], asked.stop_strategy is StopStrategy.AUTO
    if len(pages) >= deepest:
        return "LIMIT"
    if auto and useful >= asked.max_results_per_query:
        return "ENOUGH"
    if not last.urls or last.next is None:
        return "END"
    if len(pages) > 1 and set(last.urls) <= set(pages[-2].urls):
        return "REPEATED"
    return "SATURATED" if auto and last.novelty < LEAST_NOVELTY else None


def _named(hits: Sequence[Hit]) -> Iterator[tuple[Hit, str]]:
    """The hits that are web addresses, with their canonical ones."""
    for hit in hits:
        with suppress(ValueError):
            yield hit, canonical(hit.url)


def _fits(engine: SerpEngine, asked: Search) -> bool:
    wanted = set(asked.categories) or {"general"}
    return bool(wanted & set(engine.about.categories))
