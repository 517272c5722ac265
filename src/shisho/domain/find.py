"""The finds of jobs as they are stored, and the sources that answers do without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shisho.domain.corpus import DocumentId, PassageId
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import JobState
from shisho.domain.task import FailedItem, Progress, ResultRow
from shisho.domain.time import Instant
from shisho.domain.web import PagingStop, SearchPaging


@dataclass(frozen=True, slots=True)
class DiscoveredUrl:
    """A result as it is stored: a hit of page `page_number`, or a file or address that was handed in."""

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
    """The state of a find. `found`: it is not visited yet."""

    FOUND = "found"
    VISITED = "visited"
    FAILED = "failed"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class StoredUrl:
    """A find and what became of it."""

    find: DiscoveredUrl
    status: UrlState
    document_id: DocumentId | None = None
    useful: bool | None = None
    """Its document answers the query; None while nobody has looked."""
    code: str = ""
    """Of the error that it failed with."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SearchNote:
    """How far a search has come, page by page."""

    query: str
    engine: str
    pages: int
    novelty: tuple[float, ...]
    harvest: tuple[float | None, ...]
    """None: nothing of that page was visited."""
    stop: PagingStop | None = None
    """None: it goes on."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PostponedJobs:
    """Jobs of one state, queued or parked, that go on by themselves later, all for one reason."""

    state: JobState
    jobs: int
    reason: str
    """The reason why the last attempt did not go on; "" where it waits for its turn alone."""
    until: Instant
    """The time when the first of them goes on."""
    first_s: float
    last_s: float
    """Seconds until the first and the last of them go on."""


@dataclass(frozen=True, slots=True)
class Report:
    """A summary of what a task's jobs have stored so far."""

    tally: Mapping[tuple[str, JobState], int]
    """Jobs by kind and state."""
    visited: int
    """Hits that were visited, of the `known` ones."""
    known: int
    sources: int
    """Different web pages among the hits, without those that were left out."""
    taken_in: int
    """All that became documents."""
    reading: Progress
    """Pages of the long files that are being taken in now."""
    results: Sequence[ResultRow]
    last: int
    """The place of the last result."""
    more: bool
    failures: Sequence[FailedItem]
    waiting: Sequence[PendingIntervention]
    answer_id: str | None
    changed_at: Instant | None
    postponed: Sequence[PostponedJobs]
    """In the order in which they go on."""
    searches: Sequence[SearchPaging] = ()
    """The newest ones, oldest first."""


@dataclass(frozen=True, slots=True)
class ExcludedSources:
    """The sources that answers do without: documents of blocked domains or that only cancelled jobs
    brought; passages of rejected evidence."""

    documents: tuple[DocumentId, ...] = ()
    passages: tuple[PassageId, ...] = ()
