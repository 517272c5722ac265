"""The desk's internals of the queue: finding tasks, creating jobs, waiting for their outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from shisho.domain.audit import AuditVerb
from shisho.domain.codec import Payload
from shisho.domain.intervention import (
    AuthTarget,
    InterventionState,
    PendingIntervention,
    find_intervention,
    find_together,
    select_interventions,
)
from shisho.domain.job import (
    EnqueueResult,
    IdempotencyKey,
    JobId,
    JobState,
    NewJob,
    NewTask,
    Priority,
    ReplyFacts,
    TaskId,
)
from shisho.domain.payloads import FetchJob, IngestJob, JobPayload, list_staged_keys, read_known_payloads
from shisho.domain.task import (
    Bytes,
    DocumentsQueued,
    ExistingDocument,
    JobKind,
    JobsQueued,
    SkippedItem,
    WebConsent,
)
from shisho.domain.team import CorpusKey
from shisho.domain.viewing import PAGED_TYPES
from shisho.errors import (
    Conflict,
    ConsentRequired,
    EngineUnavailable,
    InvalidParams,
    NameConflict,
    NotFound,
    ShishoError,
)
from shisho.messages.message import Message
from shisho.services import intake
from shisho.services.adding import bibliographies_last
from shisho.services.choosing import unknown_place
from shisho.services.task_parts import TaskParts

# bytes of files hashed per call; beyond that, the job finds out whether a file is known
LOOKED_INTO = 200_000_000
Reply = TypeVar("Reply", bound=JobsQueued)


def check_consent(consent: WebConsent) -> None:
    """Raise ConsentRequired if web consent is undecided, EngineUnavailable if the web is turned off."""
    if consent is WebConsent.OFF:
        raise EngineUnavailable("web.off")
    if consent is WebConsent.NOT_ASKED:
        raise ConsentRequired("web.consent_missing")


class Queue:
    """The internals of the verbs of `TaskDesk`."""

    __slots__ = ("_parts",)

    def __init__(self, parts: TaskParts) -> None:
        self._parts = parts

    async def _find(self, name: str) -> TaskId:
        return await self._parts.tasks.find(name, self._parts.owner)

    async def _check_listed(self, task_id: str) -> None:
        """Raise InvalidParams if the visitor continues a list from a task that is not theirs."""
        with suppress(NotFound):
            if (await self._parts.tasks.get_task(TaskId(task_id))).owner == self._parts.owner:
                return
        raise unknown_place("task", task_id)

    async def _check_job_listed(self, task_id: TaskId, job_id: str) -> None:
        """Raise InvalidParams if the visitor continues a list from a job of another task."""
        with suppress(NotFound):
            if (await self._parts.jobs.get_job(JobId(job_id))).task_id == task_id:
                return
        raise unknown_place("job", job_id)

    async def _has_more(self, task_id: TaskId, place: int) -> bool:
        """Return whether the task has results after a position.

        Raises InvalidParams for a position beyond all results, whose reader would never receive any.
        """
        last = await self._parts.reports.find_last_place(task_id)
        if place > last:
            raise InvalidParams(
                "task.foreign_cursor",
                cursor=place,
            )
        return place < last

    async def _waiting(self, name: str) -> PendingIntervention:
        intervention = find_intervention(
            await self._parts.interventions.list_waiting(self._parts.owner), name
        )
        if intervention is None:
            raise NotFound(
                "wait.ambiguous",
                name=name,
            )
        return intervention

    async def _through_window(self, intervention: PendingIntervention) -> bool:
        """Return True if a person solved the challenge in the window; otherwise its state is restored."""
        item = (self._parts.owner, AuthTarget.ITEM, intervention.id)
        through = False
        state = InterventionState.PENDING
        await self._parts.interventions.mark(*item, InterventionState.IN_PROGRESS)
        try:
            through = await self._parts.window(intervention.met)
        except Conflict:
            state = intervention.state
            raise
        finally:
            if not through:
                await self._parts.interventions.mark(*item, state)
        return through

    async def _complete(self, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """Complete interventions, closing the breakers first.

        A job must not be queued again before its engine may be asked.
        """
        interventions = find_together(
            await self._parts.interventions.list_waiting(self._parts.owner),
            select_interventions(target, name),
        )
        for engine in {intervention.engine for intervention in interventions} - {""}:
            await self._parts.mend(engine)
        return await self._parts.interventions.complete(self._parts.owner, target, name)

    def _new_task(self, question: str, budget: Mapping[str, float | None] | None = None) -> NewTask:
        return NewTask(
            TaskId(self._parts.make_id()),
            self._parts.owner,
            question,
            intake.fill_task_ceilings(budget),
        )

    async def _task_for(
        self, name: str | None, question: str, budget: Mapping[str, float] | None = None
    ) -> NewTask | TaskId:
        return self._new_task(question, budget) if name is None else await self._find(name)

    def _key(
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
        return intake.make_request_key(self._parts.owner, key, verb, subjects, (task_name, request))

    async def _check_consent(self, key: IdempotencyKey | None) -> None:
        """Check consent as `check_consent`, except that a repeated request gets its first reply again."""
        if key is None or await self._parts.tasks.find_repeated(key) is None:
            check_consent(self._parts.consent.state())

    def _new_jobs(
        self,
        kind: JobKind,
        payloads: Sequence[JobPayload],
        keys: Sequence[str] = (),
        priority: Priority = Priority.MEDIUM,
    ) -> list[NewJob]:
        return [
            NewJob(
                JobId(self._parts.make_id()),
                kind,
                Payload.wrap(payload),
                priority,
                dedupe_key=keys[number] if keys else None,
            )
            for number, payload in enumerate(payloads)
        ]

    async def _queued(
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
        estimated = await self._parts.estimate({new[0].kind: len(new)})
        key = key and replace(key, facts=ReplyFacts(estimated))
        async with self._parts.access.recording_failure(verb, *audited) as act:
            result = await self._parts.tasks.enqueue(task, new, key, act=act)
        again = [
            SkippedItem(subject, Message("queue.already_queued", job_id=job_id))
            for subject, job_id in zip(subjects, result.job_ids, strict=True)
            if job_id not in result.added
        ]
        first = result.facts.estimated_seconds
        seconds = (estimated if first is None else first) * len(result.added) / len(new)
        return reply(result.task_id, len(result.added), (*skipped, *again), result.job_ids, seconds)

    def _found(self, paths: Sequence[Path | str], remote: bool) -> list[Path]:
        paths_found: dict[Path, None] = {}
        for path in paths:
            asked_path = (
                intake.check_allowed(path, self._parts.roots) if remote else intake.resolve_file(path)
            )
            for file in self._parts.disk.survey([asked_path]).files:
                paths_found[
                    intake.check_allowed(file, self._parts.roots) if remote else intake.resolve_file(file)
                ] = None
        return bibliographies_last(list(paths_found))

    async def _handed_in(
        self, paths: Sequence[Path], files: Sequence[Bytes], common: IngestJob, remote: bool
    ) -> tuple[list[ExistingDocument], list[IngestJob]]:
        """Return the known documents, and the payloads of jobs for the others; `common` applies to all.

        A remote caller's path stays in the folder that allowed it until it is read.
        """
        existing = []
        unknown = list[IngestJob]()
        looked = 0
        for path in paths:
            size = await asyncio.to_thread(_size, path)
            looked += size
            within = intake.find_allowed_root(path, self._parts.roots) if remote else None
            data = await asyncio.to_thread(self._bytes, path, within) if looked <= LOOKED_INTO else None
            existing_document = None if data is None else await self._known(str(path), data, common)
            if existing_document is None:
                root = None if within is None else str(within)
                unknown.append(replace(common, source=str(path), path=str(path), within=root))
            else:
                existing.append(existing_document)
        for name, data in ((intake.file_name(file.name), file.data) for file in files):
            existing_document = await self._known(name, data, common)
            if existing_document is not None:
                await self._keep_original(existing_document, data)
            if existing_document is None:
                staged = await asyncio.to_thread(self._parts.staging.put, data, self._parts.owner)
                unknown.append(replace(common, source=name, staged=staged))
            else:
                existing.append(existing_document)
        return existing, unknown

    async def _document_jobs(
        self,
        handed: Sequence[IngestJob],
        addresses: Iterable[intake.PageAddress],
        common: IngestJob,
        password: str | None,
    ) -> list[NewJob]:
        """Return the jobs for these uploads and addresses, each with its own copy of the password."""
        ingest = [replace(job, password=await self._secret(password)) for job in handed]
        fetch = [
            FetchJob(address.url, common.owner, common.corpus, common.metadata, await self._secret(password))
            for address in addresses
        ]
        return [*self._new_jobs(JobKind.INGEST, ingest), *self._new_jobs(JobKind.FETCH, fetch)]

    async def _check_names_free(self, files: Sequence[Bytes], target: CorpusKey) -> None:
        """Raise NameConflict if a document with other bytes has the name of one of these files.

        One that appears later fails the job.
        """
        for file in files:
            name = intake.file_name(file.name)
            for document in await self._parts.shelf.find_by_source(name, self._parts.owner):
                is_there = (document.owner, document.corpus, document.source) == (*target, name)
                if is_there and document.sha256 != sha256(file.data).hexdigest():
                    raise NameConflict(
                        "document.name_taken",
                        name=name,
                        document_id=document.id,
                        added_at=document.added_at,
                    )

    def _bytes(self, path: Path, within: Path | None) -> bytes | None:
        try:
            return self._parts.disk.read(path, within)
        except (OSError, ShishoError):  # its job will report the reason
            return None

    async def _known(self, source: str, data: bytes, common: IngestJob) -> ExistingDocument | None:
        document = await self._parts.shelf.find_known(common.corpus, common.owner, sha256(data).hexdigest())
        if document is None or not await self._parts.shelf.record_seen(
            document, source, common.metadata, may_replace=common.may_replace
        ):
            return None
        return ExistingDocument(source, document.id, document.title)

    async def _keep_original(self, existing: ExistingDocument, data: bytes) -> None:
        """Store the bytes of a known document, which must now outlive its file."""
        document = await self._parts.shelf.find_document(existing.document_id)
        if document.media_type in PAGED_TYPES:
            await self._parts.originals.put(document.sha256, data)

    async def _secret(self, password: str | None) -> str | None:
        """Return the key of a staged password: it is outside the database, and only until its job is done."""
        if password is None:
            return None
        return await asyncio.to_thread(self._parts.staging.put, password.encode(), self._parts.owner)

    async def _payloads(self, task_id: TaskId) -> list[JobPayload]:
        """Read the payloads of a task's jobs."""
        payloads: list[JobPayload] = []
        after = None
        more = True
        while more:
            page = await self._parts.tasks.take_snapshot(task_id, after)
            payloads += read_known_payloads(page.jobs)
            after = page.jobs[-1].id if page.jobs else None
            more = page.more
        return payloads

    async def _unstage(self, payloads: Iterable[JobPayload]) -> None:
        """Delete the staged bytes of jobs with these payloads."""
        for payload in payloads:
            for key in list_staged_keys(payload):
                await asyncio.to_thread(self._parts.staging.drop, key)

    async def _added(self, result: EnqueueResult, urls: Sequence[str]) -> DocumentsQueued:
        """Return the first reply of `add_documents` under an idempotency key.

        Documents erased since are left out.
        """
        documents = await self._parts.shelf.fetch_documents(result.facts.known)
        existing_documents = [
            ExistingDocument(document.source, document.id, document.title) for document in documents.values()
        ]
        _, skipped = intake.parse_addresses(urls, self._parts.name_page)
        seconds = result.facts.estimated_seconds or 0.0
        return DocumentsQueued(
            result.task_id,
            len(result.added),
            tuple(skipped),
            result.job_ids,
            tuple(existing_documents),
            seconds,
        )

    async def _still_running(self, task_id: TaskId, jobs: Sequence[JobId], seconds: float) -> list[JobId]:
        """Return those of these jobs that are still running after the timeout."""
        ends = asyncio.get_running_loop().time() + seconds
        while True:
            task = await self._parts.tasks.get_task(task_id)
            running = [job for job in jobs if (await self._parts.jobs.get_job(job)).state is JobState.RUNNING]
            remaining = ends - asyncio.get_running_loop().time()
            if not running or remaining <= 0:
                return running
            await self._parts.watch(task_id, task.revision, remaining)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
