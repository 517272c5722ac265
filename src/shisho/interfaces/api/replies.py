"""Reply types outside the domain, and types of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from shisho.domain import corpus
from shisho.domain.intervention import PendingIntervention
from shisho.domain.job import Delay, JobState, TaskState
from shisho.domain.task import (
    EngineStatus,
    FailedItem,
    PendingJobs,
    ResultRow,
    StatusDetail,
    TaskProgress,
    TaskSnapshot,
    TaskSummary,
)
from shisho.domain.web import SearchPaging
from shisho.interfaces.api.filters import parse_filters
from shisho.interfaces.api.inputs import InputObject
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class TaskCreated:
    """A new task. Queue searches or addresses in it, or ask a question in it."""

    task_id: str
    next: str = "queue_searches"


@dataclass(frozen=True, slots=True)
class DocumentList:
    """Documents in the order they were added."""

    documents: tuple[corpus.Document, ...]
    more: bool
    cursor: str | None


@dataclass(frozen=True, slots=True)
class RemovedDocument:
    """A removed document.

    `purged`: its text and every quotation of it are erased. Otherwise its citations still open.
    """

    document: corpus.Document
    purged: bool


@dataclass(frozen=True, slots=True)
class RestoredDocument:
    """A document whose removal was undone."""

    document: corpus.Document


@dataclass(frozen=True, slots=True)
class AuthQueue:
    """The interventions that wait for a person, oldest first."""

    waiting: tuple[PendingIntervention, ...]


@dataclass(frozen=True, slots=True)
class EngineList:
    """Search engines, those that can be asked first."""

    engines: tuple[EngineStatus, ...]


@dataclass(frozen=True, slots=True)
class TaskList:
    """Tasks, newest first."""

    tasks: tuple[TaskSummary, ...]
    more: bool
    cursor: str | None


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A result of a task.

    Without `document_id` it was not added. Answers skip results whose `job_state` is cancelled. Full detail
    adds `job_id`, `fetched_at`, the `page_number` of the result page, and the `job_state` of successful jobs.
    """

    url: str
    title: str
    place: int
    query: str | None = None
    engine: str | None = None
    rank: int | None = None
    document_id: str | None = None
    passages: int | None = None
    job_id: str | None = None
    job_state: str | None = None
    fetched_at: str | None = None
    page_number: int | None = None


@dataclass(frozen=True, slots=True)
class ProgressSummary:
    """Progress as "done/total", such as "2/3".

    Counts queries searched, pages visited, documents added and questions answered. `reading` counts the
    pages of long files that are being added.
    """

    queries: str
    pages: str
    documents: str
    answers: str
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """The status of a task at `revision`.

    `changed`: it differs from `since_revision`; omitted fields are unchanged. `retry_after`: seconds to wait
    before the next call; omitted if nothing will change by itself. `delays`: postponed jobs, until when and
    why. `searches`: the paging of each search and why it stopped, only in full detail.
    """

    task_id: str
    status: TaskState
    revision: int
    changed: bool
    results: tuple[TaskResult, ...]
    errors: tuple[FailedItem, ...]
    waiting_for: tuple[PendingIntervention, ...]
    more: bool
    question: str | None = None
    progress: ProgressSummary | None = None
    queue: PendingJobs | None = None
    budget: Mapping[str, float] | None = None
    spent: Mapping[str, float] | None = None
    answer_id: str | None = None
    estimated_seconds: float | None = None
    retry_after: float | None = None
    cursor: str | None = None
    created_at: str | None = None
    changed_at: str | None = None
    delays: tuple[Delay, ...] | None = None
    searches: tuple[SearchPaging, ...] | None = None


def to_task_status(status: TaskSnapshot) -> TaskStatus:
    """Build a reply without fields that the client already has.

    Constant fields are only in the first reply; if nothing has changed, only the fields that say so remain.
    """
    task_status = TaskStatus(
        task_id=status.task_id,
        status=status.status,
        revision=status.revision,
        changed=status.changed,
        results=tuple(to_task_result(result, status.detail) for result in status.results),
        errors=status.errors,
        waiting_for=status.waiting_for,
        more=status.more,
        retry_after=status.retry_after,
        cursor=status.cursor,
    )
    if status.changed:
        task_status = replace(
            task_status,
            progress=to_progress_summary(status.progress),
            queue=status.queue,
            spent=status.spent,
            answer_id=status.answer_id,
            estimated_seconds=status.estimated_seconds or None,
            changed_at=status.changed_at,
            delays=status.delays or None,
            searches=status.searches or None,
        )
    if status.since is None:
        task_status = replace(
            task_status, question=status.question, budget=status.budget, created_at=status.created_at
        )
    return task_status


def to_progress_summary(progress: TaskProgress) -> ProgressSummary:
    """Format the counts of a task's progress."""
    return ProgressSummary(
        str(progress.queries),
        str(progress.pages),
        str(progress.documents),
        str(progress.answers),
        str(progress.reading) if progress.reading.total else None,
    )


def to_task_result(result: ResultRow, detail: StatusDetail) -> TaskResult:
    """Build a result with the fields of this detail."""
    whole = TaskResult(**{name: getattr(result, name) for name in TaskResult.__dataclass_fields__})
    if detail is StatusDetail.FULL:
        return whole
    state = result.job_state if result.job_state in (JobState.CANCELLED, JobState.FAILED) else None
    return replace(
        whole,
        job_id=None,
        job_state=state,
        fetched_at=None,
        page_number=None,
        passages=result.passages or None,
    )


class RangeInput(InputObject):
    """An inclusive range; either end may be open."""

    low: str | None = None
    high: str | None = None


Text = Annotated[str, Field(max_length=2_000)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Id = Annotated[str, Field(min_length=1, max_length=500, description="id, its beginning, or `last`")]
Cursor = Annotated[str | None, Field(max_length=200, description="`cursor` of the reply before")]
Limit = Annotated[int, Field(ge=1, le=200)]
Key = Annotated[
    str | None,
    Field(max_length=200, description="same key, same call: same reply"),
]
Wait = Annotated[float, Field(ge=0, le=50, allow_inf_nan=False, description="seconds to wait at most")]
Corpora = Annotated[list[Name], Field(max_length=50, description="only these corpora; none: all")]
Filter = (
    Annotated[str, Field(max_length=500)]
    | Annotated[list[Name], Field(min_length=1, max_length=50)]
    | RangeInput
)
Filters = Annotated[
    dict[Name, Filter] | Annotated[list[Name], Field(max_length=20)],
    Field(
        max_length=20,
        description="key=value or key=low..high, by metadata, `page` or date",
    ),
]


def to_conditions(
    filters: Mapping[str, str | list[str] | RangeInput] | Sequence[str],
) -> dict[str, corpus.Condition]:
    """Convert filters to conditions of the domain."""
    if not isinstance(filters, Mapping):
        return parse_filters(filters)
    return {key: _to_condition(value) for key, value in filters.items()}


def _to_condition(value: str | list[str] | RangeInput) -> corpus.Condition:
    if isinstance(value, RangeInput):
        return corpus.FilterRange(value.low, value.high)
    return tuple(value) if isinstance(value, list) else value
