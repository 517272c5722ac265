"""Run the jobs of the queue: the worker of this process, and the functions of each kind of job."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from shisho.bootstrap.engine_file import open_engine_file
from shisho.bootstrap.shared import SharedLibrary
from shisho.domain.corpus import IntakeOutcome
from shisho.domain.job import Job, TaskId
from shisho.domain.payloads import find_password_key, read_known_payloads, read_payload
from shisho.domain.task import JobKind, WebConsent
from shisho.domain.time import add_seconds
from shisho.domain.web import EngineAbout
from shisho.errors import ShishoError
from shisho.messages import Message
from shisho.ports import Clock, Ledger, Notifier, Staging, Storage, TaskStore
from shisho.records import dataclass
from shisho.services.news import FileTakenIn, FolderFailed, News
from shisho.services.queue import check_consent
from shisho.settings import Settings, build_child_environment
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.jobs.context import Handler, JobContext
    from shisho.jobs.notices import Notices
    from shisho.jobs.worker import Worker
    from shisho.services.ingest_jobs import IngestHandler
    from shisho.services.library import Library
    from shisho.services.web import EngineCatalogue
    from shisho.services.web_pages import PageIntake

LOOK_AGAIN_SECONDS = 3.0
DAY_SECONDS = 86_400.0
EXPIRY_SECONDS = 3_600.0  # between two looks for expired records


@asynccontextmanager
async def run_jobs(
    shared: SharedLibrary, library: Library, slots: int | None, notifier: Notifier | None
) -> AsyncIterator[None]:
    """Run jobs in this process during the block, `slots` at once (None: as configured)."""
    from shisho.jobs.notices import Notices
    from shisho.jobs.timing import WorkerTiming
    from shisho.jobs.worker import Worker

    settings = shared.settings
    stores = shared.stores.queue
    pace = WorkerTiming(job=settings.read_float("max_job_seconds"))
    at_once = settings.read_int("workers") if slots is None else slots
    told_notifier = None if settings.read_text("notify") == "off" else notifier
    notices = Notices(
        library.owner, stores.interventions, stores.notifier, told_notifier, _find_desktop(settings)
    )
    worker = Worker(
        stores.jobs,
        stores.notifier,
        stores.presence,
        shared.stores.clock,
        JobHandlers(shared).list(),
        slots=at_once,
        pace=pace,
        forget=partial(_forget_password, stores.staging),
    )
    aside: Sequence[Callable[[], Awaitable[None]]] = ()
    if notifier is not None:  # a process that stays
        expire = partial(_keep_expiring_steps, shared.stores.ledger, shared.stores.clock, settings)
        aside = (partial(library.folders.follow, _log_folder), library.embeddings.keep_up, expire)
    worker_group = WorkerGroup(notices, worker, aside)
    async with _run_if_usable(shared.stores.storage, notifier is not None, worker_group):
        yield


async def _forget_password(staging: Staging, job: Job) -> None:
    """Delete the password when a job ends; the file is kept so that the job can be resumed."""
    for payload in read_known_payloads([job]):
        key = find_password_key(payload)
        if key is not None:
            await asyncio.to_thread(staging.drop, key)


async def expire_steps(ledger: Ledger, clock: Clock, settings: Settings) -> int:
    """Drop the steps of runs that are older than the settings allow. Returns how many were dropped."""
    days = settings.read_int("keep_steps_days")
    return await ledger.expire_steps(add_seconds(clock.now(), -days * DAY_SECONDS)) if days else 0


async def _keep_expiring_steps(ledger: Ledger, clock: Clock, settings: Settings) -> None:
    """Drop expired steps, once an hour."""
    await expire_steps(ledger, clock, settings)
    await asyncio.sleep(EXPIRY_SECONDS)


@dataclass(frozen=True, slots=True)
class WorkerGroup:
    """The notices and the worker, entered together to work on the queue.

    `aside`: background work of long-running processes.
    """

    notices: Notices
    worker: Worker
    aside: Sequence[Callable[[], Awaitable[None]]]

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        from shisho.jobs.worker import repeat_forever

        tasks = [asyncio.create_task(repeat_forever(work)) for work in self.aside]
        try:
            async with self.notices, self.worker:
                yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _run_if_usable(storage: Storage, is_to_stay: bool, working: WorkerGroup) -> AsyncIterator[None]:
    """Work on the queue; if the home is unusable, start as soon as it becomes usable.

    Long-running processes also examine the whole database.
    """
    aside = [asyncio.create_task(storage.examine())] if is_to_stay else []
    try:
        try:
            await storage.check_ready()
        except ShishoError as error:
            log.warning(Message("queue.halted", why=error.message))
            aside.append(asyncio.create_task(_run_once_usable(storage, working)))
            yield
        else:
            async with working():
                yield
    finally:
        for task in aside:
            task.cancel()
        await asyncio.gather(*aside, return_exceptions=True)


async def _run_once_usable(storage: Storage, working: WorkerGroup) -> None:
    while True:
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
        with suppress(ShishoError):
            await storage.check_ready()
            async with working():
                await asyncio.Event().wait()


def _log_folder(news: News) -> None:
    if isinstance(news, FolderFailed):
        log.warning(news.error.message)
    elif isinstance(news, FileTakenIn) and news.receipt.outcome is not IntakeOutcome.KNOWN:
        receipt = news.receipt
        log.info("%s: %s %s", receipt.source, receipt.outcome, receipt.reason)


def _find_desktop(settings: Settings) -> Notifier | None:
    from shisho.system import desktop

    if settings.read_text("notify") != "auto" or (program := desktop.find_program()) is None:
        return None
    return desktop.DesktopNotifier(program, build_child_environment(screen=True), language=settings.reader)


class JobHandlers:
    """The handlers of jobs, each built for the first job of its kind.

    A server starts without them, and a question to the documents loads no web code.
    """

    def __init__(self, shared: SharedLibrary) -> None:
        self._shared = shared
        self._stores = shared.stores.queue
        self._count_left = partial(_count_left, self._stores.tasks)

    def list(self) -> Mapping[str, Handler]:
        """Return the handler of each kind of job."""
        makers: Mapping[str, Callable[[], Handler]] = {
            JobKind.SEARCH: self._build_search,
            JobKind.FETCH: self._build_fetch,
            JobKind.INGEST: lambda: self._ingest.ingest,
            JobKind.ANSWER: self._build_answer,
        }
        return {kind: _make_at_first_job(make) for kind, make in makers.items()}

    @cached_property
    def _ingest(self) -> IngestHandler:
        from shisho.services.ingest_jobs import IngestHandler

        shared, stores = self._shared, self._stores
        return IngestHandler(shared.ingest, stores.finds, shared.disk, stores.staging)

    @cached_property
    def _pages(self) -> PageIntake | None:
        from shisho.bootstrap.web import build_page_intake

        web = self._shared.web
        return None if web is None else build_page_intake(web, self._stores.rate_limits, self._ingest)

    def _build_search(self) -> Handler:
        from shisho.bootstrap.web import build_engine_access
        from shisho.services.search_jobs import SearchHandler

        shared, stores = self._shared, self._stores
        engines = build_engine_access(shared.web, stores.rate_limits, stores.finds) if shared.web else None
        blocked = shared.stores.opinions.list_blocked
        clock = shared.stores.clock
        searching = SearchHandler(engines, self._pages, shared.judge, blocked, self._count_left, clock)
        return _with_consent(shared, searching.search)

    def _build_fetch(self) -> Handler:
        from shisho.services.web_pages import FetchHandler

        return _with_consent(self._shared, FetchHandler(self._pages, self._count_left).fetch)

    def _build_answer(self) -> Handler:
        from shisho.services.answer_jobs import AnswerHandler, WebSearches

        shared, stores = self._shared, self._stores
        searches = WebSearches(
            stores.finds,
            stores.interventions.list_waiting,
            self._count_left,
            shared.stores.clock,
            partial(_can_search_web, shared),
            lambda owner, query, tried: build_engine_catalogue(shared, owner).is_other_set_up(query, tried),
        )
        turn_seconds = shared.settings.read_float("max_job_seconds")
        return AnswerHandler(shared.stores.shelf, shared.inquiries, searches, turn_seconds).answer


def _can_search_web(shared: SharedLibrary, owner: str) -> bool:
    return (
        shared.find_consent(owner).read_state() is WebConsent.GIVEN
        and build_engine_catalogue(shared, owner).is_any_set_up()
    )


def _with_consent(shared: SharedLibrary, handler: Handler) -> Handler:
    """Check the consent of the job's owner, who may withdraw it after the job was queued."""

    async def check_and_handle(job: Job, context: JobContext) -> Any:
        check_consent(shared.find_consent(read_payload(job).owner).read_state())
        return await handler(job, context)

    return check_and_handle


