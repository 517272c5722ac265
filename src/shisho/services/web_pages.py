"""Web pages into a corpus, without fetching known pages or parsing unchanged ones again."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from functools import partial

from shisho.domain.corpus import DocumentId, IntakeOutcome, IntakeStage, Receipt, Source, ignore_progress
from shisho.domain.discovered_url import DiscoveredUrl
from shisho.domain.job import Claim, Job, TaskId
from shisho.domain.payloads import FetchJob
from shisho.domain.politeness import PageMemory
from shisho.domain.time import count_seconds
from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, DocumentUnreadable, EngineUnavailable
from shisho.jobs.context import JobContext
from shisho.ports import Cache, Clock, DiscoveredUrls
from shisho.records import dataclass
from shisho.services.ingest_jobs import IngestHandler, raise_failure, report_reading
from shisho.web.crawl.visit import PageClient
from shisho.web.http.pacing import Pay, RetryLater
from shisho.web.http.url import canonicalise, strip_tracking, unwrap

FRESH_S = 7 * 86_400.0
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class PageOrder:
    """A page for a corpus.

    `anew`: revalidate a known page with its server. `notify`: called with the progress of reading a long
    PDF.
    """

    url: str
    canonical_url: str
    owner: str
    corpus: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    password: str | None = None
    anew: bool = False
    notify: Callable[[IntakeStage, int, int], None] = ignore_progress


@dataclass(frozen=True, slots=True)
class PageIntake:
    """The intake of web pages from searches and from given addresses."""

    visiting: PageClient
    shelving: IngestHandler
    finds: DiscoveredUrls
    cache: Cache
    clock: Clock

    async def add_page(self, claim: Claim, order: PageOrder, ticket: str, pay: Pay) -> Receipt:
        """Add the page, which is a discovered URL of this job.

        A page that cannot be added gives a receipt with the reason. Raises RetryLater, and as
        `PageClient.fetch_page`.
        """
        page_memory = await self.cache.read_page(order.corpus, order.owner, order.canonical_url)
        if page_memory is not None and not order.anew and self._is_fresh(page_memory):
            return await self._settle_known(claim, order, page_memory)
        response = await self.visiting.fetch_page(
            Request(order.url, headers=_build_conditions(page_memory)), ticket, pay
        )
        if response.status != NOT_MODIFIED:
            return await self._shelve_rendered(claim, order, response, ticket, pay)
        if page_memory is None:
            raise AllFetchesFailed("fetch.unasked_not_modified", url=order.url)
        await self._remember(order, DocumentId(page_memory.document_id), response)
        return await self._settle_known(claim, order, page_memory)

    async def _shelve_rendered(
        self, claim: Claim, order: PageOrder, response: Response, ticket: str, pay: Pay
    ) -> Receipt:
        receipt = await self._shelve(claim, order, response)
        if receipt.code == DocumentUnreadable.code and b"<script" in response.body:
            rendered = await self.visiting.render(
                Request(response.url or order.url), f"{ticket} rendered", pay
            )
            if rendered is not None:
                return await self._shelve(claim, order, rendered)
        return receipt

    async def _shelve(self, claim: Claim, order: PageOrder, response: Response) -> Receipt:
        page_memory = await self.cache.read_page(order.corpus, order.owner, order.canonical_url)
        source = _build_source(order, response, page_memory)
        receipt = await self.shelving.shelve(claim, order.canonical_url, source, order.corpus, order.owner)
        await self._remember(order, receipt.document_id, response)
        return receipt

    async def _settle_known(self, claim: Claim, order: PageOrder, page_memory: PageMemory) -> Receipt:
        document = DocumentId(page_memory.document_id)
        await self.finds.settle(claim, order.canonical_url, document)
        return Receipt(order.url, IntakeOutcome.KNOWN, document)

    async def _remember(self, order: PageOrder, document: DocumentId | None, response: Response) -> None:
        if document is not None:
            # ETag and date of another address must not be used for this one: a page that forwards from here
            # would claim to be unchanged.
            is_own = _canonicalise(response.url or order.url) == order.canonical_url
            headers = response.headers if is_own else {}
            page = PageMemory(
                document,
                self.clock.timeline_now(),
                headers.get("etag", ""),
                headers.get("last-modified", ""),
            )
            await self.cache.remember(order.corpus, order.owner, order.canonical_url, page)

    def _is_fresh(self, page_memory: PageMemory) -> bool:
        return count_seconds(page_memory.fetched_at, self.clock.timeline_now()) < FRESH_S


def _canonicalise(source: str) -> str:
    """Return the canonical name of a page's address; "" for a file, or if a script redirected the browser."""
    try:
        return canonicalise(source)
    except ValueError:
        return ""


