"""The payload of each kind of job: built once where it is queued, read in this form where it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shisho.domain.corpus import WEB_CORPUS, Condition
from shisho.domain.job import Job, NewJob
from shisho.domain.task import JobKind, SearchOptions, Sources
from shisho.domain.time import Instant


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
    limits: Mapping[str, float] = field(default_factory=dict)
    """Ceilings of this question: fields of `inquiry.Budget` by name."""

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


def read_payload(job: Job | NewJob) -> JobPayload:
    """Read a job's payload, by its kind. Raises ValueError for a kind without a shape, TypeError for
    what has another."""
    return job.input.read(SHAPES[JobKind(job.kind)])


def staged_keys(payload: JobPayload) -> tuple[str, ...]:
    """The keys of what a job has staged beside the database, bytes or a password."""
    match payload:
        case IngestJob(staged=staged, password=password):
            return tuple(key for key in (staged, password) if key is not None)
        case FetchJob(password=str(password)):
            return (password,)
    return ()
