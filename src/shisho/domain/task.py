"""Requests of a visitor to the queue, and its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from shisho.domain.corpus import Condition, DocumentId
from shisho.domain.inquiry import Answer
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import Delay, Job, JobId, JobState, Priority, TaskId, TaskState
from shisho.domain.politeness import BreakerState
from shisho.domain.requirements import NO_REQUIREMENTS, Requirements
from shisho.domain.time import Instant
from shisho.domain.web import SearchPaging, TimeRange
from shisho.records import dataclass

MAX_QUERIES = 50
MAX_WAIT = 50.0  # seconds: MCP clients cut a call at about 60


class JobKind(StrEnum):
    """The kind of work a job does; it selects the job's handler."""

    SEARCH = "search_queue"
    FETCH = "fetch"
    INGEST = "ingest"
    ANSWER = "answer"


INTAKES = (JobKind.FETCH, JobKind.INGEST)
"""The kinds that ingest one document."""


class StopStrategy(StrEnum):
    """When a search stops following result pages.

    `auto`: also when they bring nothing new or enough was found. `fixed`: at the last requested page.
    `exhaustive`: at the engine's last page.
    """

    AUTO = "auto"
    FIXED = "fixed"
    EXHAUSTIVE = "exhaustive"


class Sources(StrEnum):
    """Where an answer may come from.

    `auto`: the library, and the web for goals that the library leaves open. `both`: the web is always
    searched. `web`: only web pages.
    """

    AUTO = "auto"
    DOCUMENTS = "documents"
    WEB = "web"
    BOTH = "both"


class WebConsent(StrEnum):
    """The person's consent to sending words of a question out. `not_asked`: undecided."""

    GIVEN = "given"
    NOT_ASKED = "not_asked"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class OutgoingQueries:
    """The queries that would be sent, each to one of `engines`. `boxed`: only to this machine."""

    queries: tuple[str, ...]
    engines: tuple[str, ...]
    boxed: bool = False


class PurgeScope(StrEnum):
    """The extent of a task's removal.

    `none`: its own rows. `orphans`: also the pages that nothing else references.
    """

    NONE = "none"
    ORPHANS = "orphans"


class StatusDetail(StrEnum):
    """The amount of detail in a status."""

    SUMMARY = "summary"
    FULL = "full"


class WaitCondition(StrEnum):
    """The condition that ends the wait of a poll.

    `change`: any event. `result`: a job has ended or an error occurred. `done`: only waits for people are
    left.
    """

    CHANGE = "change"
    RESULT = "result"
    DONE = "done"


class Opinion(StrEnum):
    """A visitor's feedback on a source."""

    BLOCK_DOMAIN = "block_domain"
    UNBLOCK_DOMAIN = "unblock_domain"
    REJECT_EVIDENCE = "reject_evidence"
    RESTORE_EVIDENCE = "restore_evidence"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of searches.

    `serp_max_pages` (1..10) None: the category's default. No `engines`: chosen by category.
    """

    engines: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = "ja"
    region: str | None = None
    time_range: TimeRange = TimeRange.ALL
    max_results_per_query: int = 10
    serp_page: int = 1
    serp_max_pages: int | None = None
    stop_strategy: StopStrategy = StopStrategy.AUTO
    priority: Priority = Priority.MEDIUM


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The sources of an answer, and its ceilings (fields of `inquiry.Budget` by name).

    `conversation`: the id of the conversation to continue, or `last`; "" for a separate question. `anywhere`:
    a question that names no place searches everywhere, even if the question before it was limited.
    """

    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    sources: Sources = Sources.AUTO
    budget: Mapping[str, float] = field(default_factory=dict)
    conversation: str = ""
    anywhere: bool = False
    requirements: Requirements = NO_REQUIREMENTS


@dataclass(frozen=True, slots=True)
class Bytes:
    """An uploaded document; the suffix of `name` gives its type."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """A query, address or file that was not queued, and the reason."""

    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class JobsQueued:
    """The result of queueing. `next` is the verb to call next."""

    task_id: TaskId
    queued: int
    skipped: tuple[SkippedItem, ...]
    job_ids: tuple[JobId, ...]
    estimated_seconds: float
    next: str = "get_status"


@dataclass(frozen=True, slots=True)
class SearchesQueued(JobsQueued):
    """The result of queueing searches. `next` is the verb to call next."""


@dataclass(frozen=True, slots=True)
class UrlsQueued(JobsQueued):
    """The result of queueing addresses. `next` is the verb to call next."""


@dataclass(frozen=True, slots=True)
class ExistingDocument:
    """A document of the caller that is already in the library."""

    source: str
    document_id: DocumentId
    title: str


@dataclass(frozen=True, slots=True)
class DocumentsQueued:
    """The result of submitting documents. Failed ones appear in the status of the task."""

    task_id: TaskId
    queued: int
    skipped: tuple[SkippedItem, ...]
    job_ids: tuple[JobId, ...]
    already_known: tuple[ExistingDocument, ...]
    estimated_seconds: float
    next: str = "get_status"


@dataclass(frozen=True, slots=True)
class Progress:
    """The number done, out of all known so far."""

    done: int
    total: int

    def __str__(self) -> str:
        """Return the progress for display: "2/3"."""
        return f"{self.done}/{self.total}"


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress of a task.

    Searched queries, visited pages, answered questions; ingested documents, out of all pages and files to
    ingest; pages read of the long files that are being ingested now.
    """

    queries: Progress
    pages: Progress
    documents: Progress
    answers: Progress
    reading: Progress = Progress(0, 0)


