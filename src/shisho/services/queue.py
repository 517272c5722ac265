"""The queue as the services use it: naming tasks, creating jobs, waiting for their end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from shisho.domain.codec import Payload
from shisho.domain.job import (
    ENDED,
    IdempotencyKey,
    Job,
    JobId,
    NewJob,
    NewTask,
    Priority,
    ReplyFacts,
    Task,
    TaskId,
)
from shisho.domain.payloads import (
    JobPayload,
    list_staged_keys,
)
from shisho.domain.task import (
    JobKind,
    JobsQueued,
    SkippedItem,
    WebConsent,
)
from shisho.domain.team import AuditVerb
from shisho.errors import (
    ConsentRequired,
    EngineUnavailable,
    NotFound,
)
from shisho.messages import Message
from shisho.ports import (
    JobStore,
    Staging,
    TaskStore,
)
from shisho.records import dataclass
from shisho.services import intake
from shisho.services.access import CorpusAccess

if TYPE_CHECKING:
    from shisho.jobs.status import TaskWatch

Reply = TypeVar("Reply", bound=JobsQueued)


def check_consent(consent: WebConsent) -> None:
    """Raise ConsentRequired if web consent is undecided, EngineUnavailable if the web is turned off."""
    if consent is WebConsent.OFF:
        raise EngineUnavailable("web.off")
    if consent is WebConsent.NOT_ASKED:
        raise ConsentRequired("web.consent_missing")


@dataclass(frozen=True, slots=True)
class JobQueue:
    """A visitor's side of the queue: naming tasks, creating jobs, waiting for their end.

    `watch` returns a task when it changes; `estimate` returns the seconds that new jobs will take.
    """

    access: CorpusAccess
    tasks: TaskStore
    jobs: JobStore
    watch: TaskWatch
    estimate: Callable[[Mapping[str, int]], Awaitable[float]]
    make_id: Callable[[], str]

    @property
    def owner(self) -> str:
        """The visitor's name."""
        return self.access.owner

    async def find(self, name: str) -> TaskId:
        """Return the id of a task by id, unique prefix or `last`. Raises TaskNotFound."""
        return await self.tasks.find(name, self.owner)

    async def find_question(self, answer_id: str) -> tuple[Job, Task] | None:
        """Return the job that makes an answer, and its task, in one snapshot.

        Returns None if this visitor has no such job.
        """
        try:
            job, task = await self.tasks.get_job_and_task(JobId(answer_id))
        except NotFound:
            return None
        return (job, task) if job.kind == JobKind.ANSWER and task.owner == self.owner else None

    def make_task(self, question: str, budget: Mapping[str, float | None] | None = None) -> NewTask:
        return NewTask(
            TaskId(self.make_id()),
            self.owner,
            question,
            intake.fill_task_ceilings(budget),
        )

    async def find_or_make_task(
        self, name: str | None, question: str, budget: Mapping[str, float] | None = None
    ) -> NewTask | TaskId:
        return self.make_task(question, budget) if name is None else await self.find(name)

    def make_key(
        self,
        key: str | None,
        verb: str,
        task_name: str | None,
        subjects: Sequence[str],
        request: object,
    ) -> IdempotencyKey | None:
        """Return the key of a request about the named task, or about a new one.

        `request`: all its parameters. The name counts as sent: `last` is another task after a newer one is
        created, but the request is the same.
        """
        return intake.make_request_key(self.owner, key, verb, subjects, (task_name, request))

    def make_jobs(
        self,
        kind: JobKind,
        payloads: Sequence[JobPayload],
        keys: Sequence[str] = (),
        priority: Priority = Priority.MEDIUM,
    ) -> list[NewJob]:
        return [
            NewJob(
                JobId(self.make_id()),
                kind,
                Payload.wrap(payload),
                priority,
                dedupe_key=keys[number] if keys else None,
            )
            for number, payload in enumerate(payloads)
        ]

    async def enqueue(
        self,
        task: NewTask | TaskId,
        new: Sequence[NewJob],
        subjects: Sequence[str],
        skipped: Sequence[SkippedItem],
        key: IdempotencyKey | None,
        reply: type[Reply],
        verb: AuditVerb,
        *audited: str,
    ) -> Reply:
        estimated = await self.estimate({new[0].kind: len(new)})
        key = key and replace(key, facts=ReplyFacts(estimated))
        async with self.access.record_failure(verb, *audited) as act:
            result = await self.tasks.enqueue(task, new, key, act=act)
        again = [
            SkippedItem(subject, Message("queue.already_queued", job_id=job_id))
            for subject, job_id in zip(subjects, result.job_ids, strict=True)
            if job_id not in result.added
        ]
        first = result.facts.estimated_seconds
        seconds = (estimated if first is None else first) * len(result.added) / len(new)
        return reply(result.task_id, len(result.added), (*skipped, *again), result.job_ids, seconds)

    async def wait_until_ended(self, job: Job, seconds: float) -> tuple[Job, Task]:
        """Return a job and its task when the job has ended, or after the timeout."""
        ends = asyncio.get_running_loop().time() + seconds
        while True:
            job, task = await self.tasks.get_job_and_task(job.id)
            remaining = ends - asyncio.get_running_loop().time()
            if job.state in ENDED or remaining <= 0:
                return job, task
            await self.watch(task.id, task.revision, remaining)


async def unstage(staging: Staging, payloads: Iterable[JobPayload]) -> None:
    """Delete the staged bytes of jobs with these payloads."""
    for payload in payloads:
        for key in list_staged_keys(payload):
            await asyncio.to_thread(staging.drop, key)
