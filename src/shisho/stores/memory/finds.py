"""The finds of jobs, in one process, and the reports on them for a task's visitor."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shisho.domain.codec import Payload
from shisho.domain.corpus import WEB_CORPUS, DocumentId, DocumentState
from shisho.domain.event import EventKind
from shisho.domain.find import DiscoveredUrl, PostponedJobs, Report, SearchNote, StoredUrl, UrlState
from shisho.domain.job import Claim, ClaimLost, Job, JobId, JobState, TaskId
from shisho.domain.payloads import IngestProgress, SearchOutcome, read_outcome
from shisho.domain.task import INTAKES, FailedItem, JobKind, Progress, ResultRow
from shisho.domain.time import Instant
from shisho.ports import Clock
from shisho.stores.memory.assistants import MemoryAssistants
from shisho.stores.memory.jobs import is_held
from shisho.stores.memory.ledger import MemoryLedger
from shisho.stores.memory.shelf import MemoryShelf
from shisho.stores.memory.transitions import SharedQueue
from shisho.stores.postponed import find_delay_reason, group_postponed

MOST_FAILURES = 20
ENDS = frozenset((EventKind.COMPLETED, EventKind.FAILED, EventKind.CANCELLED, EventKind.AWAITING_AUTH))


@dataclass(frozen=True, slots=True)
class StoredFind:
    """A find as it stands; `seq` and `revision` are its task's when it was written last."""

    task_id: TaskId
    job_id: JobId
    find: DiscoveredUrl
    seq: int
    revision: int
    status: UrlState = UrlState.FOUND
    document_id: DocumentId | None = None
    code: str = ""
    reason: str = ""
    fetched_at: Instant | None = None
    useful: bool | None = None

    @property
    def is_page(self) -> bool:
        return self.find.url.lower().startswith("http")


