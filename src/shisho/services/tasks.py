"""The desk's background work: queued, waited for, stopped, resumed or removed by task."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from shisho.domain.audit import AuditVerb
from shisho.domain.codec import to_plain
from shisho.domain.corpus import DEFAULT_CORPUS, WEB_CORPUS
from shisho.domain.inquiry import LoopStop
from shisho.domain.intervention import (
    AuthAction,
    AuthResolved,
    AuthTarget,
    PendingIntervention,
    WindowResult,
)
from shisho.domain.job import JobId, JobState, NewTask, ReplyFacts, StopMode, TaskId, TaskState
from shisho.domain.payloads import FetchJob, IngestJob, read_payload
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind
from shisho.domain.task import (
    AnswerHandle,
    AskOptions,
    Bytes,
    DocumentsQueued,
    FeedbackRecorded,
    JobKind,
    JobPage,
    Opinion,
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
)
from shisho.errors import InvalidParams, NotFound, QuotaExhausted
from shisho.services import intake
from shisho.services import status as told
from shisho.services.coercion import coerce, coerce_all, coerce_paths, coerce_strings
from shisho.services.polling import poll
from shisho.services.queue import check_consent
from shisho.services.requirements import choose_report_sources, coerce_ask, fill_report_ceilings
from shisho.services.shared_verbs import SharedVerbs

SEARCH = SearchOptions()
ASK = AskOptions()
ROWS = {StatusDetail.SUMMARY: 10, StatusDetail.FULL: 50}


class TaskDesk(SharedVerbs):
    """The desk's verbs of tasks.

    Tasks can be named by id, unique prefix or `last`; every verb that names one raises TaskNotFound if there
    is none. A verb that queues returns after the commit: its result cannot be lost.
    """

    __slots__ = ()

    async def create_task(
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
        self._parts.check(question, NO_REQUIREMENTS)
        task = self._new_task(question, budget)
        key = self._key(idempotency_key, "create_task", None, [question], (question, task.budget))
        return (await self._parts.tasks.open(task, key)).id

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
        inputs = [intake.search_job(query, search_options, self._parts.owner) for query in usable]
        keys = [intake.search_key(query, search_options) for query in usable]
        new = self._new_jobs(JobKind.SEARCH, inputs, keys, search_options.priority)
        task = await self._task_for(task_id, usable[0])
        request = (coerce_strings(queries), search_options)
        key = self._key(idempotency_key, "queue_searches", task_id, usable, request)
        await self._check_consent(key)
        ids = [job.id for job in new]
        return await self._queued(task, new, usable, skipped, key, SearchesQueued, AuditVerb.ASK, *ids)

    async def queue_urls(
        self, urls: str | Sequence[str], *, task_id: str | None = None, idempotency_key: str | None = None
    ) -> UrlsQueued:
        """Queue addresses (http, https) or DOIs (`10.…`, `doi:…`) to be fetched and added."""
        usable, skipped = intake.parse_addresses(urls, self._parts.name_page)
        if not usable:
            raise InvalidParams("fetch.no_address", skipped=to_plain(skipped))
        inputs = [FetchJob(address.url, self._parts.owner) for address in usable.values()]
        keys = [f"fetch {address.name}" for address in usable.values()]
        new = self._new_jobs(JobKind.FETCH, inputs, keys, SEARCH.priority)
        task = await self._task_for(task_id, next(iter(usable)))
        key = self._key(idempotency_key, "queue_urls", task_id, list(usable), coerce_strings(urls))
        await self._check_consent(key)
        audited = (AuditVerb.ADD, WEB_CORPUS)
        return await self._queued(task, new, list(usable), skipped, key, UrlsQueued, *audited)

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
        """Queue documents to be added. Raises as `Desk.add`.

        `remote`: not a shell of this machine, so paths must be below `allowed_roots` (ForbiddenPath). Without
        `replace_files`, NameConflict if another document has the name of one of `files`, also if it appears
        later.
        """
        paths = coerce_paths(paths)
        urls = coerce_strings(urls)
        task = await self._task_for(task_id, "")
        named = [*map(str, paths), *urls, *(file.name for file in files)] or [corpus]
        documents = intake.describe_documents(paths, urls, files, password, idempotency_key or "")
        request = (documents, corpus, metadata or {})
        key = self._key(idempotency_key, "add_documents", task_id, named, request)
        if key is not None and (queued := await self._parts.tasks.find_repeated(key)) is not None:
            return await self._added(queued, urls)
        corpus = intake.check_corpus_name(corpus)
        async with self._parts.access.recording_failure(AuditVerb.ADD, corpus) as act:
            found = await asyncio.to_thread(self._found, paths, remote)
            addresses, skipped = intake.parse_addresses(urls, self._parts.name_page)
            if not (found or addresses or files):
                raise InvalidParams("adding.nothing_given", skipped=to_plain(skipped))
            if addresses:
                check_consent(self._parts.consent.state())
            target = await self._parts.access.find_writable(corpus)
            if not replace_files:
                await self._check_names_free(files, target)
            common = IngestJob("", target.owner, target.name, dict(metadata or {}), may_replace=replace_files)
            known, unknown = await self._handed_in(found, files, common, remote)
            new = await self._document_jobs(unknown, addresses.values(), common, password)
            if isinstance(task, NewTask) and not new:  # no job would ever end it
                task = replace(task, state=TaskState.COMPLETED)
            counts: dict[str, int] = {JobKind.INGEST: len(unknown), JobKind.FETCH: len(addresses)}
            estimated = await self._parts.estimate(counts)
            facts = ReplyFacts(estimated, tuple(document.document_id for document in known))
            key = key and replace(key, facts=facts)
            try:
                queued = await self._parts.tasks.enqueue(task, new, key, act=act)
            except QuotaExhausted:
                await self._unstage(map(read_payload, new))
                raise
        if queued.is_repeat:  # the same request was processed first at the same time
            await self._unstage(map(read_payload, new))
            return await self._added(queued, urls)
        return DocumentsQueued(
            queued.task_id, len(new), tuple(skipped), queued.job_ids, tuple(known), estimated
        )

    async def queue_question(
        self,
        question: str,
        *,
        task_id: str | None = None,
        options: AskOptions = ASK,
        idempotency_key: str | None = None,
        wait: float = 20.0,
    ) -> AnswerHandle:
        """Queue a question and wait up to `wait` (0..50 s) for its answer.

        Its web searches are jobs of the same task, within the task's budget and its own.

        Raises: InvalidParams for a blank or overlong question, EmptyCorpus if there is nothing to search,
        EngineUnavailable for the web without an engine, NotFound for an unknown conversation.
        """
        options = coerce_ask(options)
        required = options.requirements
        self._parts.check(question, required)
        options = replace(options, sources=choose_report_sources(required, options.sources))
        seconds = intake.check_wait(wait)
        ceilings = fill_report_ceilings(
            required, intake.check_question_ceilings(options.budget), self._parts.budget
        )
        of_task = ("max_pages", "max_seconds") if required.kind is RequestKind.REPORT else ("max_pages",)
        pages = {name: ceilings[name] for name in of_task if name in ceilings}
        task = await self._task_for(task_id, question, pages)
        key = self._key(idempotency_key, "ask", task_id, [question], (question, options))
        queued = None if key is None else await self._parts.tasks.find_repeated(key)
        if queued is None:
            job, turn = await self._answer_to_queue(question, options, ceilings)
            async with self._parts.access.recording_failure(AuditVerb.ASK, job.id) as act:
                queued = await self._parts.tasks.enqueue(task, [job], key, turn, act)
        return await self._answered(await self._parts.jobs.get_job(queued.job_ids[0]), seconds)

    async def wait_for_answer(self, answer_id: str = "last", *, wait: float = 0.0) -> AnswerHandle:
        """Return an answer by id, unique prefix or `last`; wait for one in progress.

        Up to `wait` (0..50 s). `last` is the newest question's while it is in progress. Raises NotFound, or
        the error that its job ended with.
        """
        seconds = intake.check_wait(wait)
        under_way = await self.find_question(answer_id) if answer_id == "last" else None
        if under_way is not None:
            return await self._answered(under_way[0], seconds)
        try:
            answer = await self._parts.ledger.answer(answer_id, self._parts.owner)
        except NotFound as unknown:
            is_own = await self.find_question(answer_id) is not None
            shared = None if is_own else await self._shared_answer(answer_id, seconds)
            return shared or await self._answered(await self._answer_job(answer_id, unknown), seconds)
        # partial, or by an assistant; a job may be working on it again
        is_stopped = answer.loop_stop is LoopStop.STOPPED
        question = await self.find_question(answer.id) if is_stopped else None
        if question is not None:
            return await self._answered(question[0], seconds)
        return AnswerHandle(TaskId(answer.task_id), answer.id, answer, None, answer.conversation_id)

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
        after = intake.place(cursor)
        wait_for = coerce(WaitCondition, wait_for, "wait_for")
        detail = coerce(StatusDetail, detail, "detail")
        name, share = await self._find_readable(task_id)
        more = cursor is not None and await self._has_more(name, after)
        if more and since_revision is None and wait_for is not WaitCondition.DONE:
            seconds = 0
        owner = self._parts.owner if share is None else share.owner
        news = await poll(self._parts, name, since_revision, seconds, wait_for)
        withheld = wait_for is WaitCondition.DONE and news.task.state is TaskState.RUNNING
        rows = 0 if withheld else ROWS[detail]
        since = since_revision if cursor is None else None

        async def made() -> TaskSnapshot:
            report = await self._parts.reports.report(name, owner, after, rows, since or 0)
            report = replace(report, more=False, last=after) if withheld else report
            return told.status(
                news.task,
                report,
                since_revision,
                detail,
                await self._parts.estimate(told.list_live_kinds(report)),
            )

        snapshot = await news.make_once((after, since_revision, detail, withheld, cursor is None), made)
        if share is None:
            return snapshot
        await self._check_shared(name)
        return await self._parts.shared.read_status(snapshot)

    async def list_tasks(
        self, *, states: Sequence[TaskState | str] | str = (), cursor: str | None = None, limit: int = 50
    ) -> TaskPage:
        """List tasks, newest first. Raises InvalidParams for a cursor that is not a task of the visitor."""
        wanted = coerce_all(TaskState, states, "states")
        if cursor is not None:
            await self._check_listed(cursor)
        tasks = await self._parts.tasks.list_tasks(
            self._parts.owner, wanted, None if cursor is None else TaskId(cursor), limit + 1
        )
        rows = tuple(map(told.row, tasks[:limit]))
        return TaskPage(rows, rows[-1].task_id if len(tasks) > limit else None)

    async def list_jobs(self, task_id: str, *, cursor: str | None = None, limit: int = 50) -> JobPage:
        """List the jobs of a task, oldest first, with complete results and errors.

        Raises: InvalidParams for a cursor that is not a job of it.
        """
        name = await self._find(task_id)
        if cursor is not None:
            await self._check_job_listed(name, cursor)
        page = await self._parts.tasks.take_snapshot(name, None if cursor is None else JobId(cursor), limit)
        return JobPage(page.jobs, page.jobs[-1].id if page.more else None)

    async def stop_task(
        self, task_id: str, *, mode: StopMode | str = StopMode.GRACEFUL, wait: float = 0.0
    ) -> TaskStopped:
        """Cancel jobs that have not begun; `immediate` cancels running ones too.

        Waits up to `wait` for running jobs to end.
        """
        mode = coerce(StopMode, mode, "mode")
        seconds = intake.check_wait(wait)
        name = await self._find_managed(task_id)
        halt = await self._parts.tasks.stop(name, mode)
        running = await self._still_running(name, halt.still_running, seconds)
        task = await self._parts.tasks.get_task(name)
        resumable = bool(task.jobs.get(JobState.CANCELLED) or task.jobs.get(JobState.FAILED))
        return TaskStopped(name, told.count_pending(halt.cancelled), tuple(running), resumable)

    async def resume_task(self, task_id: str) -> TaskResumed:
        """Queue cancelled and failed jobs again; each continues after its last step."""
        name = await self._find(task_id)
        queued = await self._parts.tasks.resume(name)
        return TaskResumed(name, len(queued), tuple(queued))

    async def remove_task(self, task_id: str, *, purge: PurgeScope | str = PurgeScope.NONE) -> TaskDeleted:
        """Remove a task and its rows; running jobs are cancelled first.

        `orphans` also erases its web pages that no other task, answer, session or corpus of the user refers
        to.
        """
        purge = coerce(PurgeScope, purge, "purge")
        name = await self._find_managed(task_id)
        async with self._parts.access.recording(AuditVerb.REMOVE, name):
            await self._parts.tasks.stop(name, StopMode.IMMEDIATE)
            await self._unstage(await self._payloads(name))
            orphans = await self._parts.reports.list_orphans(name) if purge is PurgeScope.ORPHANS else ()
            await self._parts.shelf.remove(*orphans, purge=True)
            results = await self._parts.reports.forget(name)
            removed = await self._parts.tasks.remove(name)
        return TaskDeleted(name, removed.jobs, removed.events, results, len(orphans))

    async def forget_bytes(self, sha256: str) -> None:
        """Delete uploaded bytes that still wait for a job."""
        await asyncio.to_thread(self._parts.staging.drop_bytes, sha256, self._parts.owner)

    async def get_auth_queue(self, task_id: str | None = None) -> Sequence[PendingIntervention]:
        """List the interventions that wait for a person, oldest first."""
        return await self._parts.interventions.list_waiting(
            self._parts.owner, None if task_id is None else await self._find(task_id)
        )

    async def resolve_auth(
        self, target: AuthTarget | str, id: str, action: AuthAction | str = AuthAction.COMPLETE
    ) -> AuthResolved:
        """Complete or skip interventions.

        Completing queues everything on the same domain or engine again; skipping ends exactly the named jobs
        with their partial results. An item can be named by unique prefix or `last`.

        Raises: InvalidParams for a blank, NotFound if there is no such intervention.
        """
        target = coerce(AuthTarget, target, "target")
        action = coerce(AuthAction, action, "action")
        name = intake.check_waiting_name(id)
        if target is AuthTarget.ITEM:
            name = (await self._waiting(id)).id
        elif target is AuthTarget.TASK:
            name = await self._find(id)
        if action is AuthAction.SKIP:
            interventions = await self._parts.interventions.skip(self._parts.owner, target, name)
        else:
            interventions = await self._complete(target, name)
        if not interventions:
            raise NotFound("wait.not_found", id=id)
        return AuthResolved(
            len(interventions),
            () if action is AuthAction.SKIP else tuple(intervention.job_id for intervention in interventions),
        )

    async def open_auth(self, name: str = "last") -> WindowResult:
        """Open a pending intervention (an item, a domain or `last`) in a window, and wait until it is solved.

        Then everything on the same domain or engine is queued again.

        Raises: NotFound, EngineUnavailable without a browser, AuthRequired without a screen, Conflict if
        another browser uses the engine's profile.
        """
        intervention = await self._waiting(intake.check_waiting_name(name))
        if not await self._through_window(intervention):
            return WindowResult(False)
        if intervention.engine:
            await self._parts.mend(intervention.engine)
        # By the domain, because the item itself may have ended in the meantime.
        interventions = await self._complete(AuthTarget.DOMAIN, intervention.domain)
        return WindowResult(
            True, len(interventions), tuple(intervention.job_id for intervention in interventions)
        )

    async def feedback(self, opinion: Opinion | str, target: str) -> FeedbackRecorded:
        """Block or unblock a domain (with its subdomains); reject or restore evidence by id or unique prefix.

        Applies to later answers. Raises InvalidParams for an invalid domain, NotFound for unknown evidence.
        """
        opinion = coerce(Opinion, opinion, "opinion")
        if opinion in (Opinion.BLOCK_DOMAIN, Opinion.UNBLOCK_DOMAIN):
            domain = intake.parse_domain(target)
            say = (
                self._parts.opinions.block
                if opinion is Opinion.BLOCK_DOMAIN
                else self._parts.opinions.unblock
            )
            await say(self._parts.owner, domain)
            return FeedbackRecorded(opinion, domain)
        evidence = await self._parts.ledger.find_evidence(target, self._parts.owner)
        judge = (
            self._parts.opinions.reject
            if opinion is Opinion.REJECT_EVIDENCE
            else self._parts.opinions.restore
        )
        await judge(self._parts.owner, evidence)
        return FeedbackRecorded(opinion, evidence.id)
