"""The payload, outcome and progress of each kind of job.

Each is built once, when the job is queued or done, and read in this form everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from typing import TypeVar

from shisho.domain.codec import UnreadablePayload
from shisho.domain.corpus import WEB_CORPUS, Condition, DocumentId, Receipt
from shisho.domain.discovered_url import ExcludedSources, UrlState
from shisho.domain.inquiry import AnswerLevel, LoopStop, Verdict
from shisho.domain.job import Job, NewJob
from shisho.domain.requirements import NO_REQUIREMENTS, Requirements
from shisho.domain.task import JobKind, SearchOptions, Sources
from shisho.domain.time import Instant
from shisho.domain.web import PagingStop
from shisho.messages import Message
from shisho.records import dataclass

T = TypeVar("T")
UNKNOWN_SUBJECT = Message("job.other_version_subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchJob(SearchOptions):
    """One query for one engine."""

    query: str
    owner: str
    corpus: str = WEB_CORPUS
    until: Instant | None = None
    """The instant by `Clock.steady` after which nobody waits for it; None for an independent search."""
    without: tuple[str, ...] = ()
    """Engines to skip, because they have answered already."""
    enough: int = 0
    """The number of useful pages that ends it under `auto`; 0: `max_results_per_query`."""

    @property
    def subject(self) -> str:
        return self.query


@dataclass(frozen=True, slots=True)
class FetchJob:
    """One web address to ingest."""

    url: str
    owner: str
    corpus: str = WEB_CORPUS
    metadata: Mapping[str, str] = field(default_factory=dict)
    password: str | None = None
    """The key of the staged password."""

    @property
    def subject(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True)
class IngestJob:
    """A file on disk, or staged bytes, to ingest."""

    source: str
    owner: str
    corpus: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    within: str | None = None
    """The folder that must still contain the file when it is read."""
    staged: str | None = None
    """The key of the staged bytes."""
    password: str | None = None
    """The key of the staged password."""
    may_replace: bool = True
    """It may replace another document with its name."""

    @property
    def subject(self) -> str:
        return self.source


@dataclass(frozen=True, slots=True)
class AnswerJob:
    """A question to answer."""

    question: str
    owner: str
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    sources: Sources = Sources.DOCUMENTS
    budget: Mapping[str, float] = field(default_factory=dict)
    """Ceilings of this question: fields of `inquiry.Budget` by name."""
    conversation_id: str = ""
    """An empty one starts a new conversation, which has the job's id."""
    earlier: tuple[str, ...] = ()
    """The earlier questions of its conversation as they were understood."""
    requirements: Requirements = NO_REQUIREMENTS
    excluded: ExcludedSources = field(default_factory=ExcludedSources)
    """The caller's exclusions, resolved to documents and passages of the library."""

    @property
    def subject(self) -> str:
        return self.question


JobPayload = SearchJob | FetchJob | IngestJob | AnswerJob

SHAPES: Mapping[JobKind, type[JobPayload]] = {
    JobKind.SEARCH: SearchJob,
    JobKind.FETCH: FetchJob,
    JobKind.INGEST: IngestJob,
    JobKind.ANSWER: AnswerJob,
}


@dataclass(frozen=True, slots=True)
class SearchFailure:
    """A failure of a search: of one address or, if `url` is empty, of an engine."""

    url: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class SerpOutcome:
    """The outcome of one result page: its number of hits, and their results."""

    number: int
    url: str
    status: int
    fresh: int
    """Hits that the task had not seen before."""
    cached: bool
    repeats: bool
    hits: int
    visited: int
    useful: int
    novelty: float
    harvest: float | None
    """None: no hit of the page was visited."""