def _build_conditions(page_memory: PageMemory | None) -> dict[str, str]:
    if page_memory is None:
        return {}
    conditions = {"If-None-Match": page_memory.etag, "If-Modified-Since": page_memory.last_modified}
    return {name: value for name, value in conditions.items() if value}


def _build_source(order: PageOrder, response: Response, page_memory: PageMemory | None) -> Source:
    """Return the source of a page.

    HTML has its own title; for other kinds the hit's is used. Web scans are not recognised: nobody asked for
    minutes of computing. A page keeps the spelling of its address, so that its new content replaces the old.
    """
    title = "" if "html" in (response.media_type or "html") else order.title
    name = strip_tracking(response.url or order.url)
    if page_memory is not None and _canonicalise(page_memory.source) == _canonicalise(name):
        name = page_memory.source
    return Source(
        name,
        response.body,
        response.media_type,
        title,
        order.metadata,
        order.password,
        response.charset,
        ocr=False,
        notify=order.notify,
    )


@dataclass(frozen=True, slots=True)
class FetchHandler:
    """A handler of fetch jobs, which fail with ENGINE_UNAVAILABLE without web access (`pages` None).

    `count_left`: the rest of each budget of a task.
    """

    pages: PageIntake | None
    count_left: Callable[[TaskId], Awaitable[Mapping[str, float]]]

    async def fetch(self, job: Job, context: JobContext) -> Receipt:
        """Fetch one page. Returns its receipt, or raises the reason for its failure."""
        if self.pages is None:
            raise EngineUnavailable("fetch.web_off")
        request = job.input.read(FetchJob)
        while True:
            try:
                work = partial(self._ingest_page, self.pages, job, context, request)
                receipt = await context.step("taken in", Receipt, work)
            except RetryLater as later:
                await self._check_patience(job, later)
                await context.wait(later.seconds, later.reason)
                continue
            await self.pages.shelving.clear(request.password)
            return receipt

    async def _check_patience(self, job: Job, later: RetryLater) -> None:
        """Raise AllFetchesFailed if a host wants to be left alone for longer than the task has time."""
        remaining = (await self.count_left(job.task_id)).get("max_seconds", math.inf)
        if later.seconds > remaining:
            raise AllFetchesFailed(
                "fetch.host_waits",
                host=later.host,
                wait_s=later.seconds,
                left_s=remaining,
            )

    async def _ingest_page(
        self, pages: PageIntake, job: Job, context: JobContext, fetch_job: FetchJob
    ) -> Receipt:
        name = canonicalise(fetch_job.url)
        await pages.finds.add(job.claim, [DiscoveredUrl(fetch_job.url, name)])
        async with pages.shelving.settle_failure(job.claim, name):
            password = await pages.shelving.read_secret(fetch_job.password)
        async with report_reading(context) as listen:
            order = PageOrder(
                unwrap(fetch_job.url),
                name,
                fetch_job.owner,
                fetch_job.corpus,
                "",
                fetch_job.metadata,
                password,
                anew=True,
                notify=listen,
            )
            receipt = await pages.add_page(job.claim, order, job.id, partial(context.charge, pages=1))
        return raise_failure(receipt)
