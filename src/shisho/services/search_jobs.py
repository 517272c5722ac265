"""The search job: one query on one engine, page after page, with its hits visited and added."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import NoReturn

from shisho.domain.corpus import DocumentId
from shisho.domain.discovered_url import DiscoveredUrl, SearchNote, StoredUrl, UrlState
from shisho.domain.intervention import HumanChallenge
from shisho.domain.job import Job, TaskId
from shisho.domain.payloads import HitOutcome, SearchJob, SearchOutcome, SearchProgress, SerpOutcome
from shisho.domain.task import StopStrategy
from shisho.domain.time import count_seconds
from shisho.domain.web import PagingStop
from shisho.errors import AllFetchesFailed, BudgetExhausted, EngineUnavailable, ShishoError, StoreUnavailable
from shisho.jobs.context import JobContext
from shisho.messages import Message
from shisho.ports import Clock
from shisho.records import dataclass
from shisho.services.result_pages import EngineAccess, SerpAttempt
from shisho.services.web_pages import PageIntake, PageOrder
from shisho.web.crawl import Crawl, Frontier
from shisho.web.serp.stopping import (
    PageFacts,
    PagingRules,
    ResultPage,
    ResultPages,
    find_deepest_page,
    list_paging_warnings,
    stop_reason,
)

Judge = Callable[[str, DocumentId], Awaitable[frozenset[str]]]
"""Returns the clusters of a document's passages that answer a query; none if the document is not useful."""

CLOSING = 0.02  # the share of its time that storing the job's end may take
JOB_OVER = Message("job.time_used_up")
TASK_OVER = Message("task.seconds_spent")
QUESTION_OVER = Message("task.question_gone")


@dataclass(frozen=True, slots=True)
class SearchHandler:
    """A handler of search jobs, which fail with ENGINE_UNAVAILABLE without web access."""

    engines: EngineAccess | None
    pages: PageIntake | None
    judge: Judge
    list_blocked: Callable[[str], Awaitable[Sequence[str]]]
    count_left: Callable[[TaskId], Awaitable[Mapping[str, float]]]
    clock: Clock

    async def search(self, job: Job, context: JobContext) -> SearchOutcome:
        """Search page by page. Pages 1..N stay whatever becomes of page N+1.

        A job that is run again continues after its stored steps and discovered URLs.
        """
        if self.engines is None or self.pages is None:
            raise EngineUnavailable("search.web_off")
        return await _SearchRun(self, self.engines, self.pages, job, context).run_to_end()


