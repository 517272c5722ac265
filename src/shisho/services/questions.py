"""Questions and their answers: asked here or queued, followed, stopped, resumed, shown."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, aclosing, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shisho.domain.answer_log import AcceptedEvidence, AnswerLog, ReplayReport, RunTrace, compare_answers
from shisho.domain.answer_news import AnswerStep, build_answer_step, ignore_news
from shisho.domain.conversation import ConversationContext, NewTurn
from shisho.domain.corpus import Complexity, Condition
from shisho.domain.inquiry import Answer, Budget, Evidence, LoopStop
from shisho.domain.job import ENDED, Job, JobId, JobState, NewJob, StopMode, Task, TaskId
from shisho.domain.payloads import AnswerJob
from shisho.domain.report import ReportEstimate, estimate_report
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind, Requirements
from shisho.domain.task import AnswerHandle, AskOptions, FeedbackRecorded, JobKind, Opinion, Sources
from shisho.domain.team import AuditVerb, TaskShare
from shisho.errors import InternalError, InvalidParams, NotFound, ShishoError, map_by_code
from shisho.ports import BorrowedModel, PreparedInquiry, Shelf
from shisho.services import intake, status
from shisho.services.access import CorpusAccess
from shisho.services.adding import resolve_path
from shisho.services.answer_log import build_accepted_evidence, build_log
from shisho.services.choosing import check_conversation, check_filters, check_searchable, choose_sources
from shisho.services.coercion import coerce, coerce_paths, coerce_strings
from shisho.services.conversations import apply_context
from shisho.services.inquiries import LibrarianInquiries
from shisho.services.news import AnswerReady, FileTakenIn, Notify, Stop, TaskChanged, never
from shisho.services.queue import JobQueue
from shisho.services.requirements import (
    GoalLike,
    build_requirements,
    choose_report_sources,
    coerce_ask,
    fill_report_ceilings,
    find_excluded,
)
from shisho.services.sharing import SharedReading
from shisho.services.stores import QueueStores

if TYPE_CHECKING:
    from shisho.services.conversations import Conversations
    from shisho.services.folders import Folders
    from shisho.services.sessions import Sessions
    from shisho.services.tasks import Tasks
    from shisho.services.web import Web

ASK = AskOptions()
WAIT = 20.0  # seconds until the store is read again without a notification
MAX_EVENTS = 200  # events
TICK = 0.5  # seconds until a stop request is noticed


class LibraryParts(Protocol):
    """The parts of the same library that its questions use."""

    @property
    def conversations(self) -> Conversations: ...
    @property
    def folders(self) -> Folders: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def web(self) -> Web: ...
    def working(self) -> AbstractAsyncContextManager[None]: ...


class Questions:
    """Questions and their answers: asked here or queued, followed, stopped, resumed, shown.

    Answers can be named by id; finished ones also by unique prefix or `last`. Every method raises NotFound if
    this visitor has no such answer.
    """

    def __init__(
        self,
        library: LibraryParts,
        access: CorpusAccess,
        shelf: Shelf,
        inquiries: LibrarianInquiries,
        queue_stores: Callable[[], QueueStores],
        make_queue: Callable[[], JobQueue],
        make_shared: Callable[[], SharedReading],
    ) -> None:
        self._library = library
        self._access = access
        self._shelf = shelf
        self._inquiries = inquiries
        self._history = inquiries.history
        self._queue_stores = queue_stores
        self._make_queue = make_queue
        self._make_shared = make_shared

    @cached_property
    def _queue(self) -> JobQueue:
        return self._make_queue()

    @cached_property
    def _shared(self) -> SharedReading:
        return self._make_shared()

    @property
    def budget(self) -> Budget:
        """The configured limits of a question."""
        return self._inquiries.budget

    def use_model(self, model: BorrowedModel) -> AbstractContextManager[bool]:
        """Let questions asked inside the block use this model.

        Yields False if a model is configured, which they use instead.
        """
        return self._inquiries.policies.lend(model)

    async def ask(
        self,
        question: str,
        *,
        goals: GoalLike | Sequence[GoalLike] = (),
        condition: str = "",
        complexity: Complexity | str | None = None,
        kind: RequestKind | str = RequestKind.AUTO,
        exclude_ids: str | Sequence[str] = (),
        folders: Path | str | Sequence[Path | str] = (),
        corpora: str | Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
        budget: Budget | Mapping[str, float | None] | None = None,
        sources: Sources | str = Sources.DOCUMENTS,
        conversation: str | None = None,
        anywhere: bool = False,
        sections: int = 0,
        words: int = 0,
        notify: Notify = ignore_news,
        stop: Stop = never,
    ) -> Answer:
        """Return a cited answer from verified quotations, or an abstention that says what is missing.

        `goals` (questions, mappings or `Goal`), the `condition` over their ids and `complexity` are used
        unchanged; by default they are made from the question. `exclude_ids`: passages and documents that no
        search may find. `sections` and `words`: the maximum and minimum of a report. Documents are searched
        in this process; a question that may need the web becomes a task, processed here while `notify`
        receives `TaskChanged`. If `stop` turns true, the answer is partial, and `resume` continues.
        `conversation`: the id of an earlier answer's, or `last`: the question may refer to earlier ones and
        has their limits, unless it has its own or looks `anywhere`.

        Raises: InvalidParams for an invalid question or requirements, EmptyCorpus if there is nothing to
        search, EngineUnavailable for the web without an engine, NotFound for an unknown conversation.
        """
        required = build_requirements(goals, condition, complexity, kind, exclude_ids, sections, words)
        ceilings = self._check(question, required, budget)
        sources = choose_report_sources(required, coerce(Sources, sources, "sources"))
        folders = tuple(map(resolve_path, coerce_paths(folders)))
        own = AskOptions(
            (*coerce_strings(corpora), *folders),
            filters or {},
            sources,
            ceilings,
            check_conversation(conversation),
            anywhere,
            required,
        )
        context = await self._library.conversations.get_context(own.conversation)
        options = replace(apply_context(own, context), conversation=context.conversation_id)
        folders = folders if options.corpora == own.corpora else context.folders
        if sources not in (Sources.DOCUMENTS, Sources.AUTO) or (
            sources is Sources.AUTO and await self._library.web.is_usable()
        ):
            await self._mirror(folders, notify, stop)
            return await self._follow_job(await self.queue(question, options=options, wait=0), notify, stop)
        run_id = await self._begin(question, options, context, folders)
        return await self._run(run_id, notify, stop)

    async def queue(
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
        ceilings = self._check(question, required, options.budget)
        options = replace(options, sources=choose_report_sources(required, options.sources))
        seconds = intake.check_wait(wait)
        of_task = ("max_pages", "max_seconds") if required.kind is RequestKind.REPORT else ("max_pages",)
        pages = {name: ceilings[name] for name in of_task if name in ceilings}
        task = await self._queue.find_or_make_task(task_id, question, pages)
        key = self._queue.make_key(idempotency_key, "ask", task_id, [question], (question, options))
        queued = None if key is None else await self._queue.tasks.find_repeated(key)
        if queued is None:
            job, turn = await self._build_job(question, replace(options, budget=ceilings))
            async with self._access.record_failure(AuditVerb.ASK, job.id) as act:
                queued = await self._queue.tasks.enqueue(task, [job], key, turn, act)
        return await self._wait_for_job(await self._queue.jobs.get_job(queued.job_ids[0]), seconds)

    async def wait(self, answer_id: str = "last", *, wait: float = 0.0) -> AnswerHandle:
        """Return an answer by id, unique prefix or `last`; wait for one in progress.

        Up to `wait` (0..50 s). `last` is the newest question's while it is in progress. Raises NotFound, or
        the error that its job ended with.
        """
        seconds = intake.check_wait(wait)
        under_way = await self.find_job(answer_id) if answer_id == "last" else None
        if under_way is not None:
            return await self._wait_for_job(under_way[0], seconds)
        try:
            answer = await self._history.ledger.answer(answer_id, self._access.owner)
        except NotFound as unknown:
            is_own = await self.find_job(answer_id) is not None
            shared = None if is_own else await self._wait_for_shared(answer_id, seconds)
            return shared or await self._wait_for_job(await self._require_job(answer_id, unknown), seconds)
        # partial, or by an assistant; a job may be working on it again
        is_stopped = answer.loop_stop is LoopStop.STOPPED
        question = await self.find_job(answer.id) if is_stopped else None
        if question is not None:
            return await self._wait_for_job(question[0], seconds)
        return AnswerHandle(TaskId(answer.task_id), answer.id, answer, None, answer.conversation_id)

    async def get(self, prefix: str = "last") -> Answer:
        return await self._history.ledger.answer(prefix, self._access.owner)

    async def find_evidence(self, prefix: str) -> Evidence:
        return await self._history.ledger.find_evidence(prefix, self._access.owner)

    async def list_evidence(self, prefix: str = "last") -> AcceptedEvidence:
        """Return the evidence accepted so far for an answer or a session, without composing anything.

        By id, unique prefix, or `last` for the newest answer. Raises NotFound.
        """
        try:
            return await self.list_answer_evidence(prefix)
        except NotFound:
            if prefix == "last":
                raise
            with suppress(NotFound):
                return await self._library.sessions.list_evidence(prefix)
            raise

    async def list_answer_evidence(self, answer_id: str = "last") -> AcceptedEvidence:
        """Return the evidence accepted for an answer so far, finished or not."""
        answer, question = await self._find_answer(answer_id)
        run_id, trace = await self._trace(answer_id, answer, question)
        return build_accepted_evidence(run_id, trace, answer, question)

    async def get_log(self, answer_id: str) -> AnswerLog:
        """Return everything that was done for an answer so far, finished or not."""
        answer, question = await self._find_answer(answer_id)
        run_id, trace = await self._trace(answer_id, answer, question)
        children = await self._queue.jobs.list_children(JobId(run_id)) if question else ()
        searches = [job for job in children if job.kind == JobKind.SEARCH]
        urls = [(job.state, await self._queue_stores().finds.list_of_job(job.id)) for job in searches]
        return build_log(run_id, trace, answer, question, searches, urls)

    async def check(self, answer_id: str) -> None:
        """Raise NotFound if there is no such answer, finished or not."""
        await self._find_answer(answer_id)

    async def follow(self, answer_id: str, after: int = 0) -> AsyncIterator[AnswerStep | AnswerHandle]:
        """Yield the events of a question as they happen in any process, then its answer.

        Events after revision `after`. Raises the error that its job ended with.
        """
        question = (await self._find_answer(answer_id))[1]
        name = question[0].id if question else answer_id
        jobs: dict[JobId, Job | None] = {}
        while question is not None:
            job, task = question
            jobs[job.id] = job
            events = await self._queue.tasks.list_events(task.id, after, MAX_EVENTS)
            for event in events:
                after = event.revision
                own_job = await self._find_own_job(event.job_id, job.id, jobs)
                if own_job is not None:
                    yield build_answer_step(event, own_job)
            if len(events) < MAX_EVENTS:
                if job.state in ENDED:
                    break
                await self._queue.watch(task.id, task.revision, WAIT)
            question = await self.find_job(name)
        yield await self.wait(name)

    async def stop(self, answer_id: str) -> AnswerHandle:
        """Stop the work on a question immediately, with everything else of its task.

        The answer contains the results so far, and says STOPPED; it is None if nothing had begun. A finished
        answer stays unchanged.
        """
        question = await self._find_question(answer_id)
        if question is None or question[0].state in ENDED:
            return await self.wait(answer_id)
        job = question[0]
        await self._library.tasks.stop(job.task_id, mode=StopMode.IMMEDIATE)
        with suppress(NotFound):
            return await self.wait(job.id)
        return AnswerHandle(TaskId(job.task_id), job.id, None, None)

    async def resume(self, prefix: str = "last", notify: Notify = ignore_news, stop: Stop = never) -> Answer:
        """Resume a run that was stopped or died; a finished one returns its answer again.

        `last`: the latest unfinished one. Raises NotFound.
        """
        try:
            run_id = await self._history.ledger.find_run(prefix, self._access.owner)
        except NotFound:
            if prefix == "last":
                raise
            run_id = (await self.get(prefix)).task_id
        task_id = (await self._history.ledger.find_inquiry(run_id)).task_id
        if not task_id:
            return await self._run(run_id, notify, stop)
        with suppress(ShishoError):  # the cause of its failure may be gone
            handle = await self.wait(run_id)
            if handle.answer is not None and handle.answer.loop_stop is not LoopStop.STOPPED:
                return handle.answer
        await self._library.tasks.resume(task_id)
        handle = AnswerHandle(TaskId(task_id), run_id, None, None)
        return await self._follow_job(handle, notify, stop)

    async def resume_queued(self, answer_id: str) -> AnswerHandle:
        """Resume a question that was stopped or has failed, without repeating finished work.

        Raises: InvalidParams for an answer that was not made by a job.
        """
        question = await self._find_question(answer_id)
        if question is None:
            raise InvalidParams(
                "answer.not_queued",
                answer_id=answer_id,
            )
        job = question[0]
        if job.state in (JobState.CANCELLED, JobState.FAILED):
            await self._library.tasks.resume(job.task_id)
        return await self.wait(job.id)

    async def replay(self, prefix: str = "last") -> ReplayReport:
        """Run an answer again over the same passages, replies and pages, and compare the result.

        Nothing is searched for, fetched or asked. Raises NotFound, and SourceRemoved if a document that it
        read was purged.
        """
        answer = await self.get(prefix)
        try:  # a task's answer has the id of its run; any other has its run as its task
            run_id = (await self._history.ledger.find_inquiry(answer.id)).run_id
        except NotFound:
            run_id = answer.task_id
        return compare_answers(answer, await self._inquiries.replay(run_id, answer))

    async def record_feedback(self, opinion: Opinion | str, target: str) -> FeedbackRecorded:
        """Block or unblock a domain (with its subdomains); reject or restore evidence by id or unique prefix.

        Applies to later answers. Raises InvalidParams for an invalid domain, NotFound for unknown evidence.
        """
        opinion = coerce(Opinion, opinion, "opinion")
        opinions = self._history.opinions
        if opinion in (Opinion.BLOCK_DOMAIN, Opinion.UNBLOCK_DOMAIN):
            domain = intake.parse_domain(target)
            block = opinions.block if opinion is Opinion.BLOCK_DOMAIN else opinions.unblock
            await block(self._access.owner, domain)
            return FeedbackRecorded(opinion, domain)
        evidence = await self._history.ledger.find_evidence(target, self._access.owner)
        reject = opinions.reject if opinion is Opinion.REJECT_EVIDENCE else opinions.restore
        await reject(self._access.owner, evidence)
        return FeedbackRecorded(opinion, evidence.id)

    def estimate_report(
        self, *, sections: int = 0, words: int = 0, budget: Mapping[str, float | None] | None = None
    ) -> ReportEstimate:
        """Return the cost of a report in model calls and tokens.

        Raises:
            InvalidParams: no model is configured, or the budget is too low.
        """
        required = build_requirements(kind=RequestKind.REPORT, sections=sections, words=words)
        ceilings = self._check("report", required, budget)
        return estimate_report(required, ceilings, self.budget)

    async def prepare(
        self,
        question: str,
        *,
        requirements: Requirements = NO_REQUIREMENTS,
        corpora: str | Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
        budget: Budget | Mapping[str, float | None] | None = None,
    ) -> PreparedInquiry:
        """Begin a question to the documents in the ledger, for a caller that runs the table of nodes itself.

        See `shisho.integrations`. Raises as `ask`.
        """
        ceilings = self._check(question, requirements, budget)
        documents = Sources.DOCUMENTS
        options = AskOptions(
            coerce_strings(corpora), filters or {}, documents, ceilings, requirements=requirements
        )
        run_id = await self._begin(question, options, ConversationContext())
        return await self._inquiries.prepare(run_id, ignore_news, never)

    async def find_job(self, answer_id: str) -> tuple[Job, Task] | None:
        """Find the job that makes an answer, and its task, in one snapshot.

        Returns None if this visitor has no such answer; for `last`, if none is in progress.
        """
        if answer_id == "last":
            return await self._find_under_way()
        return await self._queue.find_question(answer_id)

    def _check(
        self,
        question: str,
        required: Requirements,
        budget: Budget | Mapping[str, float | None] | None,
    ) -> Mapping[str, float]:
        """Check a question and its requirements, and return its ceilings. Raises InvalidParams."""
        self._inquiries.check(question, required)
        return fill_report_ceilings(required, intake.check_question_ceilings(budget), self.budget)

    async def _begin(
        self,
        question: str,
        options: AskOptions,
        context: ConversationContext,
        folders: Sequence[str] = (),
    ) -> str:
        """Record a question that is asked in place. Folders are searched after they were mirrored.

        Raises: EmptyCorpus if there is nothing to search, InvalidParams for filters and exclusions.
        """
        if not folders:
            await check_searchable(self._shelf, self._access.owner, options.corpora)
        await check_filters(self._shelf, self._access.owner, options.filters)
        # Filters refer to documents; web pages have none of the filtered fields.
        sources = Sources.DOCUMENTS if options.filters else options.sources
        request = await self._build_request(question, replace(options, sources=sources), context)
        run_id = uuid.uuid4().hex[:24]
        turn = NewTurn(run_id, question, self._access.owner, context.conversation_id)
        await self._inquiries.begin(run_id, request, turn=turn, folders=folders)
        self._inquiries.policies.assign(run_id)
        await self._access.record(AuditVerb.ASK, run_id)
        return run_id

    async def _build_request(
        self, question: str, options: AskOptions, context: ConversationContext
    ) -> AnswerJob:
        """Return the request of a question, asked in place or queued. Raises InvalidParams."""
        required = options.requirements
        return AnswerJob(
            question,
            self._access.owner,
            options.corpora,
            options.filters,
            options.sources,
            options.budget,
            context.conversation_id,
            context.earlier,
            required,
            await find_excluded(self._shelf, self._access, required.exclude_ids),
        )

    async def _run(self, run_id: str, notify: Notify, stop: Stop) -> Answer:
        """Run a question in this process, with its folders as they are now."""
        inquiry = await self._history.ledger.find_inquiry(run_id)
        await self._mirror(inquiry.folders, notify, stop)
        if not stop():
            await check_searchable(self._shelf, self._access.owner, inquiry.scope.corpora)
        return await self._inquiries.run(run_id, notify, stop)

    async def _mirror(self, folders: Sequence[str], notify: Notify, stop: Stop) -> None:
        for folder in folders:
            async with aclosing(self._library.folders.mirror(folder, notify)) as receipts:
                async for receipt in receipts:
                    notify(FileTakenIn(receipt))
                    if stop():
                        return

    async def _build_job(self, question: str, options: AskOptions) -> tuple[NewJob, NewTurn]:
        """Return the job of a question, and its future turn of a conversation.

        Raises as `choose_sources`, and NotFound for an unknown conversation.
        """
        context = await self._library.conversations.get_context(options.conversation)
        options = apply_context(options, context)
        web = self._library.web
        sources = await choose_sources(
            self._shelf, self._access.owner, options, web.get_consent(), has_way=await web.is_usable()
        )
        request = await self._build_request(question, replace(options, sources=sources), context)
        (job,) = self._queue.make_jobs(JobKind.ANSWER, [request])
        self._inquiries.policies.assign(job.id)
        return job, NewTurn(job.id, question, self._access.owner, context.conversation_id)

    async def _find_under_way(self) -> tuple[Job, Task] | None:
        """Return the newest question while it is being answered; after that, the answer is the last."""
        run_id = await self._library.conversations.find_last_run()
        question = await self.find_job(run_id) if run_id else None
        return question if question is not None and question[0].state not in ENDED else None

    async def _require_job(self, answer_id: str, unknown: NotFound) -> Job:
        question = await self.find_job(answer_id)
        if question is None:
            raise unknown
        return question[0]

    async def _cut_short(self, job: Job) -> AnswerHandle:
        """Return the partial answer of a stopped question, made once per stop.

        Raises NotFound if it had not begun.
        """
        with suppress(NotFound):
            saved = await self._history.ledger.answer(job.id, self._access.owner)
            if saved.created_at >= (job.finished_at or ""):
                return AnswerHandle(job.task_id, job.id, saved, None, saved.conversation_id)
        try:
            answer = await self._inquiries.cut_short(job.id)
        except NotFound:
            raise NotFound("question.stopped", task_id=job.task_id) from None
        return AnswerHandle(job.task_id, job.id, answer, None, answer.conversation_id)

    async def _count_retry(self, job: Job, task: Task) -> float | None:
        """Return the seconds after which another request for a job's answer makes sense."""
        report = await self._queue_stores().reports.report(task.id, task.owner, 0, 0)
        estimated = await self._queue.estimate({job.kind: 1})
        return status.retry_after(task.state, estimated, status.count_idle_seconds(report))

    async def _wait_for_job(self, job: Job, seconds: float) -> AnswerHandle:
        """Return the answer of a job when it is ready, or raise the error that it ended with."""
        job, task = await self._queue.wait_until_ended(job, seconds)
        if job.state is JobState.COMPLETED:
            answer = await self._history.ledger.answer(job.id, self._access.owner)
            return AnswerHandle(job.task_id, job.id, answer, None, answer.conversation_id)
        if job.state is JobState.FAILED:
            last = job.errors[-1]
            details = last.details.read(dict)
            raise map_by_code().get(last.code, InternalError)(last.message, **details)
        if job.state is JobState.CANCELLED:
            return await self._cut_short(job)
        return AnswerHandle(
            job.task_id,
            job.id,
            None,
            await self._count_retry(job, task),
            job.input.read(AnswerJob, is_lenient=True).conversation_id or job.id,
        )

    async def _wait_for_shared(self, answer_id: str, seconds: float) -> AnswerHandle | None:
        """Return an answer that another user has shared, or None."""
        share = await self._shared.find(answer_id)
        if share is None:
            return await self._wait_for_shared_job(answer_id, seconds)
        return await self._read_shared(TaskId(share.shared_id), answer_id, share)

    async def _wait_for_shared_job(self, answer_id: str, seconds: float) -> AnswerHandle | None:
        try:
            job = await self._queue.jobs.get_job(JobId(answer_id))
        except NotFound:
            return None
        if await self._shared.find(job.task_id) is None:
            return None
        job, task = await self._queue.wait_until_ended(job, seconds)
        share = await self._shared.find(job.task_id)
        if share is None:  # it has ended since
            return None
        if job.state is JobState.COMPLETED:
            return await self._read_shared(task.id, job.id, share)
        after = None if job.state in ENDED else await self._count_retry(job, task)
        return AnswerHandle(task.id, job.id, None, after)

    async def _read_shared(self, task_id: TaskId, answer_id: str, share: TaskShare) -> AnswerHandle:
        answer = await self._history.ledger.answer(answer_id, share.owner)
        await self._access.record(AuditVerb.READ, answer_id)
        return AnswerHandle(task_id, answer_id, await self._shared.answer(answer), None)

    async def _follow_job(self, queued: AnswerHandle, notify: Notify, stop: Stop) -> Answer:
        """Report the task's changes until its question has an answer and the job has ended.

        After a stop request, return the partial answer. The answer is stored before its job ends: the worker,
        which runs here, would queue the job again if it left in between.
        """
        revision = None
        cursor = None
        async with self._library.working():
            while not stop():
                wait = 0.0 if revision is None else TICK
                snapshot = await self._library.tasks.get_status(
                    queued.task_id, wait=wait, since_revision=revision, cursor=cursor
                )
                if snapshot.changed or snapshot.more:
                    notify(TaskChanged(snapshot, (await self._library.tasks.list_jobs(queued.task_id)).jobs))
                handle = await self.wait(queued.answer_id)
                if handle.answer is not None and await self._has_job_ended(queued):
                    notify(AnswerReady(handle.answer))
                    return handle.answer
                revision = None if snapshot.more else snapshot.revision
                cursor = snapshot.cursor
        try:
            return await self._inquiries.run(queued.answer_id, notify, stop)
        except NotFound:
            raise NotFound("task.stopped_before_begun", task_id=queued.task_id) from None

    async def _has_job_ended(self, queued: AnswerHandle) -> bool:
        question = await self.find_job(queued.answer_id)
        return question is None or question[0].state in ENDED

    async def _trace(
        self, answer_id: str, answer: Answer | None, question: tuple[Job, Task] | None
    ) -> tuple[str, RunTrace]:
        """Return the run of an answer, and the trace of its steps."""
        run_id = question[0].id if question else answer.task_id if answer else answer_id
        return run_id, await self._history.trace(run_id)

    async def _find_question(self, answer_id: str) -> tuple[Job, Task] | None:
        return (await self._find_answer(answer_id))[1]

    async def _find_answer(self, answer_id: str) -> tuple[Answer | None, tuple[Job, Task] | None]:
        """Return a valid answer, and the job that makes it.

        The saved answer of a job that is running again is not valid.
        """
        question = await self.find_job(answer_id)
        try:
            answer: Answer | None = await self._history.ledger.answer(answer_id, self._access.owner)
        except NotFound:
            if question is None:
                raise
            return None, question
        if question is None and answer is not None:
            question = await self.find_job(answer.id)
        is_live = question is not None and question[0].state not in ENDED
        return None if is_live else answer, question

    async def _find_own_job(
        self, job_id: JobId, answer_id: JobId, jobs: dict[JobId, Job | None]
    ) -> Job | None:
        """Return the job of an event if it was spawned by the question's job; `jobs` is a cache."""
        if job_id not in jobs:
            jobs[job_id] = None
            with suppress(ShishoError):  # removed in the meantime
                job = await self._queue.jobs.get_job(job_id)
                jobs[job_id] = job if job.cause_id == answer_id else None
        return jobs[job_id]
