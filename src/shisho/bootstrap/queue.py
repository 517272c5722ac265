"""Build the queue: verbs of tasks and sessions over stores, and handlers for workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from shisho.bootstrap.deferred import defer, defer_call
from shisho.bootstrap.engine_file import open_engine_file
from shisho.bootstrap.questions import build_answers, build_sessions
from shisho.bootstrap.queue_parts import Parts
from shisho.bootstrap.store_parts import QueueStores
from shisho.bootstrap.web import WebAccess
from shisho.domain.corpus import IntakeOutcome
from shisho.domain.job import Job, TaskId
from shisho.domain.payloads import find_password_key, read_known_payloads, read_payload
from shisho.domain.task import JobKind, WebConsent
from shisho.domain.web import EngineAbout
from shisho.errors import EngineUnavailable, ShishoError
from shisho.messages.message import Message
from shisho.ports import Clock, Ledger, Notifier, Staging, Storage, TaskStore
from shisho.services.news import FileTakenIn, FolderFailed, News
from shisho.services.parts import InlineWorker
from shisho.services.queue import check_consent
from shisho.services.task_parts import TaskParts
from shisho.services.tasks import TaskDesk
from shisho.settings import Settings, child_environment
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.domain.intervention import HumanChallenge
    from shisho.jobs.context import Handler, JobContext
    from shisho.jobs.notices import Notices
    from shisho.jobs.worker import Worker
    from shisho.services.answers import AnswerDesk
    from shisho.services.engines import EngineCatalogue
    from shisho.services.ingest_jobs import IngestHandler
    from shisho.services.outgoing import EngineOutgoingPreview
    from shisho.services.sessions import Sessions
    from shisho.services.web_pages import PageIntake

LOOK_AGAIN_SECONDS = 3.0
EXPIRY_SECONDS = 3_600.0  # between two looks for expired records


@dataclass(frozen=True, slots=True)
class QueueSide:
    """The queue's side of a desk."""

    tasks: TaskDesk
    sessions: Sessions
    answers: AnswerDesk
    working: InlineWorker


def build_queue(parts: Parts, stores: QueueStores) -> QueueSide:
    """Build the queue. No worker is built before `working` is entered."""
    tasks = defer(partial(_tasks, parts, stores))
    sessions = defer(partial(build_sessions, parts, stores))
    answers = defer(partial(build_answers, parts, stores, tasks))
    return QueueSide(tasks, sessions, answers, partial(_working, parts, stores))


def _tasks(parts: Parts, stores: QueueStores) -> TaskDesk:
    from shisho.jobs.ids import make_id
    from shisho.jobs.status import TaskWatch, estimate_seconds
    from shisho.web.http.url import canonicalise

    engines = defer(partial(_engine_list, parts, stores))
    wired = TaskParts(
        owner=parts.owner,
        access=parts.access,
        shared=parts.shared,
        tasks=stores.tasks,
        jobs=stores.jobs,
        interventions=stores.interventions,
        reports=stores.reports,
        opinions=stores.opinions,
        shelf=parts.shelf,
        ledger=parts.ledger,
        conversations=parts.conversations,
        disk=parts.files,
        staging=stores.staging,
        originals=parts.originals,
        roots=parts.settings.roots,
        watch=TaskWatch(stores.tasks, stores.bell),
        estimate=partial(estimate_seconds, stores.tasks, slots=parts.settings.read_int("workers")),
        budget=parts.budget,
        check=parts.inquiries.check,
        name_page=canonicalise,
        engines=lambda: engines.list_engines(),
        make_id=make_id,
        mend=stores.manners.health.mend,
        window=partial(_show_window, parts.web),
        consent=parts.consent(parts.owner),
        outgoing=defer(partial(_outgoing, parts, engines)),
        lend=parts.inquiries.assign,
        cut_short=parts.inquiries.cut_short,
    )
    return TaskDesk(wired)


