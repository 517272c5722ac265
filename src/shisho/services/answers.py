"""The desk's answers during and after a run: events, log, stopping and resuming."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from shisho.domain.answer_log import (
    AcceptedEvidence,
    AnswerLog,
    EndReason,
    NodeModelUse,
    RunTrace,
    WebRound,
    list_goals,
)
from shisho.domain.answer_news import AnswerStep, build_answer_step
from shisho.domain.conversation import TurnState
from shisho.domain.corpus import RoundRecord
from shisho.domain.evidence import build_evidence
from shisho.domain.inquiry import Answer, LoopStop, RunStep
from shisho.domain.job import ENDED, Job, JobId, JobState, StopMode, Task, TaskId
from shisho.domain.model import FAULT_REASONS, ModelUse
from shisho.domain.payloads import describe_subject
from shisho.domain.task import AnswerHandle, JobKind
from shisho.errors import InvalidParams, NotFound, ShishoError
from shisho.ports import DiscoveredUrls, JobStore, Ledger, SessionLog, TaskStore
from shisho.services.conversing import question_state
from shisho.services.page_fates import list_pages
from shisho.services.task_parts import Watch
from shisho.services.tasks import TaskDesk

WAIT = 20.0  # seconds until the store is read again without a notification
AT_ONCE = 200  # events


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The dependencies of the answer verbs. `trace`: extracts the facts of a run from its steps."""

    owner: str
    ledger: Ledger
    sessions: SessionLog
    tasks: TaskDesk
    queue: TaskStore
    jobs: JobStore
    finds: DiscoveredUrls
    watch: Watch
    trace: Callable[[Sequence[RunStep], Sequence[RoundRecord]], RunTrace]


class AnswerDesk:
    """The desk's verbs of answers.

    Answers can be named by id; finished ones also by unique prefix or `last`. Every verb raises NotFound if
    this visitor has no such answer.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: AnswerParts) -> None:
        self._parts = parts

    async def list_evidence(self, answer_id: str = "last") -> AcceptedEvidence:
        """Return the evidence accepted for an answer so far, finished or not."""
        answer, question = await self._find(answer_id)
        run_id, trace = await self._trace(answer_id, answer, question)
        name = answer.id if answer else run_id
        rows = {row.number: row for row in answer.evidence} if answer else {}
        accepted = {ref.number: build_evidence(name, ref, citation) for ref, citation in trace.evidence}
        text = answer.question if answer else describe_subject(question[0]) if question else ""
        goals = list_goals(answer.goals, answer.goal_status) if answer else trace.goals
        condition = answer.condition if answer else trace.condition
        evidence = tuple(row for _, row in sorted((accepted | rows).items()))
        return AcceptedEvidence(name, text, condition, goals, evidence)

    async def _trace(
        self, answer_id: str, answer: Answer | None, question: tuple[Job, Task] | None
    ) -> tuple[str, RunTrace]:
        """Return the run of an answer, and the trace of its steps."""
        parts = self._parts
        run_id = question[0].id if question else answer.task_id if answer else answer_id
        steps = await parts.ledger.list_steps(run_id)
        return run_id, parts.trace(steps, await parts.sessions.list_rounds(run_id))

    async def log(self, answer_id: str) -> AnswerLog:
        """Return everything that was done for an answer so far, finished or not."""
        parts = self._parts
        answer, question = await self._find(answer_id)
        run_id, trace = await self._trace(answer_id, answer, question)
        children = await parts.jobs.list_children(JobId(run_id)) if question else ()
        searches = [job for job in children if job.kind == JobKind.SEARCH]
        document_ids = (
            {evidence.document_id for evidence in answer.evidence} if answer else {*trace.document_ids}
        )
        searches_with_urls = [(job.state, await parts.finds.list_of_job(job.id)) for job in searches]
        return AnswerLog(
            answer_id=answer.id if answer else run_id,
            state=_state(answer, question),
            goals=trace.goals
            or list_goals(answer.goals if answer else (), answer.goal_status if answer else ()),
            condition=answer.condition if answer else trace.condition,
            rounds=trace.rounds,
            web=(*trace.web, *_under_way(trace, searches)),
            visited=list_pages(searches_with_urls, document_ids),
            model=tuple(map(_model_calls, answer.model_uses if answer and not trace.model else trace.model)),
            stop=_end_reason(answer, trace),
        )

    async def check(self, answer_id: str) -> None:
        """Raise NotFound if there is no such answer, finished or not."""
        await self._find(answer_id)

    async def news(self, answer_id: str, after: int = 0) -> AsyncIterator[AnswerStep | AnswerHandle]:
        """Yield the events of a question as they happen in any process, then its answer.

        Events after revision `after`. Raises the error that its job ended with.
        """
        question = (await self._find(answer_id))[1]
        name = question[0].id if question else answer_id
        jobs: dict[JobId, Job | None] = {}
        while question is not None:
            job, task = question
            jobs[job.id] = job
            events = await self._parts.queue.list_events(task.id, after, AT_ONCE)
            for event in events:
                after = event.revision
                own_job = await self._own_job(event.job_id, job.id, jobs)
                if own_job is not None:
                    yield build_answer_step(event, own_job)
            if len(events) < AT_ONCE:
                if job.state in ENDED:
                    break
                await self._parts.watch(task.id, task.revision, WAIT)
            question = await self._parts.tasks.find_question(name)
        yield await self._parts.tasks.wait_for_answer(name)

    async def stop(self, answer_id: str) -> AnswerHandle:
        """Stop the work on a question immediately, with everything else of its task.

        The answer contains the results so far, and says STOPPED; it is None if nothing had begun. A finished
        answer stays unchanged.
        """
        question = await self._question(answer_id)
        if question is None or question[0].state in ENDED:
            return await self._parts.tasks.wait_for_answer(answer_id)
        job = question[0]
        await self._parts.tasks.stop_task(job.task_id, mode=StopMode.IMMEDIATE)
        with suppress(NotFound):
            return await self._parts.tasks.wait_for_answer(job.id)
        return AnswerHandle(TaskId(job.task_id), job.id, None, None)

    async def resume(self, answer_id: str) -> AnswerHandle:
        """Resume a question that was stopped or has failed, without repeating finished work.

        Raises: InvalidParams for an answer that was not made by a job.
        """
        question = await self._question(answer_id)
        if question is None:
            raise InvalidParams(
                "answer.not_queued",
                answer_id=answer_id,
            )
        job = question[0]
        if job.state in (JobState.CANCELLED, JobState.FAILED):
            await self._parts.tasks.resume_task(job.task_id)
        return await self._parts.tasks.wait_for_answer(job.id)

    async def _question(self, answer_id: str) -> tuple[Job, Task] | None:
        return (await self._find(answer_id))[1]

    async def _find(self, answer_id: str) -> tuple[Answer | None, tuple[Job, Task] | None]:
        """Return a valid answer, and the job that makes it.

        The saved answer of a job that is running again is not valid.
        """
        parts = self._parts
        question = await parts.tasks.find_question(answer_id)
        try:
            answer: Answer | None = await parts.ledger.answer(answer_id, parts.owner)
        except NotFound:
            if question is None:
                raise
            return None, question
        if question is None and answer is not None:
            question = await parts.tasks.find_question(answer.id)
        is_live = question is not None and question[0].state not in ENDED
        return None if is_live else answer, question

    async def _own_job(self, job_id: JobId, answer_id: JobId, jobs: dict[JobId, Job | None]) -> Job | None:
        """Return the job of an event if it was spawned by the question's job; `jobs` is a cache."""
        if job_id not in jobs:
            jobs[job_id] = None
            with suppress(ShishoError):  # removed in the meantime
                job = await self._parts.jobs.get_job(job_id)
                jobs[job_id] = job if job.cause_id == answer_id else None
        return jobs[job_id]


