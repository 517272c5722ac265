"""The fetch job: one address into the corpus."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from shisho.domain.corpus import Receipt
from shisho.domain.find import DiscoveredUrl
from shisho.domain.job import Job, TaskId
from shisho.domain.payloads import FetchJob
from shisho.errors import AllFetchesFailed, EngineUnavailable
from shisho.jobs.context import JobContext
from shisho.services.ingest_jobs import raise_failure
from shisho.services.reading import report_reading
from shisho.services.web_pages import PageIntake, PageOrder
from shisho.web.http.pacing import RetryLater
from shisho.web.http.url import canonicalise, unwrap


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
                work = partial(self._taken_in, self.pages, job, context, request)
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

    async def _taken_in(
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
                notify_read=listen,
            )
            receipt = await pages.take_in(job.claim, order, job.id, partial(context.charge, pages=1))
        return raise_failure(receipt)