def _outgoing(parts: Parts, engines: EngineCatalogue) -> EngineOutgoingPreview:
    from shisho.services.outgoing import EngineOutgoingPreview

    return EngineOutgoingPreview(engines, parts.budget, bool(parts.settings.text("box")))


async def _show_window(web: WebAccess | None, met: HumanChallenge) -> bool:
    if web is None:
        raise EngineUnavailable("web.off_url", url=met.url)
    return await web.window(met)


@asynccontextmanager
async def _working(
    parts: Parts, stores: QueueStores, slots: int | None = None, notifier: Notifier | None = None
) -> AsyncIterator[None]:
    from shisho.jobs.notices import Notices
    from shisho.jobs.timing import WorkerTiming
    from shisho.jobs.worker import Worker

    settings = parts.settings
    pace = WorkerTiming(job=settings.read_float("max_job_seconds"))
    at_once = settings.read_int("workers") if slots is None else slots
    told_notifier = None if settings.text("notify") == "off" else notifier
    notices = Notices(parts.owner, stores.interventions, stores.bell, told_notifier, _desktop(settings))
    worker = Worker(
        stores.jobs,
        stores.bell,
        stores.presence,
        parts.clock,
        _handlers(parts, stores),
        slots=at_once,
        pace=pace,
        forget=partial(_forget_password, stores.staging),
    )
    expire = partial(_expire_steps, parts.ledger, parts.clock, settings)
    aside = (partial(parts.folders.follow, _log_folder), parts.embeddings.keep_up, expire)
    workplace = Workplace(notices, worker, () if notifier is None else aside)
    async with _usable(parts.storage, notifier is not None, workplace):
        yield


async def _forget_password(staging: Staging, job: Job) -> None:
    """Delete the password when a job ends; the file is kept so that the job can be resumed."""
    for payload in read_known_payloads([job]):
        key = find_password_key(payload)
        if key is not None:
            await asyncio.to_thread(staging.drop, key)


async def _expire_steps(ledger: Ledger, clock: Clock, settings: Settings) -> None:
    """Drop the steps of runs that are older than the settings allow, by the hour."""
    from shisho.bootstrap.upkeep import expire_steps

    await expire_steps(ledger, clock, settings)
    await asyncio.sleep(EXPIRY_SECONDS)


@dataclass(frozen=True, slots=True)
class Workplace:
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
async def _usable(storage: Storage, is_to_stay: bool, working: Workplace) -> AsyncIterator[None]:
    """Work on the queue; if the home is unusable, start as soon as it becomes usable.

    Long-running processes also examine the whole database.
    """
    aside = [asyncio.create_task(storage.examine())] if is_to_stay else []
    try:
        try:
            await storage.check_ready()
        except ShishoError as error:
            log.warning(Message("queue.halted", why=error.message))
            aside.append(asyncio.create_task(_once_usable(storage, working)))
            yield
        else:
            async with working():
                yield
    finally:
        for task in aside:
            task.cancel()
        await asyncio.gather(*aside, return_exceptions=True)


async def _once_usable(storage: Storage, working: Workplace) -> None:
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


def _desktop(settings: Settings) -> Notifier | None:
    from shisho.system import desktop

    if settings.text("notify") != "auto" or (program := desktop.program()) is None:
        return None
    return desktop.DesktopNotifier(program, child_environment(screen=True), language=settings.reader)


def _handlers(parts: Parts, stores: QueueStores) -> Mapping[str, Handler]:
    """Return the handlers, each built for the first job of its kind.

    A server starts without them, and a question to the documents loads no web code.
    """
    shelving = cache(partial(_make_shelving, parts, stores))
    pages = cache(partial(_make_pages, parts, stores, shelving))
    makers: Mapping[str, Callable[[], Handler]] = {
        JobKind.SEARCH: partial(_make_searching, parts, stores, pages),
        JobKind.FETCH: partial(_make_fetching, parts, stores, pages),
        JobKind.INGEST: lambda: shelving().ingest,
        JobKind.ANSWER: partial(_make_answering, parts, stores),
    }
    return {kind: defer_call(cache(make)) for kind, make in makers.items()}