class MemoryUrls:
    """`ports.DiscoveredUrls` and `ports.Reports` in dictionaries, beside what they tell of: the queue, the
    shelf, answers and sessions of assistants."""

    def __init__(
        self, shared: SharedQueue, shelf: MemoryShelf, ledger: MemoryLedger, book: MemoryAssistants
    ) -> None:
        self._shared = shared
        self._shelf = shelf
        self._ledger = ledger
        self._book = book
        self._finds: dict[tuple[JobId, str], StoredFind] = {}
        self._notes: dict[JobId, SearchNote] = {}

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        task_id = self._held(claim).task_id
        page = finds[0].page_number if finds else None
        elsewhere = [
            row
            for row in self._of_task(task_id)
            if (row.job_id, row.find.page_number) != (claim.job_id, page)
        ]
        known = {row.find.canonical_url for row in elsewhere}
        for find in finds:
            rank = 1 + sum(job_id == claim.job_id for job_id, _ in self._finds)
            row = StoredFind(
                task_id,
                claim.job_id,
                replace(find, rank=rank),
                self._next(task_id),
                self._revision(task_id),
            )
            self._finds.setdefault((claim.job_id, find.canonical_url), row)
        return len({find.canonical_url for find in finds} - known)

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        self._held(claim)
        self._change(claim, canonical_url, document_id=document_id)

    async def settle(
        self,
        claim: Claim,
        canonical_url: str,
        document_id: DocumentId | None = None,
        *,
        code: str = "",
        reason: str = "",
    ) -> None:
        task_id = self._held(claim).task_id
        brought = document_id or await self._find_live(claim, canonical_url)
        self._change(
            claim,
            canonical_url,
            status=UrlState.FAILED if code else UrlState.VISITED if document_id else UrlState.LEFT_OUT,
            document_id=brought,
            code=code,
            reason=reason,
            fetched_at=self._shared.clock.now(),
            seq=self._next(task_id),
            revision=self._revision(task_id),
        )

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        self._held(claim)
        self._change(claim, canonical_url, useful=useful)

    async def note(self, claim: Claim, note: SearchNote) -> None:
        self._notes[self._held(claim).id] = note

    async def list_of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        rows = [row for row in self._finds.values() if row.job_id == job_id]
        return [
            StoredUrl(row.find, row.status, row.document_id, row.useful, row.code, row.reason) for row in rows
        ]

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        rows = self._of_task(task_id)
        jobs = [job for job in self._shared.jobs.values() if job.task_id == task_id]
        pages = [row for row in rows if row.is_page and row.status is not UrlState.LEFT_OUT]
        listed = [
            row
            for row in rows
            if row.seq > after and row.revision >= since and row.job_id in self._shared.jobs
        ]
        answers = [job for job in jobs if job.kind == JobKind.ANSWER and job.state is JobState.COMPLETED]
        events = self._shared.events[task_id]
        since_at = next((event.at for event in events if event.revision == since), Instant(""))
        waiting = [row for row in self._shared.waiting.values() if row.task_id == task_id]
        return Report(
            tally=Counter((job.kind, job.state) for job in jobs),
            visited=sum(row.status in (UrlState.VISITED, UrlState.FAILED) for row in pages),
            known=len(pages),
            sources=len({row.find.canonical_url for row in pages}),
            taken_in=len(
                {row.find.canonical_url for row in rows if row.status is UrlState.VISITED and row.document_id}
            ),
            reading=_reading(jobs),
            results=[await self._result(row) for row in listed[:limit]],
            last=listed[:limit][-1].seq if listed[:limit] else after,
            more=len(listed) > limit,
            failures=[
                *_failed_finds(rows, since),
                *_failed_jobs(jobs, rows, since_at),
                *_left_over(jobs, since_at),
            ],
            waiting=sorted(waiting, key=lambda row: (row.since, row.id))
            if self._is_owners(task_id, owner)
            else [],
            answer_id=max(answers, key=lambda job: (job.created_at, job.id)).id if answers else None,
            changed_at=events[-1].at if events else None,
            postponed=_list_postponed(jobs, self._shared.clock),
        )

    async def find_last_place(self, task_id: TaskId) -> int:
        return self._next(task_id) - 1

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        events = self._shared.events[task_id]
        ended = any(event.revision > since and event.kind in ENDS for event in events)
        return ended or any(
            row.status is UrlState.FAILED and row.revision >= since for row in self._of_task(task_id)
        )

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        mine = {row.document_id for row in self._of_task(task_id) if row.document_id is not None}
        return [document_id for document_id in sorted(mine) if await self._is_orphan(document_id, task_id)]

    async def forget(self, task_id: TaskId) -> int:
        gone = self._of_task(task_id)
        for row in gone:
            del self._finds[row.job_id, row.find.canonical_url]
            self._notes.pop(row.job_id, None)
        return len(gone)

    def map_documents_to_jobs(self) -> dict[DocumentId, set[JobId]]:
        """The jobs that have brought each document."""
        jobs: dict[DocumentId, set[JobId]] = {}
        for row in self._finds.values():
            if row.document_id is not None:
                jobs.setdefault(row.document_id, set()).add(row.job_id)
        return jobs

    async def _find_live(self, claim: Claim, canonical_url: str) -> DocumentId | None:
        """The document that a find was to become, where it is there."""
        row = self._finds.get((claim.job_id, canonical_url))
        expected = [row.document_id] if row and row.document_id else []
        documents = await self._shelf.fetch_documents(expected)
        live = [document.id for document in documents.values() if document.state is DocumentState.LIVE]
        return next(iter(live), None)

    async def _is_orphan(self, document_id: DocumentId, task_id: TaskId) -> bool:
        held = await self._shelf.fetch_documents([document_id])
        if document_id not in held:
            return False
        document = held[document_id]
        others = [
            row for row in self._finds.values() if row.document_id == document_id and row.task_id != task_id
        ]
        quoting = [
            self._shared.jobs.get(JobId(answer_id)) for answer_id in self._ledger.list_quoting(document_id)
        ]
        return not (
            document.corpus != WEB_CORPUS
            or document.state is DocumentState.PURGED
            or others
            or any(not source.startswith("http") for source in self._shelf.sources(document_id))
            or self._book.quotes(document_id)
            or any(job is None or job.task_id != task_id for job in quoting)
        )

    async def _result(self, row: StoredFind) -> ResultRow:
        document_id = row.document_id if row.status is UrlState.VISITED else None
        documents = await self._shelf.fetch_documents([document_id] if document_id else [])
        document = documents.get(document_id) if document_id else None
        return ResultRow(
            url=row.find.url,
            title=document.title or row.find.title if document else row.find.title,
            query=row.find.query,
            engine=row.find.engine,
            rank=row.find.rank,
            document_id=document_id,
            passages=document.passage_count if document else 0,
            job_id=row.job_id,
            job_state=self._shared.jobs[row.job_id].state,
            fetched_at=row.fetched_at,
            place=row.seq,
        )

    def _held(self, claim: Claim) -> Job:
        job = self._shared.jobs.get(claim.job_id)
        if job is None or not is_held(job, claim):
            raise ClaimLost
        return job

    def _change(self, claim: Claim, canonical_url: str, **changes: Any) -> None:
        key = (claim.job_id, canonical_url)
        if key in self._finds:
            self._finds[key] = replace(self._finds[key], **changes)

    def _of_task(self, task_id: TaskId) -> list[StoredFind]:
        rows = (row for row in self._finds.values() if row.task_id == task_id)
        return sorted(rows, key=lambda row: row.seq)

    def _next(self, task_id: TaskId) -> int:
        return 1 + max((row.seq for row in self._of_task(task_id)), default=0)

    def _revision(self, task_id: TaskId) -> int:
        return self._shared.tasks[task_id].revision

    def _is_owners(self, task_id: TaskId, owner: str) -> bool:
        return task_id in self._shared.tasks and self._shared.tasks[task_id].owner == owner


