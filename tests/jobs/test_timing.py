"""The pure rules of the queue, as tables."""

from __future__ import annotations

from itertools import pairwise

import pytest

from shisho.domain.job import (
    Claim,
    JobId,
    JobState,
    RunningClaim,
    TaskState,
    WorkerId,
    count_failed_attempt,
    derive_task_state,
)
from shisho.jobs.timing import HeartbeatMonitor, make_id

Q, R, P, A, C, F, X = JobState  # queued, running, parked, awaiting_auth, completed, failed, cancelled


@pytest.mark.parametrize(
    ("jobs", "state"),
    [
        ({}, TaskState.CREATED),
        ({Q: 1, C: 5}, TaskState.RUNNING),
        ({R: 1, X: 5}, TaskState.RUNNING),
        ({P: 1, A: 1}, TaskState.RUNNING),
        ({A: 1, C: 1, X: 1}, TaskState.WAITING),
        ({X: 1, C: 4}, TaskState.STOPPED),
        ({C: 1, F: 4}, TaskState.COMPLETED),
        ({F: 4, C: 0}, TaskState.FAILED),
    ],
)
def test_a_task_is_what_its_jobs_are(jobs: dict[JobState, int], state: TaskState) -> None:
    assert derive_task_state(jobs) is state


@pytest.mark.parametrize(
    ("failures", "deaths", "is_death", "stepped", "stop_asked", "outcome"),
    [
        (0, 9, False, False, False, (Q, 1, 9)),
        (1, 0, False, False, False, (Q, 2, 0)),
        (2, 0, False, False, False, (F, 3, 0)),
        (2, 0, False, True, False, (Q, 2, 0)),
        (0, 0, False, False, True, (X, 1, 0)),
        (2, 0, False, False, True, (X, 3, 0)),
        (2, 8, True, False, False, (Q, 2, 9)),
        (0, 9, True, False, False, (F, 0, 10)),
        (0, 9, True, True, False, (Q, 0, 9)),
        (0, 9, True, False, True, (X, 0, 10)),
    ],
)
def test_what_a_setback_leads_to(
    failures: int,
    deaths: int,
    is_death: bool,
    stepped: bool,
    stop_asked: bool,
    outcome: tuple[JobState, int, int],
) -> None:
    setback = count_failed_attempt(
        failures, deaths, is_death=is_death, stepped=stepped, stop_asked=stop_asked
    )
    assert (setback.state, setback.failures, setback.deaths) == outcome


CLAIM = Claim(JobId("a"), 1, WorkerId("w"))


def looks(*looks_: tuple[float, int], claims: tuple[Claim, ...] = (CLAIM,)) -> list[bool]:
    """For each (moment, beat) whether the job counts as silent, with a limit of 30 s and looks at most 5 s
    apart."""
    silence = HeartbeatMonitor(30.0, 5.0)
    return [
        bool(silence.find_silent([RunningClaim(claim, beat) for claim in claims], moment))
        for moment, beat in looks_
    ]


def test_who_beats_is_never_silent() -> None:
    assert not any(looks(*((float(second), second // 5) for second in range(200))))


def test_who_does_not_beat_is_silent_after_the_limit() -> None:
    assert looks(*((1000.0 + second, 3) for second in range(32))) == [False] * 30 + [True] * 2


def test_the_first_look_counts_nothing_however_long_the_machine_has_run() -> None:
    assert looks((1e6, 3)) == [False]


def test_a_looker_that_was_frozen_itself_does_not_blame_others() -> None:
    assert looks((1000, 3), (1040, 3), (1041, 4)) == [False] * 3
    assert looks((1000, 3), (1040, 3), (1045, 3), (1050, 3), (1055, 3), (1060, 3), (1065, 3)) == [
        False
    ] * 6 + [True]


def test_a_new_attempt_starts_with_a_clean_sheet() -> None:
    silence = HeartbeatMonitor(30.0, 5.0)
    for second in range(0, 30, 5):
        silence.find_silent([RunningClaim(CLAIM, 0)], float(second))
    again = RunningClaim(Claim(JobId("a"), 2, WorkerId("w")), 0)
    assert silence.find_silent([again], 30.0) == []
    assert silence.find_silent([RunningClaim(CLAIM, 0)], 35.0) == []


def test_ids_sort_by_their_making_and_are_uuid7() -> None:
    made = [make_id() for _ in range(4000)]
    assert len(set(made)) == 4000 and all(
        one[12] == "7" and one[16] in "89ab" and len(one) == 32 for one in made
    )
    assert sum(one > two for one, two in pairwise(made)) <= 1  # the counter may wrap once
