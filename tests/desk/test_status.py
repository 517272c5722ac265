"""What a task's visitor is told: numbers inside, their text where they go out."""

from __future__ import annotations

import pytest

from shisho.desk.status import status
from shisho.domain.find import Report
from shisho.domain.job import JobState, Task, TaskId, TaskState
from shisho.domain.task import JobKind, Progress, StatusDetail, TaskProgress, TaskSnapshot
from shisho.domain.time import Instant
from shisho.interfaces.api.replies import ProgressSummary, to_task_status
from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.render_queue import follow, to_json
from shisho.interfaces.mcp.tasks import describe_status

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
    )
    return status(TASK, report, None, StatusDetail.SUMMARY, 0.0)


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