@dataclass(frozen=True, slots=True)
class HitOutcome:
    """The outcome of one hit, in merged order of rank."""

    rank: int | None
    page_number: int | None
    rank_on_page: int | None
    url: str
    title: str
    status: UrlState
    useful: bool | None
    document_id: DocumentId | None


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The outcome of a search: every page, every hit, the stored documents and the errors."""

    query: str
    engine: str | None
    """None: no engine returned a page."""
    pages: tuple[SerpOutcome, ...]
    paging_stop: PagingStop
    hits: tuple[HitOutcome, ...]
    documents: tuple[DocumentId, ...]
    errors: tuple[SearchFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    partial: bool = False
    """The job's time limit was reached."""


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """The outcome of an answer job; the answer itself is in the ledger."""

    answer_id: str
    evidence: int
    """The number of its quotations."""
    level: AnswerLevel
    abstained: bool
    loop_stop: LoopStop
    rounds: int


JobOutcome = SearchOutcome | AnswerOutcome | Receipt
"""The outcome of a fetched page or a file is its receipt."""

OUTCOMES: Mapping[JobKind, type[JobOutcome]] = {
    JobKind.SEARCH: SearchOutcome,
    JobKind.FETCH: Receipt,
    JobKind.INGEST: Receipt,
    JobKind.ANSWER: AnswerOutcome,
}


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """The progress of a search: result pages, visited hits, and the documents they became."""

    engine: str
    pages: int
    visited: int
    documents: int


@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """The progress of an answer: the latest node of its loop.

    `sentence`: a line of the answer by a model, after its check; the lines arrive in no fixed order, and the
    answer has them all. `section`: the current section of a report, out of `sections`.
    """

    node: str
    step: int
    replayed: bool
    sentence: str = ""
    verdict: Verdict | None = None
    section: int = 0
    sections: int = 0


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """The progress of ingesting a long PDF: pages read (in a scan, recognised), and all pages.

    SQL statements of the stores use the names of these fields.
    """

    pages_read: int
    pages_total: int


JobProgress = SearchProgress | AnswerProgress | IngestProgress


def read_outcome(job: Job) -> JobOutcome | None:
    """Return a job's outcome by its kind; None if it has none. Raises as `read_payload` does."""
    return None if job.output is None else job.output.read(_find(OUTCOMES, job))


def read_known_outcome(job: Job) -> JobOutcome | None:
    """Return the known part of a job's outcome; None if there is no readable outcome."""
    if job.output is not None:
        with suppress(UnreadablePayload):
            return job.output.read(_find(OUTCOMES, job), is_lenient=True)
    return None


def read_payload(job: Job | NewJob, *, is_lenient: bool = False) -> JobPayload:
    """Return a job's payload by its kind.

    `is_lenient`: return the known part of a newer version's payload (`codec.build`).

    Raises:
        UnreadablePayload: Another version queued the job.
    """
    return job.input.read(_find(SHAPES, job), is_lenient=is_lenient)


def read_known_payloads(jobs: Iterable[Job | NewJob]) -> Iterator[JobPayload]:
    """Yield the known parts of the payloads of jobs, as far as they are readable."""
    for job in jobs:
        with suppress(UnreadablePayload):
            yield read_payload(job, is_lenient=True)


def describe_subject(job: Job) -> str:
    """Return the subject of a job for display, whichever version queued it."""
    subjects = [payload.subject for payload in read_known_payloads([job])]
    return subjects[0] if subjects else UNKNOWN_SUBJECT


def _find(shapes: Mapping[JobKind, type[T]], job: Job | NewJob) -> type[T]:
    try:
        return shapes[JobKind(job.kind)]
    except ValueError as unknown:
        raise UnreadablePayload(str(unknown)) from unknown


def find_password_key(payload: JobPayload) -> str | None:
    """Return the key of the password that a job has staged."""
    return payload.password if isinstance(payload, FetchJob | IngestJob) else None


def list_staged_keys(payload: JobPayload) -> tuple[str, ...]:
    """Return the keys of a job's staged data outside the database: bytes or a password."""
    staged = payload.staged if isinstance(payload, IngestJob) else None
    return tuple(key for key in (staged, find_password_key(payload)) if key is not None)
