"""How often a job may meet an outage of the store that its queue is in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from shisho.domain.job import JobError, JobId, JobState
from shisho.errors import StorageUnusable, StoreUnavailable, TimedOut
from shisho.jobs.outages import MAX_OUTAGES, find_error, queue_again
from shisho.messages.catalogue import render
from tests.queues import Queue, new, opened

AWAY = StoreUnavailable("Away from {server}.", server="there")
LONGEST_WAIT = 20.0


@pytest.fixture(params=["memory", "embedded", "postgres"])
async def queue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened(request.param, tmp_path) as made:
        yield made


async def meet_outages(queue: Queue, count: int) -> None:
    for _ in range(count):
        await queue_again(await queue.claimed(), AWAY, queue.jobs, queue.clock)
        queue.clock.pass_(LONGEST_WAIT)


async def state_of(queue: Queue, job_id: JobId) -> tuple[JobState, int, int]:
    job = await queue.jobs.get_job(job_id)
    return job.state, job.failures, len(job.errors)


async def test_outages_use_up_no_attempt_until_there_are_too_many_in_a_row(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    await meet_outages(queue, MAX_OUTAGES)
    assert await state_of(queue, job_id) == (JobState.QUEUED, 0, MAX_OUTAGES)
    await meet_outages(queue, 1)
    assert await state_of(queue, job_id) == (JobState.FAILED, 0, MAX_OUTAGES + 1)
    last = (await queue.jobs.get_job(job_id)).errors[-1]
    assert last.code == "INTERNAL"
    assert render(last.message, "en").startswith(
        f"Gave up, because the storage became unreachable {MAX_OUTAGES + 1} times in a row"
    )
    assert render(last.message, "en").endswith("Away from there.")
    assert f"{MAX_OUTAGES + 1} 回続けて" in render(last.message, "ja")


@pytest.mark.slow
async def test_one_that_is_resumed_may_meet_as_many_again(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    await meet_outages(queue, MAX_OUTAGES + 1)
    (task,) = await queue.tasks.list_tasks("local")
    await queue.tasks.resume(task.id)
    await meet_outages(queue, MAX_OUTAGES)
    assert (await state_of(queue, job_id))[0] is JobState.QUEUED


@pytest.mark.slow
async def test_those_before_another_error_do_not_count(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    await meet_outages(queue, MAX_OUTAGES)
    await queue.jobs.put_back((await queue.claimed()).claim, error=JobError("TIMEOUT", "遅い"))
    await meet_outages(queue, MAX_OUTAGES)
    assert await state_of(queue, job_id) == (JobState.QUEUED, 1, 2 * MAX_OUTAGES + 1)


async def test_waits_grow_and_stay_short(tmp_path: Path) -> None:
    async with opened("embedded", tmp_path) as queue:
        (job_id,) = await queue.add(new())
        waits = []
        for _ in range(8):
            await queue_again(await queue.claimed(), AWAY, queue.jobs, queue.clock)
            due = (await queue.jobs.get_job(job_id)).not_before
            tenths = 0  # each wait is spread by a tenth
            while due is not None and queue.clock.timeline_now() < due:
                queue.clock.pass_(0.1)
                tenths += 1
            waits.append(tenths / 10)
        assert waits[0] <= 2 and max(waits) <= LONGEST_WAIT
        assert all(earlier < later for earlier, later in pairwise(waits[:5]))


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        pytest.param(AWAY, AWAY, id="itself"),
        pytest.param(
            BaseExceptionGroup("", [ExceptionGroup("", [ValueError(), AWAY])]), AWAY, id="in groups"
        ),
        pytest.param(ExceptionGroup("", [TimedOut("遅い"), ValueError()]), None, id="no group of it"),
        pytest.param(StorageUnusable("壊れた"), None, id="unusable"),
        pytest.param(TimedOut("遅い"), None, id="slow"),
    ],
)
def test_an_outage_is_found_in_an_error(error: BaseException, outage: StoreUnavailable | None) -> None:
    assert find_error(error, StoreUnavailable) is outage