async def _count_left(tasks: TaskStore, task_id: TaskId) -> Mapping[str, float]:
    task = await tasks.get_task(task_id)
    return {
        name: max(0.0, most - task.spent.get(name.removeprefix("max_"), 0))
        for name, most in task.budget.items()
    }


def build_engine_catalogue(shared: SharedLibrary, owner: str) -> EngineCatalogue:
    """Build the catalogue of engines as this user may use them."""
    from shisho.services.web import EngineCatalogue

    rate_limits = shared.stores.queue.rate_limits
    plugged = _list_plugin_engines(shared)
    return EngineCatalogue(
        list_known=partial(_list_engines, shared, plugged),
        plugged=plugged.keys(),
        health=rate_limits.health,
        limiter=rate_limits.limiter,
        values=shared.settings.values,
        browser=shared.web is not None and shared.web.browse is not None,
        clock=shared.stores.clock,
        find_off_reason=partial(_find_off_reason, shared, owner),
    )


def _find_off_reason(shared: SharedLibrary, owner: str) -> str:
    from shisho.services.web import OFF, OFF_BY_SETTING

    consent = shared.find_consent(owner)
    if consent.read_state() is not WebConsent.OFF:
        return ""
    return OFF_BY_SETTING if consent.mode == "off" else OFF


def _list_engines(shared: SharedLibrary, plugged: Mapping[str, EngineAbout]) -> list[EngineAbout]:
    """Return all engines: those of engines.toml and those of plug-ins."""
    table = open_engine_file(shared.settings.home).read().engines
    abouts = {name: engine.about for name, engine in table.items()}
    return [*{**abouts, **plugged}.values()]


def _list_plugin_engines(shared: SharedLibrary) -> dict[str, EngineAbout]:
    return {name: engine.about for name, engine in shared.web.engines.items()} if shared.web else {}


def _make_at_first_job(make: Callable[[], Handler]) -> Handler:
    make = cache(make)

    async def handle(job: Job, context: JobContext) -> Any:
        return await make()(job, context)

    return handle
