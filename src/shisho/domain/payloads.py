"""The payload of each kind of job, its outcome and its progress: built once where it is queued or done, read
in this form wherever else it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from shisho.domain.codec import UnreadablePayload
from shisho.domain.corpus import WEB_CORPUS, Condition, DocumentId, Receipt
from shisho.domain.find import ExcludedSources, UrlState
from shisho.domain.inquiry import AnswerLevel, LoopStop, Verdict
from shisho.domain.job import Job, NewJob
from shisho.domain.requirements import NO_REQUIREMENTS, Requirements
from shisho.domain.task import JobKind, SearchOptions, Sources
from shisho.domain.time import Instant
from shisho.domain.web import PagingStop
from shisho.messages.message import Message

T = TypeVar("T")
UNKNOWN_SUBJECT = Message("job.other_version_subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchJob(SearchOptions):
    """One query for one engine."""

    query: str
    owner: str
    corpus: str = WEB_CORPUS
    until: Instant | None = None
    """By `Clock.steady`, when nobody waits for it any more; None for a search of its own."""
    without: tuple[str, ...] = ()
    """Engines that need not be asked, for they have answered."""
    enough: int = 0
    """The number of useful pages that ends it under `auto`; 0: `max_results_per_query`."""

    @property
    def subject(self) -> str:
        return self.query


@dataclass(frozen=True, slots=True)
class FetchJob:
    """One address to be taken in."""

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
    """A file on disk to be taken in, or staged bytes."""

    source: str
    owner: str
    corpus: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    within: str | None = None
    """The folder that the file must not have left when it is read."""
    staged: str | None = None
    """The key of the staged bytes."""
    password: str | None = None
    """The key of the staged password."""
    may_replace: bool = True
    """It may take the place of another document of its name."""

    @property
    def subject(self) -> str:
        return self.source


@dataclass(frozen=True, slots=True)
class AnswerJob:
    """A question to be answered."""

    question: str
    owner: str
    corpora: tuple[str, ...] = ()
    filters: Mapping[str, Condition] = field(default_factory=dict)
    sources: Sources = Sources.DOCUMENTS
    budget: Mapping[str, float] = field(default_factory=dict)
    """Ceilings of this question: fields of `inquiry.Budget` by name."""
    conversation_id: str = ""
    """"" where it begins its own, which bears the job's id."""
    earlier: tuple[str, ...] = ()
    """The questions before it in its conversation, as they were understood."""
    requirements: Requirements = NO_REQUIREMENTS
    excluded: ExcludedSources = field(default_factory=ExcludedSources)
    """What the caller excludes, found in the library."""

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
    """A failure of a search, of one address or, with an empty `url`, of an engine."""

    url: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class SerpOutcome:
    """The outcome of one result page: how many hits it had, and what they led to."""

    number: int
    url: str
    status: int
    fresh: int
    """Hits that the task had not met before."""
    cached: bool
    repeats: bool
    hits: int
    visited: int
    useful: int
    novelty: float
    harvest: float | None
    """None: nothing of it was visited."""


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
    """The outcome of a search: every page, every hit, what was stored and what went wrong."""

    query: str
    engine: str | None
    """None: no engine has shown a page."""
    pages: tuple[SerpOutcome, ...]
    paging_stop: PagingStop
    hits: tuple[HitOutcome, ...]
    documents: tuple[DocumentId, ...]
    errors: tuple[SearchFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    partial: bool = False
    """The time of the job was over."""


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """The outcome of an answer job; the answer itself is in the ledger."""

    answer_id: str
    evidence: int
    """How many quotations it has."""
    level: AnswerLevel
    abstained: bool
    loop_stop: LoopStop
    rounds: int


JobOutcome = SearchOutcome | AnswerOutcome | Receipt
"""A fetched page and a file end with their receipt."""

OUTCOMES: Mapping[JobKind, type[JobOutcome]] = {
    JobKind.SEARCH: SearchOutcome,
    JobKind.FETCH: Receipt,
    JobKind.INGEST: Receipt,
    JobKind.ANSWER: AnswerOutcome,
}


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search has come: result pages, hits that were visited, documents that came of them."""

    engine: str
    pages: int
    visited: int
    documents: int


@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """How far an answer has come: the latest node of its loop. `sentence`: a line of the answer that a model
    writes, once it has passed its check; the lines come in no fixed order, and the answer has them all.
    `section`: of a report, the one that is looked for now, of `sections`."""

    node: str
    step: int
    replayed: bool
    sentence: str = ""
    verdict: Verdict | None = None
    section: int = 0
    sections: int = 0


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How far the taking in of a long PDF has come: pages that were read, or recognised where it is a scan,
    of how many. The names are read by the statements of the stores."""

    pages_read: int
    pages_total: int


JobProgress = SearchProgress | AnswerProgress | IngestProgress


def read_outcome(job: Job) -> JobOutcome | None:
    """Read a job's outcome, by its kind; None where there is none. Raises as `read_payload`."""
    return None if job.output is None else job.output.read(_find(OUTCOMES, job))


def read_known_outcome(job: Job) -> JobOutcome | None:
    """Read what is known of a job's outcome; None where there is none that can be read."""
    if job.output is not None:
        with suppress(UnreadablePayload):
            return job.output.read(_find(OUTCOMES, job), is_lenient=True)
    return None


def read_payload(job: Job | NewJob, *, is_lenient: bool = False) -> JobPayload:
    """Read a job's payload, by its kind. Raises UnreadablePayload where another version queued it; who is
    lenient reads what is known of it (`codec.build`)."""
    return job.input.read(_find(SHAPES, job), is_lenient=is_lenient)


def read_known_payloads(jobs: Iterable[Job | NewJob]) -> Iterator[JobPayload]:
    """Read what is known of the payloads of jobs, as far as they can be read."""
    for job in jobs:
        with suppress(UnreadablePayload):
            yield read_payload(job, is_lenient=True)


def describe_subject(job: Job) -> str:
    """What a job is about, to be shown, whichever version queued it."""
    subjects = [payload.subject for payload in read_known_payloads([job])]
    return subjects[0] if subjects else UNKNOWN_SUBJECT


def _find(shapes: Mapping[JobKind, type[T]], job: Job | NewJob) -> type[T]:
    try:
        return shapes[JobKind(job.kind)]
    except ValueError as unknown:
        raise UnreadablePayload(str(unknown)) from unknown


def find_password_key(payload: JobPayload) -> str | None:
    """The key of the password that a job has staged."""
    return payload.password if isinstance(payload, FetchJob | IngestJob) else None


def list_staged_keys(payload: JobPayload) -> tuple[str, ...]:
    """The keys of what a job has staged beside the database, bytes or a password."""
    staged = payload.staged if isinstance(payload, IngestJob) else None
    return tuple(key for key in (staged, find_password_key(payload)) if key is not None)
