"""Jobs that go on later, told with the reason of the attempt that was put off: the same in every store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shisho.domain.find import PostponedJobs
from shisho.domain.job import JobError, JobState, TaskId
from shisho.domain.time import Instant, count_seconds, drop_fraction, later
from shisho.ports import Clock
from shisho.stores.queries import Queries
from shisho.stores.transitions import errors

# The jobs of a task that go on by themselves later. Their errors are read here: PostgreSQL's own operators
# fail on escapes that no text of its can hold.
POSTPONED = """SELECT state, attempt, not_before, error_json FROM jobs
    WHERE task_id = :task_id AND state IN ('queued', 'parked') AND not_before > :steady"""


def select_postponed(queries: Queries, task_id: TaskId, clock: Clock) -> list[PostponedJobs]:
    """The jobs of a task that go on later, those first that go on first."""
    rows = queries.rows(POSTPONED, {"task_id": task_id, "steady": clock.steady()})
    jobs = [
        (JobState(row.state), find_delay_reason(errors(row.error_json), row.attempt), row.not_before)
        for row in rows
    ]
    return group_postponed(jobs, clock)


def find_delay_reason(history: Sequence[JobError], attempt: int) -> str:
    """The reason why the last attempt did not go on; an older one says nothing of this wait."""
    return history[-1].message if history and history[-1].attempt == attempt else ""


def group_postponed(jobs: Iterable[tuple[JobState, str, Instant]], clock: Clock) -> list[PostponedJobs]:
    """Jobs by state and reason, given with the moment when each goes on, by the steady clock."""
    steady = clock.steady()
    waits: dict[tuple[JobState, str], list[float]] = {}
    for state, reason, not_before in jobs:
        waits.setdefault((state, reason), []).append(count_seconds(steady, not_before))
    postponed = []
    for (state, reason), seconds in waits.items():
        until = drop_fraction(later(clock.now(), min(seconds)))
        postponed.append(PostponedJobs(state, len(seconds), reason, until, min(seconds), max(seconds)))
    return sorted(postponed, key=lambda alike: alike.first_s)
