"""The requests of a visitor to the queue, and its replies: searches, status, what was found and what
went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shisho.domain.corpus import Condition, DocumentId
from shisho.domain.inquiry import Answer
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import Delay, Job, JobId, JobState, Priority, TaskId, TaskState
from shisho.domain.politeness import BreakerState
from shisho.domain.requirements import NO_REQUIREMENTS, Requirements
from shisho.domain.time import Instant
from shisho.domain.web import SearchPaging, TimeRange

MAX_QUERIES = 50
MAX_WAIT = 50.0  # seconds: MCP clients cut a call at about 60


class JobKind(StrEnum):
    """The kind of work a job does; its handler is chosen by this."""

    SEARCH = "search_queue"
    FETCH = "fetch"
    INGEST = "ingest"
    ANSWER = "answer"


INTAKES = (JobKind.FETCH, JobKind.INGEST)
"""The kinds that take one document in."""


class StopStrategy(StrEnum):
    """When following result pages ends. `auto`: also when they bring nothing new or enough was found;
    `fixed`: at the last page asked for; `exhaustive`: at the engine's end."""

    AUTO = "auto"
    FIXED = "fixed"
    EXHAUSTIVE = "exhaustive"


class Sources(StrEnum):
    """Where an answer may come from. `auto`: what is in the library, and the web for what that does not
    answer; `both`: the web is searched in any case; `web`: nothing but web pages."""

    AUTO = "auto"
    DOCUMENTS = "documents"
    WEB = "web"
    BOTH = "both"


class WebConsent(StrEnum):
    """The person's consent to sending words of a question out. `not_asked`: nobody has said yes or no
    yet."""

    GIVEN = "given"
    NOT_ASKED = "not_asked"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class OutgoingQueries:
    """The queries that would be sent, and to whom: `queries` to one of `engines` each. `boxed`: to this
    machine alone."""

    queries: tuple[str, ...]
    engines: tuple[str, ...]
    boxed: bool = False


class PurgeScope(StrEnum):
    """The extent of a task's removal. `none`: its own rows; `orphans`: also the pages that nothing else
    reaches."""

    NONE = "none"
    ORPHANS = "orphans"


class StatusDetail(StrEnum):
    """How many rows a status carries at once."""

    SUMMARY = "summary"
    FULL = "full"


class WaitCondition(StrEnum):
    """The condition that ends the wait of a poll. `change`: anything; `result`: a job has ended or
    something went wrong; `done`: nothing is left to wait for but a person."""

    CHANGE = "change"
    RESULT = "result"
    DONE = "done"


class Opinion(StrEnum):
    """What a visitor may say of a source."""

    BLOCK_DOMAIN = "block_domain"
    UNBLOCK_DOMAIN = "unblock_domain"
    REJECT_EVIDENCE = "reject_evidence"
    RESTORE_EVIDENCE = "restore_evidence"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How queries are searched. `serp_max_pages` (1..10) None: as the category suggests. No `engines`: chosen
    by category."""

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
    """The sources an answer may be made from, and its ceilings (fields of `inquiry.Budget` by name).
    `conversation`: the id of one that the question goes on with, or `last`; "" for a question by itself.
    `anywhere`: where it names no place to look in, everywhere, also where the question before it was
    limited."""

    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    sources: Sources = Sources.AUTO
    budget: Mapping[str, float] = field(default_factory=dict)
    conversation: str = ""
    anywhere: bool = False
    requirements: Requirements = NO_REQUIREMENTS


@dataclass(frozen=True, slots=True)
class Bytes:
    """A document handed over as bytes; `name` tells its kind by its ending."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """A query, address or file that was not queued, and why."""

    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class JobsQueued:
    """The result of queueing. `next` is the verb to call then."""

    task_id: TaskId
    queued: int
    skipped: tuple[SkippedItem, ...]
    job_ids: tuple[JobId, ...]
    estimated_seconds: float
    next: str = "get_status"


@dataclass(frozen=True, slots=True)
class SearchesQueued(JobsQueued):
    """The result of queueing searches. `next` is the verb to call then."""


@dataclass(frozen=True, slots=True)
class UrlsQueued(JobsQueued):
    """The result of queueing addresses. `next` is the verb to call then."""


@dataclass(frozen=True, slots=True)
class ExistingDocument:
    """A document of the caller's own that needs no taking in."""

    source: str
    document_id: DocumentId
    title: str


@dataclass(frozen=True, slots=True)
class DocumentsQueued:
    """The result of handing in documents. Failed ones appear in the status of the task."""

    task_id: TaskId
    queued: int
    skipped: tuple[SkippedItem, ...]
    job_ids: tuple[JobId, ...]
    already_known: tuple[ExistingDocument, ...]
    estimated_seconds: float
    next: str = "get_status"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of all that are known so far."""

    done: int
    total: int

    def __str__(self) -> str:
        """As it is shown: "2/3"."""
        return f"{self.done}/{self.total}"


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """Queries searched, pages visited, questions answered; documents that were taken in, of all pages and
    files that were to be; pages read of the long files that are being taken in now."""

    queries: Progress
    pages: Progress
    documents: Progress
    answers: Progress
    reading: Progress = Progress(0, 0)


@dataclass(frozen=True, slots=True)
class PendingJobs:
    """How many jobs of a task have not ended, by state."""

    queued: int = 0
    running: int = 0
    parked: int = 0
    awaiting_auth: int = 0


@dataclass(frozen=True, slots=True)
class ResultRow:
    """Something a task has found: a hit of a result page, or a document. `document_id` is None while it is
    not taken in. `job_state` cancelled: it stays listed and answers leave it out. `place` is the cursor after
    it, `page_number` the result page that it was on."""

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
    """A task as of `revision`. `changed`: it differs from `since_revision`. `results` came or changed after
    `cursor` was given; `cursor` is for the next call; `more`: that call brings more rows. `retry_after`:
    seconds to wait before it, None when nothing will change by itself. `delays` say which jobs wait, and for
    what; `searches`, in full detail, how each search pages. `since` and `detail` echo the call."""

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
    """How many jobs were cancelled, by the state they were in, and which go on to their end."""

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
    """How much of a task is no more."""

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
    """An answer, or None while it is being made: then `retry_after` says when to ask again. A question that
    follows names the conversation."""

    task_id: TaskId
    answer_id: str
    answer: Answer | None
    retry_after: float | None
    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """An engine as a visitor sees it. `available`: all that it needs is set up; `reason` says what is not,
    that the web is turned off, or why it rests for now. `quota_left` of today, None for no limit; `breaker`
    closed, open (it rests until `cool_down_until`) or half_open; rates over its latest requests, None where
    it was never asked; times in seconds."""

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
    """A piece of feedback as it now stands."""

    opinion: Opinion
    target: str
