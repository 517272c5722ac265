"""The desk's internals of queued questions: their sources, their turn of a conversation, their answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from shisho.domain.conversation import NewTurn
from shisho.domain.corpus import WEB_CORPUS, Scope
from shisho.domain.job import ENDED, Job, JobId, JobState, NewJob, Task
from shisho.domain.payloads import AnswerJob
from shisho.domain.task import AnswerHandle, AskOptions, JobKind, Sources, WebConsent
from shisho.errors import EmptyCorpus, EngineUnavailable, InternalError, NotFound, map_by_code
from shisho.services import status
from shisho.services.choosing import check_elsewhere, check_filters
from shisho.services.conversing import apply_context
from shisho.services.queue import Queue, check_consent
from shisho.services.requirements import find_excluded


class QuestionQueue(Queue):
    """The internals of the question verbs."""

    __slots__ = ()

    async def _reachable(self, options: AskOptions) -> Sources:
        """Return the sources of the answer.

        Raises EmptyCorpus, EngineUnavailable, InvalidParams for filters.
        """
        shelf = self._parts.shelf
        await check_filters(shelf, self._parts.owner, options.filters)
        is_inside = options.sources is not Sources.WEB
        if is_inside and await shelf.count(Scope(self._parts.owner, options.corpora)) == 0:
            await check_elsewhere(shelf, self._parts.owner, options.corpora)
        way = await self.is_web_usable()
        if options.sources in (Sources.WEB, Sources.BOTH):
            if way or await self._answered_inside(options):
                return options.sources
            if self._parts.consent.state() is WebConsent.OFF:
                raise EngineUnavailable("question.web_off")
            check_consent(self._parts.consent.state())
            raise EngineUnavailable("question.no_engine")
        # Filters refer to documents; web pages have none of the filtered fields.
        auto = options.sources is Sources.AUTO and not options.filters
        if not (auto and way) and await shelf.count(Scope(self._parts.owner, options.corpora)) == 0:
            consent = self._parts.consent.state()
            if auto and consent is not WebConsent.OFF:
                check_consent(consent)
            if way:
                raise EmptyCorpus("question.no_documents")
            raise EmptyCorpus("question.no_documents_web_off")
        return Sources.AUTO if auto else Sources.DOCUMENTS

    async def _answered_inside(self, options: AskOptions) -> bool:
        """Return True if web consent is undecided but there is something to answer from.

        The answer then mentions the unused web.
        """
        if self._parts.consent.state() is not WebConsent.NOT_ASKED:
            return False
        corpora = (WEB_CORPUS,) if options.sources is Sources.WEB else options.corpora
        return await self._parts.shelf.count(Scope(self._parts.owner, corpora)) > 0

    async def is_web_usable(self) -> bool:
        """Return True if web searches are possible and allowed."""
        return self._parts.consent.state() is WebConsent.GIVEN and any(
            row.available for row in await self._parts.engines()
        )

    async def _answer_to_queue(
        self, question: str, options: AskOptions, ceilings: Mapping[str, float]
    ) -> tuple[NewJob, NewTurn]:
        """Return the job of a question, and its future turn of a conversation.

        Raises as `_reachable`, and NotFound for an unknown conversation.
        """
        context = await self._parts.conversations.context(options.conversation)
        options = apply_context(options, context)
        sources = await self._reachable(options)
        payload = AnswerJob(
            question,
            self._parts.owner,
            options.corpora,
            options.filters,
            sources,
            ceilings,
            context.conversation_id,
            context.earlier,
            options.requirements,
            await find_excluded(self._parts.shelf, self._parts.access, options.requirements.exclude_ids),
        )
        (job,) = self._new_jobs(JobKind.ANSWER, [payload])
        self._parts.lend(job.id)
        return job, NewTurn(job.id, question, self._parts.owner, context.conversation_id)

    async def find_question(self, answer_id: str) -> tuple[Job, Task] | None:
        """Find the job that makes an answer, and its task, in one snapshot.

        Returns None if this visitor has no such answer; for `last`, if none is in progress.
        """
        if answer_id == "last":
            return await self._find_under_way()
        try:
            job, task = await self._parts.tasks.get_job_and_task(JobId(answer_id))
        except NotFound:
            return None
        return (job, task) if job.kind == JobKind.ANSWER and task.owner == self._parts.owner else None

    async def _find_under_way(self) -> tuple[Job, Task] | None:
        """Return the newest question while it is being answered; after that, the answer is the last."""
        run_id = await self._parts.conversations.find_last_run()
        question = await self.find_question(run_id) if run_id else None
        return question if question is not None and question[0].state not in ENDED else None

    async def _answer_job(self, answer_id: str, unknown: NotFound) -> Job:
        question = await self.find_question(answer_id)
        if question is None:
            raise unknown
        return question[0]

    async def _cut_short(self, job: Job) -> AnswerHandle:
        """Return the partial answer of a stopped question, made once per stop.

        Raises NotFound if it had not begun.
        """
        with suppress(NotFound):
            saved = await self._parts.ledger.answer(job.id, self._parts.owner)
            if saved.created_at >= (job.finished_at or ""):
                return AnswerHandle(job.task_id, job.id, saved, None, saved.conversation_id)
        try:
            answer = await self._parts.cut_short(job.id)
        except NotFound:
            raise NotFound(
                "question.stopped",
                task_id=job.task_id,
            ) from None
        return AnswerHandle(job.task_id, job.id, answer, None, answer.conversation_id)

    async def _ended(self, job: Job, seconds: float) -> tuple[Job, Task]:
        """Return a job and its task when the job has ended, or after the timeout."""
        ends = asyncio.get_running_loop().time() + seconds
        while True:
            job, task = await self._parts.tasks.get_job_and_task(job.id)
            remaining = ends - asyncio.get_running_loop().time()
            if job.state in ENDED or remaining <= 0:
                return job, task
            await self._parts.watch(task.id, task.revision, remaining)

    async def _count_retry(self, job: Job, task: Task) -> float | None:
        """Return the seconds after which another request for a job's answer makes sense."""
        report = await self._parts.reports.report(task.id, task.owner, 0, 0)
        estimated = await self._parts.estimate({job.kind: 1})
        return status.retry_after(task.state, estimated, status.count_idle_seconds(report))

    async def _answered(self, job: Job, seconds: float) -> AnswerHandle:
        """Return the answer of a job when it is ready, or raise the error that it ended with."""
        job, task = await self._ended(job, seconds)
        if job.state is JobState.COMPLETED:
            answer = await self._parts.ledger.answer(job.id, self._parts.owner)
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