def _state(answer: Answer | None, question: tuple[Job, Task] | None) -> TurnState:
    if answer is None:
        return question_state(None, None, question)
    return question_state(answer.level, answer.loop_stop, question)


def _under_way(trace: RunTrace, searches: Sequence[Job]) -> tuple[WebRound, ...]:
    """Return the searches that no step mentions yet, because the run waits for them or was stopped."""
    finished_queries = {query for web_round in trace.web for query in web_round.queries}
    queries = [describe_subject(job) for job in searches]
    fresh = tuple(query for query in queries if query not in finished_queries)
    return (WebRound(fresh, (), (), is_done=False),) if fresh else ()


def _model_calls(use: ModelUse) -> NodeModelUse:
    return NodeModelUse(
        node=use.node,
        model=use.model,
        calls=use.usage.calls,
        input_tokens=use.usage.input_tokens,
        output_tokens=use.usage.output_tokens,
        fallback="" if use.fault is None else FAULT_REASONS[use.fault],
        dropped=use.dropped,
        rewritten=use.rewritten,
        supplied=use.supplied,
        repairs=use.repairs,
    )


def _end_reason(answer: Answer | None, trace: RunTrace) -> EndReason:
    if answer is None:
        return EndReason(
            condition=trace.condition,
            loop_stop=None,
            rounds=len(trace.rounds),
            seconds=trace.seconds,
            pages=trace.pages,
            calls=trace.calls,
            tokens=trace.tokens,
        )
    used = answer.budget_used
    return EndReason(
        condition=answer.condition,
        loop_stop=LoopStop(answer.loop_stop),
        rounds=answer.rounds,
        seconds=used.get("seconds", 0.0),
        pages=int(used.get("pages", 0)),
        calls=int(used.get("model_calls", 0)),
        tokens=int(used.get("tokens", 0)),
    )
