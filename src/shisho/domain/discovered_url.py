"""The discovered URLs of jobs, and the sources that answers exclude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from shisho.domain.corpus import DocumentId, PassageId
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import JobState
from shisho.domain.task import FailedItem, Progress, ResultRow
from shisho.domain.time import Instant
from shisho.domain.web import PagingStop, SearchPaging
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class DiscoveredUrl:
    """A stored result: a hit of page `page_number`, or a submitted file or address."""

    url: str
    canonical_url: str
    title: str = ""
    snippet: str = ""
    published_at: str | None = None
    query: str | None = None
    engine: str | None = None
    page_number: int | None = None
    rank_on_page: int | None = None
    rank: int | None = None


class UrlState(StrEnum):
    """The state of a discovered URL. `found`: not visited yet."""

    FOUND = "found"
    VISITED = "visited"
    FAILED = "failed"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class StoredUrl:
    """A discovered URL and its outcome."""

    find: DiscoveredUrl
    status: UrlState
    document_id: DocumentId | None = None
    useful: bool | None = None
    """Whether its document answers the query; None if not checked yet."""
    code: str = ""
    """The code of the error that made it fail."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SearchNote:
    """The progress of a search, page by page."""

    query: str
    engine: str
    pages: int
    novelty: tuple[float, ...]
    harvest: tuple[float | None, ...]
    """None: no hit of that page was visited."""
    stop: PagingStop | None = None
    """None: the search is still running."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PostponedJobs:
    """Queued or parked jobs of one state that resume automatically later, all for one reason."""

    state: JobState
    jobs: int
    reason: str
    """Why the last attempt did not continue; "" if the job only waits for its turn."""
    until: Instant
    """When the first of them resumes."""
    first_s: float
    last_s: float
    """Seconds until the first and the last of them resume."""


@dataclass(frozen=True, slots=True)
class Report:
    """A summary of what a task's jobs have stored so far."""

    tally: Mapping[tuple[str, JobState], int]
    """Jobs by kind and state."""
    visited: int
    """Visited hits, out of the `known` ones."""
    known: int
    sources: int
    """Distinct web pages among the hits, without those left out."""
    taken_in: int
    """All discovered URLs that became documents."""
    reading: Progress
    """Pages of the long files that are being ingested now."""
    results: Sequence[ResultRow]
    last: int
    """The place of the last result."""
    more: bool
    failures: Sequence[FailedItem]
    waiting: Sequence[PendingIntervention]
    answer_id: str | None
    changed_at: Instant | None
    postponed: Sequence[PostponedJobs]
    """In the order in which they resume."""
    searches: Sequence[SearchPaging] = ()
    """The newest ones, oldest first."""


@dataclass(frozen=True, slots=True)
class ExcludedSources:
    """The sources that answers exclude.

    Documents of blocked domains or found only by cancelled jobs, and passages of rejected evidence.
    """

    documents: tuple[DocumentId, ...] = ()
    passages: tuple[PassageId, ...] = ()
