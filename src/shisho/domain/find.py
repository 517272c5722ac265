"""The finds of jobs as they are stored, and the sources that answers do without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shisho.domain.corpus import DocumentId, PassageId
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import JobState
from shisho.domain.task import FailedItem, ResultRow
from shisho.domain.time import Instant
from shisho.domain.web import PagingStop


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
    """What became of a find. `found`: it is not visited yet."""

    FOUND = "found"
    VISITED = "visited"
    FAILED = "failed"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class StoredUrl:
    """A find and what became of it. `useful`: whether its
    document answers the query; None while nobody has looked."""

    find: DiscoveredUrl
    status: UrlState
    document_id: DocumentId | None = None
    useful: bool | None = None


@dataclass(frozen=True, slots=True)
class SearchNote:
    """How far a search has come, page by page; `harvest` None: nothing of that page was visited. `stop` None: it goes on."""

    query: str
    engine: str
    pages: int
    novelty: tuple[float, ...]
    harvest: tuple[float | None, ...]
    stop: PagingStop | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A summary of what a task's jobs have stored so far. `tally` counts jobs by kind and state;
    `visited` of `known` hits; `sources` are the different web pages among these, `taken_in` all that
    became documents; `last` is the place of the last result."""

    tally: Mapping[tuple[str, JobState], int]
    visited: int
    known: int
    sources: int
    taken_in: int
    results: Sequence[ResultRow]
    last: int
    more: bool
    failures: Sequence[FailedItem]
    waiting: Sequence[PendingIntervention]
    answer_id: str | None
    changed_at: Instant | None


@dataclass(frozen=True, slots=True)
class ExcludedSources:
    """The sources that answers do without: documents of blocked domains or that only cancelled jobs
    brought; passages of rejected evidence."""

    documents: tuple[DocumentId, ...] = ()
    passages: tuple[PassageId, ...] = ()
