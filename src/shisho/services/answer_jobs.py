"""The answer job: the librarian's loop over the corpus and, if that is not enough, web searches."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256

from shisho.domain.answer_news import RunNews, build_progress
from shisho.domain.codec import Payload
from shisho.domain.discovered_url import UrlState
from shisho.domain.inquiry import (
    Gap,
    LoopStop,
    UnsearchedQuery,
    WebQuery,
    WebResult,
)
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import ClaimLost, Job, JobId, JobState, NewJob, TaskId
from shisho.domain.payloads import (
    AnswerJob,
    AnswerOutcome,
    SearchJob,
    SearchOutcome,
    read_outcome,
)
from shisho.domain.task import JobKind, Sources
from shisho.domain.time import Instant, add_seconds, count_seconds
from shisho.domain.web import PagingStop
from shisho.errors import QuotaExhausted, ShishoError
from shisho.jobs.context import JobContext
from shisho.librarian.web_fallback import RESULTS
from shisho.ports import Clock, DiscoveredUrls, Shelf
from shisho.records import dataclass
from shisho.services.choosing import check_searchable
from shisho.services.inquiries import LibrarianInquiries, list_searched

WORTHWHILE_S = 5.0  # below this remaining time no web search is started
TURN_SHARE = 0.7  # the share of its time in which an attempt starts steps
VISITS_PER_RESULT = 4  # at least one visited page in four is useful


@dataclass(frozen=True, slots=True)
class AnswerHandler:
    """A handler that runs questions of the queue, as `Questions` runs those asked in place.

    The run and its answer have the job's id. `turn_seconds`: the time limit of one attempt; a longer run
    continues in further attempts.
    """

    shelf: Shelf
    inquiries: LibrarianInquiries
    searches: WebSearches
    turn_seconds: float = math.inf

    async def answer(self, job: Job, context: JobContext) -> AnswerOutcome:
        """Run or resume the job's question.

        A killed run, or one that waited for the web, is replayed first.
        """
        request = job.input.read(AnswerJob)
        can_search = self.searches.are_possible(request.owner)
        if not await self.inquiries.has_begun(job.id):
            if request.sources is Sources.DOCUMENTS or not can_search:
                await check_searchable(self.shelf, request.owner, list_searched(request))
            left = await self.searches.count_left(job.task_id)
            await self.inquiries.begin(job.id, request, task_id=job.task_id, left=left)
        clock = self.inquiries.clock
        ends = clock.monotonic() + TURN_SHARE * self.turn_seconds

        def has_expired() -> bool:
            return clock.monotonic() > ends

        news: asyncio.Queue[RunNews | None] = asyncio.Queue()
        reporting = asyncio.create_task(_report_in_order(context, news))
        ask_web = partial(self.searches.ask_web, job, context, request) if can_search else None
        try:
            answer = await self.inquiries.run(job.id, news.put_nowait, has_expired, ask_web)
        finally:
            news.put_nowait(None)
            await asyncio.wait([reporting])
        if answer.loop_stop is LoopStop.STOPPED:
            await context.release()
        used = answer.budget_used
        await context.charge(
            **{name: used[name] for name in ("seconds", "model_calls", "tokens") if used.get(name)}
        )
        return AnswerOutcome(
            answer.id,
            len(answer.evidence),
            answer.level,
            answer.abstained,
            answer.loop_stop,
            answer.rounds,
        )


@dataclass(frozen=True, slots=True)
class WebSearches:
    """The web searches of questions: search jobs of the same task.

    `are_possible`: whether an owner's questions may be searched for on the web. `is_other_set_up`: whether an
    owner has an engine for a query besides the tried ones.
    """

    finds: DiscoveredUrls
    list_waiting: Callable[[str, TaskId], Awaitable[Sequence[PendingIntervention]]]
    count_left: Callable[[TaskId], Awaitable[Mapping[str, float]]]
    clock: Clock
    are_possible: Callable[[str], bool]
    is_other_set_up: Callable[[str, str, Collection[str]], bool]

    async def ask_web(
        self,
        job: Job,
        context: JobContext,
        answer_job: AnswerJob,
        queries: Sequence[WebQuery],
        pages: int,
        seconds: float,
    ) -> WebResult:
        """Search the web by search jobs of the same task, as `librarian.web_fallback.AskWeb`.

        The wait ends when no job can continue without a person, and at the deadline set at its start. Queries
        that every engine has answered before are left out.
        """
        # one deadline for all searches of the question
        ends = await context.step("waits until", Instant, partial(self._compute_deadline, seconds))
        queries = [query for query in queries if self._can_be_asked(answer_job.owner, query)]
        if not queries or (queries[0].without and self._count_seconds_until(ends) < WORTHWHILE_S):
            return WebResult()
        results = max(1, min(RESULTS, pages // len(queries) - 1))
        await context.spawn(*(_build_search(job, query, answer_job, results, ends) for query in queries))
        remaining = self._count_seconds_until(ends)
        if remaining > 0:
            await context.park(remaining)
        names = {_make_search_id(job, query) for query in queries}
        searches = {child.id: child for child in await context.list_children() if child.id in names}
        persons = {
            intervention.job_id: intervention.domain
            for intervention in await self.list_waiting(answer_job.owner, job.task_id)
        }
        lacking = [
            _explain_shortfall(searches[_make_search_id(job, query)], query, persons) for query in queries
        ]
        if (await self.count_left(job.task_id)).get("max_pages", 1) < 1:
            lacking.append(UnsearchedQuery(Gap.BUDGET))
        gaps = tuple(query for query in lacking if query is not None)
        engines = tuple(
            (query.goal_id, engine)
            for query in queries
            if (engine := _find_engine(searches[_make_search_id(job, query)]))
        )
        return WebResult(tuple(queries), await self._count_pages(searches), gaps, engines=engines)

    def _can_be_asked(self, owner: str, query: WebQuery) -> bool:
        return not query.without or self.is_other_set_up(owner, query.text, query.without)

    def _count_seconds_until(self, ends: Instant) -> float:
        return count_seconds(self.clock.timeline_now(), ends)

    async def _compute_deadline(self, seconds: float) -> Instant:
        return add_seconds(self.clock.timeline_now(), seconds)

    async def _count_pages(self, searches: Iterable[JobId]) -> int:
        """Count the pages of the searches: result pages and visited hits, each once."""
        urls_found = [(name, url) for name in searches for url in await self.finds.list_of_job(name)]
        visited = {url.find.canonical_url for _, url in urls_found if url.status is UrlState.VISITED}
        return len({(name, url.find.page_number) for name, url in urls_found}) + len(visited)


def _explain_shortfall(search: Job, query: WebQuery, persons: Mapping[JobId, str]) -> UnsearchedQuery | None:
    """Return the reason that a search returned less than it could; None if it was complete."""
    if search.state is JobState.AWAITING_AUTH:
        return UnsearchedQuery(Gap.PERSON, query.text, persons.get(search.id, ""))
    if _has_met_quota(search):
        return UnsearchedQuery(Gap.QUOTA)
    if search.state is JobState.FAILED:
        return UnsearchedQuery(Gap.FAILED, query.text, search.errors[-1].code)
    if search.state is not JobState.COMPLETED:
        return UnsearchedQuery(Gap.UNFINISHED, query.text)
    outcome = read_outcome(search)
    is_cut_short = isinstance(outcome, SearchOutcome) and outcome.paging_stop is PagingStop.BUDGET
    return UnsearchedQuery(Gap.BUDGET) if is_cut_short else None


def _has_met_quota(search: Job) -> bool:
    """Return True if a quota of its owner ended the job."""
    outcome = read_outcome(search) if search.state is JobState.COMPLETED else None
    failures = outcome.errors if isinstance(outcome, SearchOutcome) else search.errors[-1:]
    return any(failure.code == QuotaExhausted.code for failure in failures)


async def _report_in_order(context: JobContext, news: asyncio.Queue[RunNews | None]) -> None:
    """Report the events of the queue in order, up to None.

    Not concurrently: on separate connections a step could be stored before the one it follows.
    """
    while (item := await news.get()) is not None:
        with suppress(ClaimLost, ShishoError):  # the run notices it too
            await context.report(build_progress(item))


def _make_search_id(job: Job, query: WebQuery) -> JobId:
    # Deterministic, so that a job that is run again adds none.
    text = "/".join((job.id, query.goal_id, query.text, *query.without))
    return JobId(sha256(text.encode()).hexdigest()[:32])


def _find_engine(search: Job) -> str:
    outcome = read_outcome(search)
    return outcome.engine or "" if isinstance(outcome, SearchOutcome) else ""


def _build_search(job: Job, query: WebQuery, answer_job: AnswerJob, results: int, until: Instant) -> NewJob:
    search = SearchJob(
        query=query.text,
        owner=answer_job.owner,
        language=query.language,
        max_results_per_query=VISITS_PER_RESULT * results,
        enough=results,
        until=until,  # searches that nobody waits for would occupy workers that the answer needs
        without=query.without,
    )
    return NewJob(_make_search_id(job, query), JobKind.SEARCH, Payload.wrap(search))