def _reading(jobs: Iterable[Job]) -> Progress:
    running = [job for job in jobs if job.kind in INTAKES and job.state is JobState.RUNNING]
    reports = [job.progress.read(IngestProgress) for job in running if job.progress != Payload()]
    return Progress(
        sum(report.pages_read for report in reports), sum(report.pages_total for report in reports)
    )


def _list_postponed(jobs: Iterable[Job], clock: Clock) -> list[PostponedJobs]:
    steady = clock.steady()
    waits = [
        (job, job.not_before or steady) for job in jobs if job.state in (JobState.QUEUED, JobState.PARKED)
    ]
    return group_postponed(
        [
            (job.state, find_delay_reason(job.errors, job.attempt), not_before)
            for job, not_before in waits
            if not_before > steady
        ],
        clock,
    )


def _failed_finds(rows: Iterable[StoredFind], since: int) -> list[FailedItem]:
    failed = [row for row in rows if row.status is UrlState.FAILED and row.revision >= since]
    latest = sorted(failed, key=lambda row: -row.seq)[:MOST_FAILURES]
    return [
        FailedItem(query=row.find.query, url=row.find.url, code=row.code, reason=row.reason) for row in latest
    ]


def _failed_jobs(jobs: Iterable[Job], rows: Sequence[StoredFind], since: Instant) -> list[FailedItem]:
    told = {row.job_id for row in rows if row.status is UrlState.FAILED and row.find.engine is None}
    failed = [
        job
        for job in jobs
        if job.state is JobState.FAILED and (job.finished_at or "") >= since and job.id not in told
    ]
    latest = sorted(failed, key=lambda job: job.finished_at or "", reverse=True)[:MOST_FAILURES]
    return [_failed_job(job) for job in latest]


def _failed_job(job: Job) -> FailedItem:
    given = json.loads(job.input.text)
    subject = given.get("url") or given.get("source")
    error = job.errors[-1]
    return FailedItem(query=given.get("query"), url=subject, code=error.code, reason=error.message)


def _left_over(jobs: Iterable[Job], since: Instant) -> list[FailedItem]:
    searched = [job for job in jobs if job.kind == JobKind.SEARCH and job.state is JobState.COMPLETED]
    lately = [job for job in searched if (job.finished_at or "") >= since]
    outcomes = [outcome for outcome in map(read_outcome, lately) if isinstance(outcome, SearchOutcome)]
    failures = [(outcome.query, failure) for outcome in outcomes for failure in outcome.errors]
    return [
        FailedItem(query=query, url=failure.url, code=failure.code, reason=failure.reason)
        for query, failure in failures[:MOST_FAILURES]
    ]
