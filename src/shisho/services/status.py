"""The status of a task from the task and the report of its jobs. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shisho.domain.discovered_url import Report
from shisho.domain.job import ENDED, Delay, JobState, Task, TaskState
from shisho.domain.task import (
    JobKind,
    PendingJobs,
    Progress,
    StatusDetail,
    TaskProgress,
    TaskSnapshot,
    TaskSummary,
)
from shisho.domain.web import PagingStop, SearchPaging
from shisho.messages import Message

REASONS: Mapping[PagingStop, Message] = {
    PagingStop.LIMIT: Message("paging.page_limit"),
    PagingStop.ENOUGH: Message("paging.enough_pages"),
    PagingStop.SATURATED: Message("paging.few_new"),
    PagingStop.BARREN: Message("paging.few_useful"),
    PagingStop.END: Message("paging.no_more"),
    PagingStop.REPEATED: Message("paging.repeated"),
    PagingStop.QUOTA: Message("paging.quota"),
    PagingStop.CHALLENGE: Message("paging.blocked"),
    PagingStop.ERROR: Message("paging.unreadable"),
    PagingStop.BUDGET: Message("paging.budget"),
    PagingStop.STOPPED: Message("paging.stopped"),
}
WARNINGS: Mapping[str, str] = {
    "paging_ignored": "paging.note_one_page",
    "paging_limited": "paging.note_fewer_pages",
    "language_ignored": "paging.note_no_language",
    "time_range_ignored": "paging.note_no_age",
    "layout_guessed": "paging.note_new_layout",
}


def describe_search(search: SearchPaging) -> SearchPaging:
    """Return the search with its stop and warnings as text; each warning begins with its code."""
    return replace(
        search,
        reason=REASONS[search.paging_stop] if search.paging_stop else "",
        warnings=tuple(
            Message(WARNINGS.get(code, "{code}"), code=code, engine=search.engine) for code in search.warnings
        ),
    )


TURN = Message("task.waits_for_turn")
MAX_DELAYS = 10
PERSON_SECONDS = 30.0
SLOWEST = 10.0
FASTEST = 1.0


def build_snapshot(
    task: Task, report: Report, since: int | None, detail: StatusDetail, estimated: float
) -> TaskSnapshot:
    """Return the status of a task as of `task.revision`."""
    return TaskSnapshot(
        task_id=task.id,
        question=task.question,
        status=task.state,
        revision=task.revision,
        changed=task.revision != since,
        progress=TaskProgress(
            queries=_build_progress(report, JobKind.SEARCH),
            pages=Progress(report.visited, report.known),
            documents=Progress(report.taken_in, report.sources + _count_kind(report, JobKind.INGEST)),
            answers=_build_progress(report, JobKind.ANSWER),
            reading=report.reading,
        ),
        queue=count_pending(task.jobs),
        results=tuple(report.results),
        errors=tuple(report.failures),
        budget=task.budget,
        spent=task.spent,
        waiting_for=tuple(report.waiting),
        answer_id=report.answer_id,
        estimated_seconds=max([estimated, *_list_ends(report)]),
        retry_after=retry_after(task.state, estimated, count_idle_seconds(report)),
        cursor=str(report.last),
        more=report.more,
        created_at=task.created_at,
        changed_at=report.changed_at or task.created_at,
        since=since,
        detail=detail,
        delays=list_delays(report),
        searches=tuple(map(describe_search, report.searches)) if detail is StatusDetail.FULL else (),
    )


def retry_after(state: TaskState, estimated: float, idle: float = 0.0) -> float | None:
    """Return the seconds after which another poll makes sense; nothing happens for `idle` seconds."""
    if state is TaskState.WAITING:
        return PERSON_SECONDS
    if state is not TaskState.RUNNING:
        return None
    return max(idle, min(SLOWEST, max(FASTEST, estimated / 4)))


def count_idle_seconds(report: Report) -> float:
    """Return the seconds until a job continues; 0 if one is running, ready, or waits for a person."""
    counts: dict[JobState, int] = {}
    for (_, state), count in report.tally.items():
        counts[state] = counts.get(state, 0) + count
    put_off = sum(postponed.jobs for postponed in report.postponed if postponed.state is JobState.QUEUED)
    is_busy = counts.get(JobState.RUNNING, 0) or counts.get(JobState.QUEUED, 0) > put_off
    if is_busy or counts.get(JobState.AWAITING_AUTH, 0):
        return 0.0
    return min((postponed.first_s for postponed in report.postponed), default=0.0)


def list_delays(report: Report) -> tuple[Delay, ...]:
    """Return the delayed queued jobs in order of resumption, with the first few reasons."""
    postponed = [jobs for jobs in report.postponed if jobs.state is JobState.QUEUED]
    return tuple(Delay(jobs.jobs, jobs.until, jobs.reason or TURN) for jobs in postponed[:MAX_DELAYS])


def _list_ends(report: Report) -> list[float]:
    return [postponed.last_s for postponed in report.postponed if postponed.state is JobState.QUEUED]


def list_live_kinds(report: Report) -> dict[str, int]:
    """Return how many jobs of each kind are unfinished."""
    counts: dict[str, int] = {}
    for (kind, state), count in report.tally.items():
        if state not in ENDED and state is not JobState.AWAITING_AUTH:
            counts[kind] = counts.get(kind, 0) + count
    return counts


def count_pending(jobs: Mapping[JobState, int]) -> PendingJobs:
    """Return the jobs that have not ended."""
    return PendingJobs(*(jobs.get(state, 0) for state in map(JobState, PendingJobs.__dataclass_fields__)))


def summarise_task(task: Task) -> TaskSummary:
    """Return a task as a row of a list."""
    return TaskSummary(
        task_id=task.id,
        question=task.question,
        status=task.state,
        revision=task.revision,
        queue=count_pending(task.jobs),
        completed=task.jobs.get(JobState.COMPLETED, 0),
        failed=task.jobs.get(JobState.FAILED, 0),
        cancelled=task.jobs.get(JobState.CANCELLED, 0),
        created_at=task.created_at,
    )


def _build_progress(report: Report, kind: JobKind) -> Progress:
    counted = {state: count for (of, state), count in report.tally.items() if of == kind}
    return Progress(sum(count for state, count in counted.items() if state in ENDED), sum(counted.values()))


def _count_kind(report: Report, kind: JobKind) -> int:
    return sum(count for (of, _), count in report.tally.items() if of == kind)
