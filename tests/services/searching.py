"""One search job without a worker: each wait of it passes on a clock that a test sets, and it comes back as a
new attempt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from shisho.bootstrap.web import WebAccess, build_engine_access
from shisho.domain.codec import Payload, dumps
from shisho.domain.job import Job, JobId, NewTask, TaskId
from shisho.domain.payloads import SearchJob
from shisho.domain.web import EngineQuery, PagingStop, Request, Response, Serp, SerpHit, State
from shisho.errors import InvalidParams
from shisho.jobs.context import JobContext, JobSuspended
from shisho.jobs.timing import WorkerTiming
from shisho.ports import SerpEngine
from shisho.services.result_pages import EngineAccess, SerpAttempt
from shisho.services.stores import RateLimits
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.sql.cache import StoredCache
from shisho.stores.sql.finds import StoredUrls
from shisho.stores.sql.health import StoredHealth
from shisho.stores.sql.limiter import StoredLimiter
from shisho.testing import MemoryEngine, MemoryParser, make_engine
from shisho.web.serp.stopping import ResultPage
from tests.clocks import TwoHands
from tests.queues import ANA, OWNER, Queue, new, opened

QUERY = "決定係数"


@dataclass(frozen=True, slots=True)
class Forgetful:
    """An engine that takes no page after the first without the token of an earlier one."""

    inner: MemoryEngine

    @property
    def about(self) -> Any:
        return self.inner.about

    def request(self, query: EngineQuery, page: int, state: State) -> Request:
        if page > 1 and "token" not in state:
            raise InvalidParams("Ask page 1 again.", missing="token")
        return self.inner.request(query, page, state)

    def parse(self, response: Response) -> Serp:
        return self.inner.parse(response)


def hits(*numbers: int) -> tuple[SerpHit, ...]:
    return tuple(
        SerpHit(rank, f"https://site{each}.example/", f"第{each}頁") for rank, each in enumerate(numbers, 1)
    )


@dataclass
class Answers:
    """`ports.Fetcher` that answers every request by one rule, and lists what it was asked, with the time."""

    rule: Callable[[str], Serp | Response | Exception]
    clock: TwoHands
    asked: list[str] = field(default_factory=list)

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request.url)
        self.clock.pass_(0.1)
        said = self.rule(request.url)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Response) else Response(dumps(said).encode(), request.url)

    async def close(self) -> None: ...


@dataclass
class World:
    """A queue with one search job, and what answers it."""

    queue: Queue
    clock: TwoHands
    answers: Answers
    engines: EngineAccess
    job: JobId = field(init=False)
    waits: list[float] = field(default_factory=list)

    async def attempt(self, use: Callable[[Job, JobContext], Awaitable[Any]], most: int = 12) -> Any:
        """What `use` comes to, run again after each wait until it ends."""
        for _ in range(most):
            await self.queue.jobs.release_all(ANA)
            job = await self.queue.claimed()
            self.job = job.id
            try:
                return await use(job, JobContext(job, self.queue.jobs, self.clock, WorkerTiming(short=0.0)))
            except JobSuspended:
                held = await self.queue.jobs.get_job(job.id)
                wait = datetime.fromisoformat(held.not_before or self.clock.now()) - self.clock.at
                self.waits.append(wait.total_seconds())
                self.clock.pass_(max(0.0, wait.total_seconds()))
        raise AssertionError(f"no end after {most} attempts; asked {self.answers.asked}")

    async def next_job(self, task: str) -> None:
        """Done with this one; another task asks the same."""
        job = await self.queue.jobs.get_job(self.job)
        await self.queue.jobs.finish(job.claim, Payload())
        await self.queue.add(new(), task=task)

    async def pages(self, most: int, remember: PagingStop | None = None, **options: Any) -> list[ResultPage]:
        """So many result pages of one search, each in an attempt of its own where its engine wants an
        interval."""

        async def use(job: Job, context: JobContext) -> list[ResultPage]:
            serps = SerpAttempt(self.engines, job, context, SearchJob(query=QUERY, owner=OWNER, **options))
            got = list[ResultPage]()
            while len(got) < most:
                got.append(await serps.read_next(got))
            if remember is not None:
                await serps.sheets.keep(got, remember, await self.engines.finds.list_of_job(job.id))
            return got

        return list(await self.attempt(use))


@asynccontextmanager
async def searching(
    folder: Path, rule: Callable[[str], Serp | Response | Exception], *engines: SerpEngine, **budget: float
) -> AsyncIterator[World]:
    """A job of a task with this budget, and these engines behind that rule."""
    clock = TwoHands()
    async with opened("embedded", folder, clock) as queue:
        assert queue.database is not None
        table: Mapping[str, Any] = {each.about.name: each for each in engines or (make_engine(),)}
        answers = Answers(rule, clock)
        database = queue.database
        limiter = StoredLimiter(EmbeddedQueryStore(database), clock)
        health = StoredHealth(EmbeddedQueryStore(database), clock)
        cache = StoredCache(EmbeddedQueryStore(database), clock)
        rate_limits = RateLimits(limiter, health, cache, queue.interventions, clock)
        web = WebAccess(table, lambda: answers, MemoryParser(table), robots=False)
        await queue.tasks.enqueue(NewTask(TaskId("t1"), OWNER, budget=budget), [new()])
        yield World(
            queue,
            clock,
            answers,
            build_engine_access(web, rate_limits, StoredUrls(EmbeddedQueryStore(database), clock)),
        )
