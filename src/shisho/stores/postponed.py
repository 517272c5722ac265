"""Postponed jobs, with the reason of the postponed attempt: the same in every store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shisho.domain.find import PostponedJobs
from shisho.domain.job import JobError, JobState, TaskId
from shisho.domain.time import Instant, count_seconds, drop_fraction, later
from shisho.ports import Clock
from shisho.stores.sql.queries import Queries
from shisho.stores.sql.transitions import errors

# List the jobs of a task that continue later. Their errors are parsed here: PostgreSQL's own operators fail
# on escapes that its text cannot store.
POSTPONED = """SELECT state, attempt, not_before, error_json FROM jobs
    WHERE task_id = :task_id AND state IN ('queued', 'parked') AND not_before > :steady"""


def select_postponed(queries: Queries, task_id: TaskId, clock: Clock) -> list[PostponedJobs]:
    """Return the postponed jobs of a task, the earliest first."""
    rows = queries.rows(POSTPONED, {"task_id": task_id, "steady": clock.steady()})
    jobs = [
        (JobState(row.state), find_delay_reason(errors(row.error_json), row.attempt), row.not_before)
        for row in rows
    ]
    return group_postponed(jobs, clock)


def find_delay_reason(history: Sequence[JobError], attempt: int) -> str:
    """Return why the last attempt was postponed; older errors do not explain this wait."""
    return history[-1].message if history and history[-1].attempt == attempt else ""


def group_postponed(jobs: Iterable[tuple[JobState, str, Instant]], clock: Clock) -> list[PostponedJobs]:
    """Group jobs by state and reason; each comes with its continuation on the steady clock."""
    steady = clock.steady()
    waits: dict[tuple[JobState, str], list[float]] = {}
    for state, reason, not_before in jobs:
        waits.setdefault((state, reason), []).append(count_seconds(steady, not_before))
    postponed = []
    for (state, reason), seconds in waits.items():
        until = drop_fraction(later(clock.now(), min(seconds)))
        postponed.append(PostponedJobs(state, len(seconds), reason, until, min(seconds), max(seconds)))
    return sorted(postponed, key=lambda alike: alike.first_s)