class _SearchRun:
    """One attempt at one search."""

    def __init__(
        self,
        searching: SearchHandler,
        engines: EngineAccess,
        intake: PageIntake,
        job: Job,
        context: JobContext,
    ) -> None:
        self._searching = searching
        self._engines = engines
        self._intake = intake
        self._job = job
        self._context = context
        self._asked = job.input.read(SearchJob)
        self._serps = SerpAttempt(engines, job, context, self._asked, self._measure_patience)
        self._paging = ResultPages(self._serps.read_next, self._find_stop_reason)
        self._reasons: dict[str, tuple[int, frozenset[str]]] = {}  # rank and clusters by canonical URL
        self._marks: dict[str, bool] = {}
        self._judging = asyncio.Lock()
        self._since = searching.clock.monotonic()
        self._visited = 0
        self._useful = 0

    async def run_to_end(self) -> SearchOutcome:
        """Return the complete outcome."""
        paging = self._paging
        seconds, over = await self._limit_seconds()
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                await self._restore_visits()
                await self._follow()
        except BudgetExhausted as error:
            await self._cut_short(error)
        except TimeoutError:
            if not limit.expired():
                raise
            await self._cut_short(BudgetExhausted(over))
        stop = paging.stop or PagingStop.STOPPED
        if paging.met is not None:
            await self._await_person(paging.met)
        await self._note(stop)
        if paging.pages:
            await self._serps.sheets.keep(paging.pages, stop, await self._list_stored())
        return await self._build_outcome(stop)

    async def _limit_seconds(self) -> tuple[float, Message]:
        """Return the seconds that this attempt may take, and the message for when they are over."""
        return min(
            (self._context.seconds_left * (1 - CLOSING), JOB_OVER),
            (await self._count_question_seconds() * (1 - CLOSING), QUESTION_OVER),
            (await self._count_task_seconds(), TASK_OVER),
        )

    async def _measure_patience(self) -> float:
        """Return the seconds that this job may wait for hosts and engines that want to be left alone."""
        return min(await self._count_question_seconds(), await self._count_task_seconds())

    async def _count_question_seconds(self) -> float:
        # A person who solved the challenge wants its pages, for the next question if not for this one.
        until = None if await self._context.list_taken("met ") else self._asked.until
        if until is None:
            return math.inf
        return count_seconds(self._searching.clock.timeline_now(), until)

    async def _count_task_seconds(self) -> float:
        return (await self._searching.count_left(self._job.task_id)).get("max_seconds", math.inf)

    async def _cut_short(self, error: BudgetExhausted) -> None:
        """End with the pages of this and earlier attempts.

        Charges the time that the budget still covers.
        """
        self._paging.pages = max(self._paging.pages, await self._serps.list_known(), key=len)
        took = self._searching.clock.monotonic() - self._since
        await self._context.charge(seconds=min(took, await self._count_task_seconds()))
        self._paging.end(error)

    async def _follow(self) -> None:
        """Request page after page, visiting the hits of each first."""
        async with aclosing(self._paging.pull()) as pages:
            async for page in pages:
                await self._report_progress()
                await self._note(None)
                if not page.repeats:
                    await self._visit(page)
                await self._note(None)
                self._context.partial = await self._build_outcome(PagingStop.BUDGET)
                await self._charge_time()

    async def _find_stop_reason(self, pages: Sequence[ResultPage]) -> PagingStop | None:
        if not pages:
            return None
        search_job = self._asked
        about = self._engines.table[pages[0].engine].about
        settings = self._engines.find_paging(about.name)
        last = find_deepest_page(
            search_job.serp_page,
            search_job.serp_max_pages,
            search_job.stop_strategy,
            self._serps.categories,
            about,
            settings,
        )
        most = search_job.max_results_per_query
        enough = search_job.enough or most
        rules = PagingRules(search_job.stop_strategy, search_job.serp_page, last, enough, most, settings)
        return stop_reason(self._describe_pages(pages, await self._list_stored()), rules)

    def _describe_pages(self, pages: Sequence[ResultPage], urls: Sequence[StoredUrl]) -> list[PageFacts]:
        visited = Counter(url.find.page_number for url in urls if url.status is UrlState.VISITED)
        useful = Counter(url.find.page_number for url in urls if url.useful)
        return [
            PageFacts(
                page.number,
                page.urls,
                page.fresh,
                visited[page.number],
                useful[page.number],
                page.next is None,
                place == 0,
            )
            for place, page in enumerate(pages)
        ]

    async def _list_stored(self) -> Sequence[StoredUrl]:
        return await self._engines.finds.list_of_job(self._job.id)

    async def _visit(self, page: ResultPage) -> None:
        """Visit the hits of a page, best first, until enough are useful.

        A long wait for hosts frees the worker.
        """
        blocked = await self._searching.list_blocked(self._asked.owner)
        while True:
            unvisited = [stored for stored in await self._list_stored() if stored.status is UrlState.FOUND]
            hits = [stored.find for stored in unvisited if stored.find.page_number == page.number]
            frontier = Frontier(hits, (), blocked)
            for hit in frontier.barred:
                await self._engines.finds.settle(self._job.claim, hit.canonical_url)
            clock = self._searching.clock
            wait = await Crawl(frontier, self._visit_one, self._has_enough, clock, self._count_room).run()
            if wait is None:
                return
            await self._charge_time()  # after the wait it is another attempt
            if wait > (remaining := await self._measure_patience()):
                await self._give_up(frontier, wait, remaining)
                return
            await self._context.wait(wait)

    async def _give_up(self, frontier: Frontier, wait: float, remaining: float) -> None:
        """Record a failure for hits whose hosts want to be left alone for longer than there is time."""
        for hit in frontier.left:
            reason = Message(
                "fetch.host_waits_longer", host=frontier.get_next_host(hit), wait=wait, left=remaining
            )
            await self._engines.finds.settle(
                self._job.claim, hit.canonical_url, code=AllFetchesFailed.code, reason=reason
            )

    def _has_enough(self) -> bool:
        auto = self._asked.stop_strategy is StopStrategy.AUTO
        return auto and self._useful >= (self._asked.enough or self._asked.max_results_per_query)

    def _count_room(self) -> int:
        """Return how many more hits may be visited. Unreadable ones do not count."""
        return self._asked.max_results_per_query - self._visited

    async def _visit_one(self, hit: DiscoveredUrl) -> None:
        search_job = self._asked
        order = PageOrder(hit.url, hit.canonical_url, search_job.owner, search_job.corpus, hit.title)
        pay = partial(self._context.charge, pages=1)
        try:
            receipt = await self._intake.add_page(
                self._job.claim, order, f"{self._job.id} {hit.canonical_url}", pay
            )
        except (BudgetExhausted, StoreUnavailable):
            raise
        except ShishoError as error:
            settle = self._engines.finds.settle
            await settle(self._job.claim, hit.canonical_url, code=error.code, reason=error.message)
        else:
            if receipt.document_id is not None:
                self._visited += 1
                await self._judge(hit, receipt.document_id)
        await self._report_progress()

    async def _judge(self, find: DiscoveredUrl, document: DocumentId) -> None:
        """Mark a hit as useful unless better hits have all its clusters, in any order of visits.

        A worse hit may then lose its mark.
        """
        clusters = await self._searching.judge(self._asked.query, document)
        self._reasons[find.canonical_url] = (find.rank or 0, clusters)
        async with self._judging:
            seen: set[str] = set()
            for url, (_, reasons) in sorted(self._reasons.items(), key=lambda entry: entry[1][0]):
                is_useful = not reasons <= seen
                seen |= reasons
                if self._marks.get(url) is not is_useful:
                    self._marks[url] = is_useful
                    await self._engines.finds.mark(self._job.claim, url, is_useful)
            self._useful = sum(self._marks.values())

    async def _restore_visits(self) -> None:
        """Count the visits of earlier attempts, restore their clusters, and judge unjudged hits."""
        urls = await self._list_stored()
        self._visited = sum(url.status is UrlState.VISITED for url in urls)
        for url in urls:
            is_unjudged = url.useful is None and url.status is UrlState.VISITED
            if (url.useful or is_unjudged) and url.document_id is not None:
                await self._judge(url.find, url.document_id)

    async def _charge_time(self) -> None:
        began = self._since
        self._since = self._searching.clock.monotonic()
        if not await self._context.charge(seconds=self._since - began):
            self._since = began
            raise BudgetExhausted(TASK_OVER)

    async def _report_progress(self) -> None:
        urls = await self._list_stored()
        states = Counter(url.status for url in urls)
        documents = {url.document_id for url in urls if url.document_id and url.status is UrlState.VISITED}
        progress = SearchProgress(
            engine=self._paging.pages[0].engine,
            pages=len(self._paging.pages),
            visited=states[UrlState.VISITED] + states[UrlState.FAILED],
            documents=len(documents),
        )
        await self._context.report(progress)

    async def _note(self, stop: PagingStop | None) -> None:
        pages = self._paging.pages
        if pages:
            facts = self._describe_pages(pages, await self._list_stored())
            novelty = tuple(fact.novelty for fact in facts)
            harvest = tuple(fact.harvest for fact in facts)
            engine = pages[0].engine
            note = SearchNote(
                self._asked.query, engine, len(pages), novelty, harvest, stop, self._list_warnings()
            )
            await self._engines.finds.note(self._job.claim, note)

    def _list_warnings(self) -> tuple[str, ...]:
        pages = self._paging.pages
        warnings = {warning for page in pages for warning in page.warnings}
        if pages:
            about = self._engines.table[pages[0].engine].about
            settings = self._engines.find_paging(about.name)
            most = self._asked.serp_max_pages
            warnings.update(list_paging_warnings(most, self._asked.stop_strategy, about, settings))
        return tuple(sorted(warnings))

    async def _await_person(self, challenge: HumanChallenge) -> NoReturn:
        """Leave the job to a person; the pages so far are its result if nobody acts."""
        await self._note(PagingStop.CHALLENGE)
        await self._serps.remember_need(challenge, self._paging.pages)
        await self._context.await_person(
            await self._build_outcome(PagingStop.CHALLENGE) if self._paging.pages else None, challenge
        )

    async def _build_outcome(self, stop: PagingStop) -> SearchOutcome:
        """Return all pages, all hits in merged order, the stored documents and the errors."""
        pages = self._paging.pages
        urls = await self._list_stored()
        pages_with_facts = zip(pages, self._describe_pages(pages, urls), strict=True)
        return SearchOutcome(
            query=self._asked.query,
            engine=pages[0].engine if pages else None,
            pages=tuple(_build_serp_outcome(page, facts) for page, facts in pages_with_facts),
            paging_stop=stop,
            hits=tuple(map(_build_hit_outcome, urls)),
            documents=tuple(sorted({url.document_id for url in urls if url.document_id})),
            errors=(*await self._serps.list_passed_over(), *self._paging.errors),
            warnings=self._list_warnings(),
        )


def _build_serp_outcome(page: ResultPage, facts: PageFacts) -> SerpOutcome:
    return SerpOutcome(
        number=page.number,
        url=page.url,
        status=page.status,
        fresh=page.fresh,
        cached=page.cached,
        repeats=page.repeats,
        hits=len(page.urls),
        visited=facts.visited,
        useful=facts.useful,
        novelty=round(facts.novelty, 3),
        harvest=None if facts.harvest is None else round(facts.harvest, 3),
    )


def _build_hit_outcome(url: StoredUrl) -> HitOutcome:
    return HitOutcome(
        rank=url.find.rank,
        page_number=url.find.page_number,
        rank_on_page=url.find.rank_on_page,
        url=url.find.url,
        title=url.find.title,
        status=url.status,
        useful=url.useful,
        document_id=url.document_id,
    )
