"""Background work: searches, addresses, documents and questions, queued and followed by task."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from shisho.domain.codec import to_plain
from shisho.domain.corpus import DEFAULT_CORPUS, LOCAL_OWNER, WEB_CORPUS
from shisho.domain.job import (
    ENDED_TASK,
    EnqueueResult,
    IdempotencyKey,
    JobId,
    JobState,
    NewJob,
    NewTask,
    ReplyFacts,
    StopMode,
    TaskId,
    TaskNews,
    TaskState,
)
from shisho.domain.payloads import (
    FetchJob,
    IngestJob,
    JobPayload,
    read_known_payloads,
    read_payload,
)
from shisho.domain.task import (
    Bytes,
    DocumentsQueued,
    ExistingDocument,
    JobKind,
    JobPage,
    PurgeScope,
    SearchesQueued,
    SearchOptions,
    StatusDetail,
    TaskDeleted,
    TaskPage,
    TaskResumed,
    TaskSnapshot,
    TaskStopped,
    UrlsQueued,
    WaitCondition,
    WebConsent,
)
from shisho.domain.team import AuditVerb, CorpusKey, TaskShare
from shisho.domain.viewing import PAGED_TYPES
from shisho.errors import (
    InvalidParams,
    NameConflict,
    NotFound,
    QuotaExhausted,
    ShishoError,
    TaskNotFound,
)
from shisho.librarian.strategy import check_question
from shisho.ports import (
    Files,
    Ledger,
    Originals,
    Reports,
    Shelf,
    Staging,
)
from shisho.records import dataclass
from shisho.services import intake, status
from shisho.services.adding import measure_size, move_bibliographies_last
from shisho.services.choosing import build_cursor_error
from shisho.services.coercion import coerce, coerce_all, coerce_paths, coerce_strings
from shisho.services.queue import JobQueue, check_consent, unstage
from shisho.services.sharing import MAX_SHARES, SharedReading
from shisho.web.http.url import canonicalise

SEARCH = SearchOptions()
ROWS = {StatusDetail.SUMMARY: 10, StatusDetail.FULL: 50}
# bytes of files hashed per call; beyond that, the job finds out whether a file is known
LOOKED_INTO = 200_000_000


class Consent(Protocol):
    """The user's consent to web searches."""

    def read_state(self) -> WebConsent: ...

    def read_since(self) -> str:
        """Return the time of the choice; "" if there is none, or a setting decides."""

    def keep(self, consent: WebConsent) -> None:
        """Store a yes or a no; NOT_ASKED deletes both."""


@dataclass(frozen=True, slots=True)
class Uploads:
    """The sources of added documents: files below `roots`, and bytes that wait for their job."""

    files: Files
    staging: Staging
    originals: Originals
    roots: Sequence[Path]