def _make_shelving(parts: Parts, stores: QueueStores) -> IngestHandler:
    from shisho.services.ingest_jobs import IngestHandler

    return IngestHandler(parts.ingest, stores.finds, parts.files, stores.staging)


def _make_pages(
    parts: Parts, stores: QueueStores, shelving: Callable[[], IngestHandler]
) -> PageIntake | None:
    from shisho.bootstrap.web import build_page_intake

    return None if parts.web is None else build_page_intake(parts.web, stores.manners, shelving())


def _make_searching(parts: Parts, stores: QueueStores, pages: Callable[[], PageIntake | None]) -> Handler:
    from shisho.bootstrap.web import build_engine_access
    from shisho.services.search_jobs import SearchHandler

    engines = build_engine_access(parts.web, stores.manners, stores.finds) if parts.web else None
    blocked = stores.opinions.list_blocked
    allowance = partial(_left, stores.tasks)
    searching = SearchHandler(engines, pages(), parts.judge, blocked, allowance, parts.clock)
    return _with_consent(parts, searching.search)


def _make_fetching(parts: Parts, stores: QueueStores, pages: Callable[[], PageIntake | None]) -> Handler:
    from shisho.services.fetch_jobs import FetchHandler

    return _with_consent(parts, FetchHandler(pages(), partial(_left, stores.tasks)).fetch)


def _make_answering(parts: Parts, stores: QueueStores) -> Handler:
    from shisho.services.answer_jobs import AnswerHandler

    answering = AnswerHandler(
        parts.shelf,
        parts.ledger,
        parts.inquiries,
        stores.finds,
        stores.opinions.list_left_out,
        stores.interventions.list_waiting,
        partial(_left, stores.tasks),
        parts.budget,
        parts.clock,
        way=partial(_way_is_open, parts, stores),
        turn_seconds=parts.settings.read_float("max_job_seconds"),
    )
    return answering.answer


def _way_is_open(parts: Parts, stores: QueueStores, owner: str) -> bool:
    return parts.consent(owner).state() is WebConsent.GIVEN and _engine_list(parts, stores).is_any_set_up()


def _with_consent(parts: Parts, handler: Handler) -> Handler:
    """Check the consent of the job's owner, who may withdraw it after the job was queued."""

    async def handled(job: Job, context: JobContext) -> Any:
        check_consent(parts.consent(read_payload(job).owner).state())
        return await handler(job, context)

    return handled


async def _left(tasks: TaskStore, task_id: TaskId) -> Mapping[str, float]:
    task = await tasks.get_task(task_id)
    return {
        name: max(0.0, most - task.spent.get(name.removeprefix("max_"), 0))
        for name, most in task.budget.items()
    }


def _engine_list(parts: Parts, stores: QueueStores) -> EngineCatalogue:
    from shisho.services.engines import EngineCatalogue

    return EngineCatalogue(
        list_known=partial(_known_engines, parts),
        plugged=_plugged(parts).keys(),
        health=stores.manners.health,
        limiter=stores.manners.limiter,
        values=parts.settings.values,
        browser=parts.web is not None and parts.web.browse is not None,
        clock=parts.clock,
        find_off_reason=partial(_off_reason, parts),
    )


def _off_reason(parts: Parts) -> str:
    from shisho.services.engines import OFF, OFF_BY_SETTING

    consent = parts.consent(parts.owner)
    if consent.state() is not WebConsent.OFF:
        return ""
    return OFF_BY_SETTING if consent.mode == "off" else OFF


def _known_engines(parts: Parts) -> list[EngineAbout]:
    """Return all engines: those of engines.toml and those of plug-ins."""
    table = open_engine_file(parts.settings.home).read().engines
    abouts = {name: engine.about for name, engine in table.items()}
    return [*(abouts | _plugged(parts)).values()]


def _plugged(parts: Parts) -> dict[str, EngineAbout]:
    return {name: engine.about for name, engine in parts.web.engines.items()} if parts.web else {}