@dataclass(frozen=True, slots=True)
class PendingJobs:
    """The number of a task's unfinished jobs, by state."""

    queued: int = 0
    running: int = 0
    parked: int = 0
    awaiting_auth: int = 0


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A discovered URL of a task: a hit of a result page, or a document.

    `document_id` is None until it is ingested. `job_state` cancelled: it stays listed, but answers exclude
    it. `place` is the cursor after it, `page_number` its result page.
    """

    url: str
    title: str
    query: str | None
    engine: str | None
    rank: int | None
    document_id: DocumentId | None
    passages: int
    job_id: JobId
    job_state: JobState
    fetched_at: Instant | None
    place: int
    page_number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedItem:
    """A failure of a query, or of an address or file."""

    query: str | None = None
    url: str | None = None
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class TaskSnapshot:
    """A task as of `revision`.

    `changed`: it differs from `since_revision`. `results` arrived or changed after `cursor`; the new `cursor`
    is for the next call; `more`: that call returns more rows. `retry_after`: seconds to wait before it; None
    if nothing will change automatically. `delays`: the waiting jobs and their reasons. `searches`: in full
    detail, how each search pages. `since` and `detail` echo the call.
    """

    task_id: TaskId
    question: str
    status: TaskState
    revision: int
    changed: bool
    progress: TaskProgress
    queue: PendingJobs
    results: tuple[ResultRow, ...]
    errors: tuple[FailedItem, ...]
    budget: Mapping[str, float]
    spent: Mapping[str, float]
    waiting_for: tuple[PendingIntervention, ...]
    answer_id: str | None
    estimated_seconds: float
    retry_after: float | None
    cursor: str | None
    more: bool
    created_at: Instant
    changed_at: Instant
    since: int | None = None
    detail: StatusDetail = StatusDetail.SUMMARY
    delays: tuple[Delay, ...] = ()
    searches: tuple[SearchPaging, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskStopped:
    """The number of cancelled jobs by their previous state, and the jobs that keep running."""

    task_id: TaskId
    cancelled: PendingJobs
    still_running: tuple[JobId, ...]
    is_resumable: bool


@dataclass(frozen=True, slots=True)
class TaskResumed:
    """The jobs that were queued again."""

    task_id: TaskId
    requeued: int
    job_ids: tuple[JobId, ...]


@dataclass(frozen=True, slots=True)
class TaskDeleted:
    """The number of deleted items of a task."""

    task_id: TaskId
    jobs: int
    events: int
    results: int
    documents: int


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A task in a list."""

    task_id: TaskId
    question: str
    status: TaskState
    revision: int
    queue: PendingJobs
    completed: int
    failed: int
    cancelled: int
    created_at: Instant


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Tasks, newest first. `cursor` is None at the end."""

    tasks: tuple[TaskSummary, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class JobPage:
    """Jobs of a task, oldest first. `cursor` is None at the end."""

    jobs: tuple[Job, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class AnswerHandle:
    """An answer, or None while it is being made: `retry_after` then says when to ask again.

    Follow-up questions name the conversation.
    """

    task_id: TaskId
    answer_id: str
    answer: Answer | None
    retry_after: float | None
    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """An engine as a visitor sees it.

    `available`: everything it needs is set up. `reason`: what is missing, that the web is off, or why the
    engine is cooling down. `quota_left`: requests left today, None for no limit. `breaker`: closed, open
    (cooling down until `cool_down_until`) or half_open. Rates cover its latest requests; None if there were
    none. Times are in seconds.
    """

    name: str
    site: str
    tier: str
    categories: tuple[str, ...]
    languages: tuple[str, ...]
    time_ranges: tuple[str, ...]
    enabled: bool
    available: bool
    reason: str
    needs_browser: bool
    max_pages: int
    interval_s: float
    per_day: int | None
    quota_left: int | None = None
    breaker: BreakerState = BreakerState.CLOSED
    success_rate: float | None = None
    median_latency_s: float | None = None
    cool_down_until: Instant | None = None
    last_error: str | None = None


@dataclass(frozen=True, slots=True)
class FeedbackRecorded:
    """Feedback in its current state."""

    opinion: Opinion
    target: str