class Tasks:
    """Background work, queued, waited for, stopped, resumed or removed by task.

    Tasks can be named by id, unique prefix or `last`; every method that names one raises TaskNotFound if
    there is none. A method that queues returns after the commit: its result cannot be lost. Only its owner
    sees a task that is not shared; a shared task hides documents that its reader may not read.
    """

    def __init__(
        self,
        queue: JobQueue,
        shelf: Shelf,
        ledger: Ledger,
        reports: Reports,
        uploads: Uploads,
        consent: Consent,
        shared: SharedReading,
    ) -> None:
        self._queue = queue
        self._shelf = shelf
        self._ledger = ledger
        self._reports = reports
        self._uploads = uploads
        self._consent = consent
        self._shared = shared

    async def create(
        self,
        question: str,
        *,
        budget: Mapping[str, float | None] | None = None,
        idempotency_key: str | None = None,
    ) -> TaskId:
        """Open a task. `budget`: max_pages, max_seconds, max_model_calls, max_tokens.

        A repeated call with the same key returns the first task. Raises InvalidParams for a blank question or
        an unknown ceiling.
        """
        check_question(question)
        task = self._queue.make_task(question, budget)
        key = self._queue.make_key(idempotency_key, "create_task", None, [question], (question, task.budget))
        return (await self._queue.tasks.open(task, key)).id

    async def queue_searches(
        self,
        queries: str | Sequence[str],
        *,
        task_id: str | None = None,
        options: SearchOptions = SEARCH,
        idempotency_key: str | None = None,
    ) -> SearchesQueued:
        """Queue 1 to 50 web searches; without a task, one is created.

        Blank, `undefined` and repeated queries are skipped, each with its reason. Raises InvalidParams if no
        query is left or an option is wrong.
        """
        usable, skipped = intake.select_queries(queries)
        search_options = intake.check_options(options)
        inputs = [intake.build_search_job(query, search_options, self._queue.owner) for query in usable]
        keys = [intake.make_search_key(query, search_options) for query in usable]
        new = self._queue.make_jobs(JobKind.SEARCH, inputs, keys, search_options.priority)
        task = await self._queue.find_or_make_task(task_id, usable[0])
        request = (coerce_strings(queries), search_options)
        key = self._queue.make_key(idempotency_key, "queue_searches", task_id, usable, request)
        await self._check_consent(key)
        ids = [job.id for job in new]
        return await self._queue.enqueue(task, new, usable, skipped, key, SearchesQueued, AuditVerb.ASK, *ids)

    async def queue_urls(
        self, urls: str | Sequence[str], *, task_id: str | None = None, idempotency_key: str | None = None
    ) -> UrlsQueued:
        """Queue addresses (http, https) or DOIs (`10.…`, `doi:…`) to be fetched and added."""
        usable, skipped = intake.parse_addresses(urls, canonicalise)
        if not usable:
            raise InvalidParams("fetch.no_address", skipped=to_plain(skipped))
        inputs = [FetchJob(address.url, self._queue.owner) for address in usable.values()]
        keys = [f"fetch {address.name}" for address in usable.values()]
        new = self._queue.make_jobs(JobKind.FETCH, inputs, keys, SEARCH.priority)
        task = await self._queue.find_or_make_task(task_id, next(iter(usable)))
        key = self._queue.make_key(idempotency_key, "queue_urls", task_id, list(usable), coerce_strings(urls))
        await self._check_consent(key)
        audited = (AuditVerb.ADD, WEB_CORPUS)
        return await self._queue.enqueue(task, new, list(usable), skipped, key, UrlsQueued, *audited)

    async def queue_documents(
        self,
        *,
        paths: Path | str | Sequence[Path | str] = (),
        urls: str | Sequence[str] = (),
        files: Sequence[Bytes] = (),
        corpus: str = DEFAULT_CORPUS,
        metadata: Mapping[str, str] | None = None,
        password: str | None = None,
        task_id: str | None = None,
        idempotency_key: str | None = None,
        remote: bool = True,
        replace_files: bool = True,
    ) -> DocumentsQueued:
        """Queue documents to be added. Raises as `Documents.add`.

        `remote`: not a shell of this machine, so paths must be below `allowed_roots` (ForbiddenPath). Without
        `replace_files`, NameConflict if another document has the name of one of `files`, also if it appears
        later.
        """
        paths = coerce_paths(paths)
        urls = coerce_strings(urls)
        task = await self._queue.find_or_make_task(task_id, "")
        named = [*map(str, paths), *urls, *(file.name for file in files)] or [corpus]
        documents = intake.describe_documents(paths, urls, files, password, idempotency_key or "")
        request = (documents, corpus, metadata or {})
        key = self._queue.make_key(idempotency_key, "add_documents", task_id, named, request)
        if key is not None and (queued := await self._queue.tasks.find_repeated(key)) is not None:
            return await self._repeat_reply(queued, urls)
        corpus = intake.check_corpus_name(corpus)
        async with self._queue.access.record_failure(AuditVerb.ADD, corpus) as act:
            found = await asyncio.to_thread(self._find_files, paths, remote)
            addresses, skipped = intake.parse_addresses(urls, canonicalise)
            if not (found or addresses or files):
                raise InvalidParams("adding.nothing_given", skipped=to_plain(skipped))
            if addresses:
                check_consent(self._consent.read_state())
            target = await self._queue.access.find_writable(corpus)
            if not replace_files:
                await self._check_names_free(files, target)
            common = IngestJob("", target.owner, target.name, dict(metadata or {}), may_replace=replace_files)
            known, unknown = await self._sort_uploads(found, files, common, remote)
            new = await self._build_document_jobs(unknown, addresses.values(), common, password)
            if isinstance(task, NewTask) and not new:  # no job would ever end it
                task = replace(task, state=TaskState.COMPLETED)
            counts: dict[str, int] = {JobKind.INGEST: len(unknown), JobKind.FETCH: len(addresses)}
            estimated = await self._queue.estimate(counts)
            facts = ReplyFacts(estimated, tuple(document.document_id for document in known))
            key = key and replace(key, facts=facts)
            try:
                queued = await self._queue.tasks.enqueue(task, new, key, act=act)
            except QuotaExhausted:
                await unstage(self._uploads.staging, map(read_payload, new))
                raise
        if queued.is_repeat:  # the same request was processed first at the same time
            await unstage(self._uploads.staging, map(read_payload, new))
            return await self._repeat_reply(queued, urls)
        return DocumentsQueued(
            queued.task_id, len(new), tuple(skipped), queued.job_ids, tuple(known), estimated
        )

    async def get_status(
        self,
        task_id: str = "last",
        *,
        wait: float = 20.0,
        wait_for: WaitCondition | str = WaitCondition.CHANGE,
        since_revision: int | None = None,
        detail: StatusDetail | str = StatusDetail.SUMMARY,
        cursor: str | None = None,
    ) -> TaskSnapshot:
        """Return the status of a task after waiting up to `wait` (0..50 s) for the condition `wait_for`.

        Changes count from `since_revision`, by default from this call; an ended task returns at once. With
        `cursor`, only results that arrived or changed after it, at once if there are any; without, those
        since the revision. With `wait_for=done`, results come after the end.

        Raises: InvalidParams for a cursor beyond the task's results.
        """
        seconds = intake.check_wait(wait)
        after = intake.parse_cursor(cursor)
        wait_for = coerce(WaitCondition, wait_for, "wait_for")
        detail = coerce(StatusDetail, detail, "detail")
        name, share = await self._find_readable(task_id)
        more = cursor is not None and await self._has_more(name, after)
        if more and since_revision is None and wait_for is not WaitCondition.DONE:
            seconds = 0
        owner = self._queue.owner if share is None else share.owner
        news = await self._poll(name, since_revision, seconds, wait_for)
        withheld = wait_for is WaitCondition.DONE and news.task.state is TaskState.RUNNING
        rows = 0 if withheld else ROWS[detail]
        since = since_revision if cursor is None else None

        async def make_snapshot() -> TaskSnapshot:
            report = await self._reports.report(name, owner, after, rows, since or 0)
            report = replace(report, more=False, last=after) if withheld else report
            return status.build_snapshot(
                news.task,
                report,
                since_revision,
                detail,
                await self._queue.estimate(status.list_live_kinds(report)),
            )

        snapshot = await news.make_once(
            (after, since_revision, detail, withheld, cursor is None), make_snapshot
        )
        if share is None:
            return snapshot
        await self._check_shared(name)
        return await self._shared.read_status(snapshot)

    async def list(
        self, *, states: Sequence[TaskState | str] | str = (), cursor: str | None = None, limit: int = 50
    ) -> TaskPage:
        """List tasks, newest first. Raises InvalidParams for a cursor that is not a task of the visitor."""
        wanted = coerce_all(TaskState, states, "states")
        if cursor is not None:
            await self._check_listed(cursor)
        tasks = await self._queue.tasks.list_tasks(
            self._queue.owner, wanted, None if cursor is None else TaskId(cursor), limit + 1
        )
        rows = tuple(map(status.summarise_task, tasks[:limit]))
        return TaskPage(rows, rows[-1].task_id if len(tasks) > limit else None)

    async def list_jobs(self, task_id: str, *, cursor: str | None = None, limit: int = 50) -> JobPage:
        """List the jobs of a task, oldest first, with complete results and errors.

        Raises: InvalidParams for a cursor that is not a job of it.
        """
        name = await self._queue.find(task_id)
        if cursor is not None:
            await self._check_job_listed(name, cursor)
        page = await self._queue.tasks.take_snapshot(name, None if cursor is None else JobId(cursor), limit)
        return JobPage(page.jobs, page.jobs[-1].id if page.more else None)

    async def stop(
        self, task_id: str, *, mode: StopMode | str = StopMode.GRACEFUL, wait: float = 0.0
    ) -> TaskStopped:
        """Cancel jobs that have not begun; `immediate` cancels running ones too.

        Waits up to `wait` for running jobs to end.
        """
        mode = coerce(StopMode, mode, "mode")
        seconds = intake.check_wait(wait)
        name = await self._find_managed(task_id)
        halt = await self._queue.tasks.stop(name, mode)
        running = await self._wait_for_running(name, halt.still_running, seconds)
        task = await self._queue.tasks.get_task(name)
        resumable = bool(task.jobs.get(JobState.CANCELLED) or task.jobs.get(JobState.FAILED))
        return TaskStopped(name, status.count_pending(halt.cancelled), tuple(running), resumable)

    async def resume(self, task_id: str) -> TaskResumed:
        """Queue cancelled and failed jobs again; each continues after its last step."""
        name = await self._queue.find(task_id)
        queued = await self._queue.tasks.resume(name)
        return TaskResumed(name, len(queued), tuple(queued))

    async def remove(self, task_id: str, *, purge: PurgeScope | str = PurgeScope.NONE) -> TaskDeleted:
        """Remove a task and its rows; running jobs are cancelled first.

        `orphans` also erases its web pages that no other task, answer, session or corpus of the user refers
        to.
        """
        purge = coerce(PurgeScope, purge, "purge")
        name = await self._find_managed(task_id)
        async with self._queue.access.record_outcome(AuditVerb.REMOVE, name):
            await self._queue.tasks.stop(name, StopMode.IMMEDIATE)
            await unstage(self._uploads.staging, await self._read_payloads(name))
            orphans = await self._reports.list_orphans(name) if purge is PurgeScope.ORPHANS else ()
            await self._shelf.remove(*orphans, purge=True)
            results = await self._reports.forget(name)
            removed = await self._queue.tasks.remove(name)
        return TaskDeleted(name, removed.jobs, removed.events, results, len(orphans))

    async def share(self, name: str, group: str) -> None:
        """Share a task's status and answer with a group. Raises NotFound.

        By task, or by an answer that the shell made directly.
        """
        await self._shared.check_group(group)
        shared_id = await self._find_shareable(name)
        await self._shared.shares.share(shared_id, group, self._queue.owner)
        await self._queue.access.record(AuditVerb.SHARE, shared_id, group)

    async def unshare(self, name: str, group: str) -> None:
        """Stop sharing, with immediate effect. Raises NotFound if it was not shared."""
        shared_id = await self._find_shareable(name)
        if not await self._shared.shares.unshare(shared_id, group, self._queue.owner):
            raise NotFound("share.not_shared", id=shared_id, name=group)
        await self._queue.access.record(AuditVerb.UNSHARE, shared_id, group)

    async def list_shares(self) -> Sequence[TaskShare]:
        """List the visitor's own shares, then those of others with the visitor's groups, newest first."""
        shares = self._shared.shares
        own = await shares.list_of_owner(self._queue.owner, MAX_SHARES)
        return [*own, *await shares.list_visible(self._queue.owner, MAX_SHARES)]

    async def drop_staged(self, sha256: str) -> None:
        """Delete uploaded bytes that still wait for a job."""
        await asyncio.to_thread(self._uploads.staging.drop_bytes, sha256, self._queue.owner)

    async def _find_shareable(self, name: str) -> str:
        with suppress(TaskNotFound):
            return await self._queue.find(name)
        answer = await self._ledger.answer(name, self._queue.owner)
        with suppress(TaskNotFound):
            return await self._queue.find(answer.task_id)
        return answer.id

    async def _find_readable(self, name: str) -> tuple[TaskId, TaskShare | None]:
        """Return a task of the visitor, or a shared one, named by its complete id. Raises TaskNotFound."""
        try:
            return await self._queue.find(name), None
        except TaskNotFound:
            share = await self._shared.find(name)
            if share is None:
                raise
        await self._queue.access.record(AuditVerb.READ, share.shared_id)
        await self._queue.tasks.get_task(TaskId(name))  # it may have been an answer's
        return TaskId(name), share

    async def _check_shared(self, task_id: TaskId) -> None:
        """Raise TaskNotFound if a share has ended, as it may while its reader waits."""
        if await self._shared.find(task_id) is None:
            await self._queue.find(task_id)

    async def _find_managed(self, name: str) -> TaskId:
        """Return a task that the visitor may stop or remove.

        Their own; for the library's administrator any, by its complete id.
        """
        try:
            return await self._queue.find(name)
        except TaskNotFound:
            if self._queue.owner != LOCAL_OWNER:
                raise
            return (await self._queue.tasks.get_task(TaskId(name))).id

    async def _poll(
        self, task_id: TaskId, since: int | None, seconds: float, wait_for: WaitCondition
    ) -> TaskNews:
        """Return the task when it meets the condition, or after the timeout.

        Without `since`, changes count from the call; a task without jobs is returned at once.
        """
        ends = asyncio.get_running_loop().time() + seconds
        news = await self._queue.watch(task_id, None, 0)
        if since is None and news.task.state is TaskState.CREATED:
            return news
        since = news.task.revision if since is None else since
        while not await _is_met(self._reports, news, since, wait_for):
            remaining = ends - asyncio.get_running_loop().time()
            if remaining <= 0:
                break
            news = await self._queue.watch(task_id, news.task.revision, remaining)
        return news

    async def _check_consent(self, key: IdempotencyKey | None) -> None:
        """Check consent as `check_consent`, except that a repeated request gets its first reply again."""
        if key is None or await self._queue.tasks.find_repeated(key) is None:
            check_consent(self._consent.read_state())

    async def _check_listed(self, task_id: str) -> None:
        """Raise InvalidParams if the visitor continues a list from a task that is not theirs."""
        with suppress(NotFound):
            if (await self._queue.tasks.get_task(TaskId(task_id))).owner == self._queue.owner:
                return
        raise build_cursor_error("task", task_id)

    async def _check_job_listed(self, task_id: TaskId, job_id: str) -> None:
        """Raise InvalidParams if the visitor continues a list from a job of another task."""
        with suppress(NotFound):
            if (await self._queue.jobs.get_job(JobId(job_id))).task_id == task_id:
                return
        raise build_cursor_error("job", job_id)

    async def _has_more(self, task_id: TaskId, place: int) -> bool:
        """Return whether the task has results after a position.

        Raises InvalidParams for a position beyond all results, whose reader would never receive any.
        """
        last = await self._reports.find_last_place(task_id)
        if place > last:
            raise InvalidParams(
                "task.foreign_cursor",
                cursor=place,
            )
        return place < last

    def _find_files(self, paths: Sequence[Path | str], remote: bool) -> Sequence[Path]:
        paths_found: dict[Path, None] = {}
        for path in paths:
            asked_path = (
                intake.check_allowed(path, self._uploads.roots) if remote else intake.resolve_file(path)
            )
            for file in self._uploads.files.survey([asked_path]).files:
                paths_found[
                    intake.check_allowed(file, self._uploads.roots) if remote else intake.resolve_file(file)
                ] = None
        return move_bibliographies_last(list(paths_found))

    async def _sort_uploads(
        self, paths: Sequence[Path], files: Sequence[Bytes], common: IngestJob, remote: bool
    ) -> tuple[Sequence[ExistingDocument], Sequence[IngestJob]]:
        """Return the known documents, and the payloads of jobs for the others; `common` applies to all.

        A remote caller's path stays in the folder that allowed it until it is read.
        """
        existing = []
        unknown = list[IngestJob]()
        looked = 0
        for path in paths:
            size = await asyncio.to_thread(measure_size, path)
            looked += size
            within = intake.find_allowed_root(path, self._uploads.roots) if remote else None
            data = await asyncio.to_thread(self._read_bytes, path, within) if looked <= LOOKED_INTO else None
            existing_document = None if data is None else await self._find_known(str(path), data, common)
            if existing_document is None:
                root = None if within is None else str(within)
                unknown.append(replace(common, source=str(path), path=str(path), within=root))
            else:
                existing.append(existing_document)
        for file in files:
            name = intake.check_upload_name(file.name)
            existing_document = await self._find_known(name, file.data, common)
            if existing_document is None:
                staged = await asyncio.to_thread(self._uploads.staging.put, file.data, self._queue.owner)
                unknown.append(replace(common, source=name, staged=staged))
            else:
                await self._keep_original(existing_document, file.data)
                existing.append(existing_document)
        return existing, unknown

    async def _build_document_jobs(
        self,
        handed: Sequence[IngestJob],
        addresses: Iterable[intake.PageAddress],
        common: IngestJob,
        password: str | None,
    ) -> Sequence[NewJob]:
        """Return the jobs for these uploads and addresses, each with its own copy of the password."""
        ingest = [replace(job, password=await self._store_secret(password)) for job in handed]
        fetch = [
            FetchJob(
                address.url, common.owner, common.corpus, common.metadata, await self._store_secret(password)
            )
            for address in addresses
        ]
        return [*self._queue.make_jobs(JobKind.INGEST, ingest), *self._queue.make_jobs(JobKind.FETCH, fetch)]

    async def _check_names_free(self, files: Sequence[Bytes], target: CorpusKey) -> None:
        """Raise NameConflict if a document with other bytes has the name of one of these files.

        One that appears later fails the job.
        """
        for file in files:
            name = intake.check_upload_name(file.name)
            for document in await self._shelf.find_by_source(name, self._queue.owner):
                is_there = (document.owner, document.corpus, document.source) == (*target, name)
                if is_there and document.sha256 != sha256(file.data).hexdigest():
                    raise NameConflict(
                        "document.name_taken",
                        name=name,
                        document_id=document.id,
                        added_at=document.added_at,
                    )

    def _read_bytes(self, path: Path, within: Path | None) -> bytes | None:
        try:
            return self._uploads.files.read(path, within)
        except (OSError, ShishoError):  # its job will report the reason
            return None

    async def _find_known(self, source: str, data: bytes, common: IngestJob) -> ExistingDocument | None:
        document = await self._shelf.find_known(common.corpus, common.owner, sha256(data).hexdigest())
        if document is None or not await self._shelf.record_seen(
            document, source, common.metadata, may_replace=common.may_replace
        ):
            return None
        return ExistingDocument(source, document.id, document.title)

    async def _keep_original(self, existing: ExistingDocument, data: bytes) -> None:
        """Store the bytes of a known document, which must now outlive its file."""
        document = await self._shelf.find_document(existing.document_id)
        if document.media_type in PAGED_TYPES:
            await self._uploads.originals.put(document.sha256, data)

    async def _store_secret(self, password: str | None) -> str | None:
        """Return the key of a staged password: it is outside the database, and only until its job is done."""
        if password is None:
            return None
        return await asyncio.to_thread(self._uploads.staging.put, password.encode(), self._queue.owner)

    async def _read_payloads(self, task_id: TaskId) -> Sequence[JobPayload]:
        """Read the payloads of a task's jobs."""
        payloads: list[JobPayload] = []
        after = None
        more = True
        while more:
            page = await self._queue.tasks.take_snapshot(task_id, after)
            payloads += read_known_payloads(page.jobs)
            after = page.jobs[-1].id if page.jobs else None
            more = page.more
        return payloads

    async def _repeat_reply(self, result: EnqueueResult, urls: Sequence[str]) -> DocumentsQueued:
        """Return the first reply of `add_documents` under an idempotency key.

        Documents erased since are left out.
        """
        documents = await self._shelf.fetch_documents(result.facts.known)
        existing_documents = [
            ExistingDocument(document.source, document.id, document.title) for document in documents.values()
        ]
        _, skipped = intake.parse_addresses(urls, canonicalise)
        seconds = result.facts.estimated_seconds or 0.0
        return DocumentsQueued(
            result.task_id,
            len(result.added),
            tuple(skipped),
            result.job_ids,
            tuple(existing_documents),
            seconds,
        )

    async def _wait_for_running(
        self, task_id: TaskId, jobs: Sequence[JobId], seconds: float
    ) -> Sequence[JobId]:
        """Return those of these jobs that are still running after the timeout."""
        ends = asyncio.get_running_loop().time() + seconds
        while True:
            task = await self._queue.tasks.get_task(task_id)
            running = [job for job in jobs if (await self._queue.jobs.get_job(job)).state is JobState.RUNNING]
            remaining = ends - asyncio.get_running_loop().time()
            if not running or remaining <= 0:
                return running
            await self._queue.watch(task_id, task.revision, remaining)


async def _is_met(reports: Reports, news: TaskNews, since: int, wait_for: WaitCondition) -> bool:
    state = news.task.state
    if state in ENDED_TASK or (wait_for is not WaitCondition.CHANGE and state is not TaskState.RUNNING):
        return True
    if wait_for is WaitCondition.DONE or news.task.revision == since:
        return False
    return wait_for is WaitCondition.CHANGE or await news.make_once(
        ("outcome", since), lambda: reports.has_outcome(news.task.id, since)
    )
