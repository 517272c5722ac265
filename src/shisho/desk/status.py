"""Make the status of a task from the task and the report of its jobs. Pure rules."""

from __future__ import annotations

from collections.abc import Mapping

from shisho.domain.find import Report
from shisho.domain.job import ENDED, JobState, Task, TaskState
from shisho.domain.task import (
    JobKind,
    PendingJobs,
    Progress,
    StatusDetail,
    TaskProgress,
    TaskSnapshot,
    TaskSummary,
)

PERSON_SECONDS = 30.0
SLOWEST = 10.0
FASTEST = 1.0


def status(
    task: Task, report: Report, since: int | None, detail: StatusDetail, estimated: float
) -> TaskSnapshot:
    """A task as of `task.revision`."""
    return TaskSnapshot(
        task_id=task.id,
        question=task.question,
        status=task.state,
        revision=task.revision,
        changed=task.revision != since,
        progress=TaskProgress(
            queries=_done(report, JobKind.SEARCH),
            pages=Progress(report.visited, report.known),
            documents=Progress(report.taken_in, report.sources + _all(report, JobKind.INGEST)),
            answers=_done(report, JobKind.ANSWER),
            reading=report.reading,
        ),
        queue=count_pending(task.jobs),
        results=tuple(report.results),
        errors=tuple(report.failures),
        budget=task.budget,
        spent=task.spent,
        waiting_for=tuple(report.waiting),
        answer_id=report.answer_id,
        estimated_seconds=estimated,
        retry_after=retry_after(task.state, estimated),
        cursor=str(report.last),
        more=report.more,
        created_at=task.created_at,
        changed_at=report.changed_at or task.created_at,
        since=since,
        detail=detail,
    )


def retry_after(state: TaskState, estimated: float) -> float | None:
    """Seconds after which asking again makes sense."""
    if state is TaskState.WAITING:
        return PERSON_SECONDS
    return min(SLOWEST, max(FASTEST, estimated / 4)) if state is TaskState.RUNNING else None


def list_live_kinds(report: Report) -> dict[str, int]:
    """How many jobs of each kind are still to be done."""
    counts: dict[str, int] = {}
    for (kind, state), count in report.tally.items():
        if state not in ENDED and state is not JobState.AWAITING_AUTH:
            counts[kind] = counts.get(kind, 0) + count
    return counts


def count_pending(jobs: Mapping[JobState, int]) -> PendingJobs:
    """The jobs that have not ended."""
    return PendingJobs(*(jobs.get(state, 0) for state in map(JobState, PendingJobs.__dataclass_fields__)))


def row(task: Task) -> TaskSummary:
    """A task in a list."""
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


def _done(report: Report, kind: JobKind) -> Progress:
    counted = {state: count for (of, state), count in report.tally.items() if of == kind}
    return Progress(sum(count for state, count in counted.items() if state in ENDED), sum(counted.values()))


def _all(report: Report, kind: JobKind) -> int:
    return sum(count for (of, _), count in report.tally.items() if of == kind)
