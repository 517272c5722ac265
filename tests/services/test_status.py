"""What a task's visitor is told: numbers inside, their text where they go out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shisho.domain.discovered_url import PostponedJobs, Report
from shisho.domain.job import Delay, JobState, Task, TaskId, TaskState
from shisho.domain.task import JobKind, Progress, StatusDetail, TaskProgress, TaskSnapshot
from shisho.domain.time import Instant, add_seconds
from shisho.interfaces.api.replies import ProgressSummary, to_task_status
from shisho.interfaces.cli.render_queue import follow, to_json
from shisho.interfaces.cli.shell import Words
from shisho.interfaces.mcp.tasks import describe_status
from shisho.services.status import MAX_DELAYS, TURN, build_snapshot

NINE = Instant("2026-07-01T09:00:00.000000+00:00")
NOTHING = Progress(0, 0)
TASK = Task(TaskId("t"), "local", "決定係数とは何か", TaskState.RUNNING, 7, {}, {}, NINE)


def snapshot(
    tally: dict[tuple[str, JobState], int],
    visited: int,
    known: int,
    sources: int,
    taken_in: int,
    reading: Progress = NOTHING,
    postponed: Sequence[PostponedJobs] = (),
    estimated: float = 0.0,
) -> TaskSnapshot:
    report = Report(
        tally=tally,
        visited=visited,
        known=known,
        sources=sources,
        taken_in=taken_in,
        reading=reading,
        results=(),
        last=0,
        more=False,
        failures=(),
        waiting=(),
        answer_id=None,
        changed_at=None,
        postponed=postponed,
    )
    return build_snapshot(TASK, report, None, StatusDetail.SUMMARY, estimated)


RUNNING = snapshot(
    {
        (JobKind.SEARCH, JobState.COMPLETED): 1,
        (JobKind.SEARCH, JobState.FAILED): 1,
        (JobKind.SEARCH, JobState.RUNNING): 1,
        (JobKind.INGEST, JobState.QUEUED): 2,
        (JobKind.ANSWER, JobState.PARKED): 1,
    },
    visited=8,
    known=10,
    sources=9,
    taken_in=7,
)


@pytest.mark.parametrize(
    ("held", "progress"),
    [
        (RUNNING, TaskProgress(Progress(2, 3), Progress(8, 10), Progress(7, 11), Progress(0, 1))),
        (snapshot({}, 0, 0, 0, 0), TaskProgress(*[Progress(0, 0)] * 4)),
    ],
)
def test_progress_counts_what_has_ended_of_all(held: TaskSnapshot, progress: TaskProgress) -> None:
    assert held.progress == progress


def test_progress_becomes_text_only_where_it_goes_out() -> None:
    assert to_task_status(RUNNING).progress == ProgressSummary("2/3", "8/10", "7/11", "0/1")
    assert to_json(RUNNING)["progress"] == {
        "queries": "2/3",
        "pages": "8/10",
        "documents": "7/11",
        "answers": "0/1",
        "reading": "0/0",
    }


def test_pages_that_are_being_read_are_told_while_they_are() -> None:
    reading = snapshot({(JobKind.INGEST, JobState.RUNNING): 1}, 0, 0, 0, 0, Progress(300, 1500))
    assert to_task_status(reading).progress == ProgressSummary("0/0", "0/0", "0/1", "0/0", "300/1500")
    assert to_json(reading)["progress"]["reading"] == "300/1500"
    assert (
        describe_status(reading)
        == "queries 0/0, pages 0/0, documents 0/1, answers 0/0; reading page 300/1500"
    )
    assert describe_status(RUNNING) == "queries 2/3, pages 8/10, documents 7/11, answers 0/1"


def put_off(jobs: int, reason: str, seconds: float, state: JobState = JobState.QUEUED) -> PostponedJobs:
    """Jobs that go on one after another, the last so much later as there are of them."""
    return PostponedJobs(state, jobs, reason, add_seconds(NINE, seconds), seconds, seconds + jobs - 1)


@pytest.mark.parametrize(
    ("tally", "postponed", "idle"),
    [
        ({JobState.QUEUED: 2}, [put_off(2, "休み", 1500.0)], 1500.0),
        ({JobState.QUEUED: 2}, [put_off(1, "", 40.0), put_off(1, "休み", 1500.0)], 40.0),
        ({JobState.QUEUED: 2}, [put_off(1, "休み", 1500.0)], 0.0),
        ({JobState.QUEUED: 1, JobState.RUNNING: 1}, [put_off(1, "休み", 1500.0)], 0.0),
        ({JobState.QUEUED: 1, JobState.AWAITING_AUTH: 1}, [put_off(1, "休み", 1500.0)], 0.0),
        (
            {JobState.QUEUED: 1, JobState.PARKED: 1},
            [put_off(1, "", 90.0, JobState.PARKED), put_off(1, "休み", 1500.0)],
            90.0,
        ),
        ({JobState.PARKED: 1, JobState.RUNNING: 1}, [put_off(1, "", 90.0, JobState.PARKED)], 0.0),
    ],
)
def test_who_obeys_retry_after_does_not_ask_before_something_goes_on(
    tally: dict[JobState, int], postponed: list[PostponedJobs], idle: float
) -> None:
    counts = {(JobKind.SEARCH.value, state): count for state, count in tally.items()}
    told = snapshot(counts, 0, 0, 0, 0, postponed=postponed, estimated=12.0)
    queued = [jobs for jobs in postponed if jobs.state is JobState.QUEUED]
    assert told.retry_after == max(idle, 3.0)
    assert told.estimated_seconds == max([12.0, *(jobs.last_s for jobs in queued)])
    assert told.delays == tuple(Delay(jobs.jobs, jobs.until, jobs.reason or TURN) for jobs in queued)


def test_first_reasons_of_many_are_told_and_left_out_where_there_are_none() -> None:
    reasons = [put_off(1, f"{n} は休み", 60.0 + n) for n in range(MAX_DELAYS + 5)]
    many = snapshot({(JobKind.SEARCH, JobState.QUEUED): 15}, 0, 0, 0, 0, postponed=reasons)
    assert [delay.reason for delay in many.delays] == [jobs.reason for jobs in reasons[:MAX_DELAYS]]
    assert to_task_status(many).delays == many.delays and to_task_status(RUNNING).delays is None
    assert describe_status(many).endswith("; postponed until 2026-07-01T09:01:00.000000+00:00: 0 は休み")


@pytest.mark.parametrize(("language", "line"), [("ja", "まで延期 2 件: 休み"), ("en", "2 postponed until")])
def test_who_follows_a_task_in_the_shell_sees_why_it_waits(
    capsys: pytest.CaptureFixture[str], language: str, line: str
) -> None:
    tally = {(JobKind.SEARCH.value, JobState.QUEUED): 2}
    follow(Words(language))(snapshot(tally, 0, 0, 0, 0, postponed=[put_off(2, "休み", 1500.0)]))
    assert line in capsys.readouterr().out


@pytest.mark.parametrize(
    ("language", "line"), [("ja", "読み取り中: 300 / 1500ページ"), ("en", "being read: page 300 of 1500")]
)
def test_who_follows_a_task_in_the_shell_sees_the_pages(
    capsys: pytest.CaptureFixture[str], language: str, line: str
) -> None:
    tell = follow(Words(language))
    tell(snapshot({(JobKind.INGEST, JobState.RUNNING): 1}, 0, 0, 0, 0, Progress(300, 1500)))
    assert f"  {line}" in capsys.readouterr().out.splitlines()
    tell(RUNNING)
    assert line.partition(":")[0] not in capsys.readouterr().out
