"""What every queue promises."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random

import pytest

from shisho.domain.codec import Payload
from shisho.domain.corpus import DocumentId
from shisho.domain.intervention import AuthTarget, HumanChallenge, make_intervention_id
from shisho.domain.job import (
    ENDED,
    MAX_DEATHS,
    MAX_FAILURES,
    MOVES,
    Claim,
    ClaimLost,
    IdempotencyKey,
    Job,
    JobError,
    JobId,
    JobState,
    NewJob,
    NewTask,
    Priority,
    ReplyFacts,
    RunningClaim,
    StopMode,
    TaskId,
    TaskState,
)
from shisho.errors import InvalidParams, KeyConflict, NotFound, TaskNotFound
from tests.machine import PATIENCE
from tests.queues import ANA, BEN, CAPTCHA, OWNER, Queue, new, opened, output_of

T1 = TaskId("t1")
BROKEN = JobError("INTERNAL", "壊れた")
DIED = JobError("INTERNAL", "止まった")
AWAY = JobError("STORE_UNAVAILABLE", "つながらない")
KEY = IdempotencyKey(OWNER, "k", "toys", "the hash of its arguments", "'回帰'")


@pytest.fixture(params=["embedded", "postgres"])
async def queue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened(request.param, tmp_path) as made:
        yield made


async def test_a_job_comes_back_as_it_was_given(queue: Queue) -> None:
    given = new(
        input={"query": "決定係数", "pages": [1, 2]}, priority=Priority.LOW, dedupe_key="決定係数|mojeek"
    )
    assert await queue.add(given) == (given.id,)
    job = await queue.jobs.get_job(given.id)
    assert (job.kind, job.input, job.priority, job.dedupe_key) == ("toy", given.input, 90, given.dedupe_key)
    assert (job.state, job.attempt, job.failures, job.worker_id) == (JobState.QUEUED, 0, 0, None)
    with pytest.raises(NotFound):
        await queue.jobs.get_job(JobId("nothing"))


async def test_order_is_priority_then_age_then_id(queue: Queue) -> None:
    await queue.add(new(id="b", priority=Priority.MEDIUM), new(id="a", priority=Priority.MEDIUM))
    queue.clock.pass_(1)
    await queue.add(new(id="0", priority=Priority.MEDIUM), new(id="z", priority=Priority.HIGH))
    assert [(await queue.claimed()).id for _ in range(4)] == ["z", "a", "b", "0"]
    assert await queue.jobs.claim(ANA, ["toy"]) is None


async def test_a_claim_takes_only_its_kinds_and_only_what_is_due(queue: Queue) -> None:
    await queue.add(new("fetch"), new("toy", not_before=queue.clock.ahead(60)))
    assert await queue.jobs.claim(ANA, ["toy"]) is None
    assert await queue.jobs.claim(ANA, []) is None
    queue.clock.pass_(60)
    assert (await queue.claimed()).kind == "toy"
    assert (await queue.claimed(kind="fetch")).worker_id == ANA


async def test_asking_again_adds_nothing(queue: Queue) -> None:
    first = new(dedupe_key="回帰")
    await queue.add(first)
    await queue.add(first)
    assert await queue.add(new(dedupe_key="回帰"), new(dedupe_key="分散")) != ()
    assert (await queue.add(new(dedupe_key="回帰"))) == (first.id,)
    job = await queue.claimed()
    await queue.jobs.finish(job.claim, Payload.wrap("done"))
    assert await queue.add(first) == (first.id,)
    assert (await queue.tasks.get_task(T1)).jobs == {JobState.COMPLETED: 1, JobState.QUEUED: 1}
    assert await queue.add(new(dedupe_key="回帰"), task="another") != (first.id,)


async def test_a_task_for_which_nothing_is_to_be_done_begins_completed(queue: Queue) -> None:
    opened = await queue.tasks.open(NewTask(T1, OWNER, state=TaskState.COMPLETED))
    assert opened.state is TaskState.COMPLETED
    await queue.add(new())
    assert (await queue.tasks.get_task(T1)).state is TaskState.RUNNING


async def test_an_idempotency_key_stands_for_one_task_of_its_owner(queue: Queue) -> None:
    first = await queue.tasks.open(NewTask(T1, OWNER, "問い", {"max_pages": 3}), KEY)
    assert await queue.tasks.open(NewTask(TaskId("t2"), OWNER), KEY) == first
    others = replace(KEY, owner="someone")
    assert (await queue.tasks.open(NewTask(TaskId("t4"), "someone"), others)).id == "t4"
    assert (await queue.tasks.get_task(T1)).question == "問い"
    with pytest.raises(TaskNotFound):
        await queue.tasks.enqueue(TaskId("t2"), [new()])


async def test_an_idempotency_key_gives_the_first_reply_again_and_to_no_other_request(queue: Queue) -> None:
    first = new(dedupe_key="回帰")
    second = new(dedupe_key="分散")
    await queue.add(first)
    key = replace(KEY, facts=ReplyFacts(3.5, (DocumentId("doc_1"),)))
    assert await queue.tasks.find_repeated(key) is None
    stands = await queue.tasks.enqueue(T1, [new(dedupe_key="回帰"), second], key)
    assert (stands.job_ids, stands.added, stands.is_repeat) == ((first.id, second.id), (second.id,), False)
    again = await queue.tasks.enqueue(
        T1, [new(dedupe_key="回帰"), new(dedupe_key="分散")], replace(key, facts=ReplyFacts())
    )
    assert again == replace(stands, is_repeat=True) == await queue.tasks.find_repeated(key)
    for other in (replace(key, request="another body"), replace(key, verb="another verb")):
        with pytest.raises(KeyConflict, match=r"'k' belongs to another request: toys of '回帰' in task t1\."):
            await queue.tasks.enqueue(T1, [new(dedupe_key="検定")], other)
        with pytest.raises(KeyConflict):
            await queue.tasks.find_repeated(other)
    assert (await queue.tasks.get_task(T1)).jobs == {JobState.QUEUED: 2}
    await queue.tasks.remove(T1)
    assert await queue.tasks.find_repeated(key) is None


async def test_two_equal_requests_at_once_are_done_once(queue: Queue) -> None:
    calls = [
        queue.tasks.enqueue(NewTask(TaskId(f"t{number}"), OWNER), [new(), new()], KEY) for number in range(10)
    ]
    stands = await asyncio.gather(*calls)
    assert [one.is_repeat for one in stands].count(False) == 1
    assert len({(one.task_id, one.job_ids, one.added) for one in stands}) == 1
    assert (
        len(await queue.tasks.list_tasks(OWNER)) == 1
        and len((await queue.tasks.take_snapshot(stands[0].task_id)).jobs) == 2
    )


async def test_what_was_cancelled_or_has_failed_can_be_asked_again(queue: Queue) -> None:
    asked = [new(dedupe_key="回帰"), new(dedupe_key="分散"), new(dedupe_key="検定")]
    await queue.add(*asked)
    failing = await queue.claimed()
    await queue.jobs.fail(failing.claim, BROKEN)
    done = await queue.claimed()
    await queue.jobs.finish(done.claim, Payload.wrap("done"))
    await queue.tasks.stop(T1, StopMode.GRACEFUL)
    again = [new(dedupe_key=job.dedupe_key, priority=Priority.HIGH) for job in asked]
    stands = await queue.tasks.enqueue(T1, again)
    assert stands.job_ids == tuple(job.id for job in asked) and stands.added == (asked[0].id, asked[2].id)
    assert (await queue.tasks.get_task(T1)).jobs == {JobState.QUEUED: 2, JobState.COMPLETED: 1}
    revived = await queue.claimed()
    assert (revived.priority, revived.failures, revived.stop_asked) == (Priority.HIGH, 0, False)


Verb = Callable[[Queue, Claim], Awaitable[object]]
FENCED: dict[str, Verb] = {
    "finish": lambda queue, claim: queue.jobs.finish(claim, Payload.wrap("late")),
    "fail": lambda queue, claim: queue.jobs.fail(claim, BROKEN),
    "put_back": lambda queue, claim: queue.jobs.put_back(claim),
    "put_back counted": lambda queue, claim: queue.jobs.put_back(claim, error=BROKEN),
    "put_back noted": lambda queue, claim: queue.jobs.put_back(claim, error=AWAY, is_failure=False),
    "take_back": lambda queue, claim: queue.jobs.take_back(RunningClaim(claim, 0), BROKEN),
    "park": lambda queue, claim: queue.jobs.park(claim, queue.clock.ahead(60)),
    "await_person": lambda queue, claim: queue.jobs.await_person(claim, None, queue.clock.ahead(60), CAPTCHA),
    "spawn": lambda queue, claim: queue.jobs.spawn(claim, [new()]),
    "keep_step": lambda queue, claim: queue.jobs.keep_step(claim, "page 1", Payload.wrap(1)),
    "report": lambda queue, claim: queue.jobs.report(claim, Payload.wrap({"page": 1})),
    "charge": lambda queue, claim: queue.jobs.charge(claim, {"pages": 1}),
}


@pytest.mark.parametrize("verb", FENCED)
async def test_a_stale_attempt_can_write_nothing(queue: Queue, verb: str) -> None:
    await queue.add(new())
    stale = (await queue.claimed()).claim
    await queue.jobs.take_back(RunningClaim(stale, 0), BROKEN)
    held = await queue.claimed(BEN)
    with pytest.raises(ClaimLost):
        await FENCED[verb](queue, stale)
    assert await queue.jobs.get_job(held.id) == held
    assert await queue.jobs.renew([stale, held.claim]) == {held.claim: False}
    await queue.jobs.finish(held.claim, Payload.wrap("done"))
    with pytest.raises(ClaimLost):
        await FENCED[verb](queue, stale)
    assert output_of(await queue.jobs.get_job(held.id)) == "done"


@pytest.mark.parametrize("verb", FENCED)
async def test_a_removed_job_is_stale_too(queue: Queue, verb: str) -> None:
    await queue.add(new())
    claim = (await queue.claimed()).claim
    await queue.tasks.remove(T1)
    with pytest.raises(ClaimLost):
        await FENCED[verb](queue, claim)


async def test_the_end_of_a_job_and_the_claim_of_the_next_are_one_go(queue: Queue) -> None:
    await queue.add(new(id="a"), new(id="b"), new("other", id="c"))
    first = await queue.claimed()
    following = await queue.jobs.finish_and_claim(first.claim, Payload.wrap({"n": 1}), ["toy"])
    assert following is not None
    assert following.claim == Claim(JobId("b"), 1, ANA)
    assert await queue.state(first.id) is JobState.COMPLETED
    again = await queue.jobs.finish_and_claim(first.claim, Payload.wrap({"n": 1}), ["toy"])
    assert again is None, "it was said again, and nothing more is due"
    with pytest.raises(ClaimLost):
        await queue.jobs.finish_and_claim(replace(following.claim, attempt=2), Payload(), ["other"])
    assert await queue.state(JobId("c")) is JobState.QUEUED, "whose claim is lost takes nothing"


async def test_finish_may_be_said_again_by_the_same_attempt_and_owner_alone(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    claim = (await queue.claimed()).claim
    await queue.jobs.finish(claim, Payload.wrap({"hits": ["一", "二"]}))
    before = await queue.tasks.get_task(T1)
    await queue.jobs.finish(claim, Payload.wrap({"hits": ["三"]}))
    with pytest.raises(ClaimLost):
        await queue.jobs.finish(Claim(job_id, claim.attempt, BEN), Payload.wrap("other"))
    assert output_of(await queue.jobs.get_job(job_id)) == {"hits": ["一", "二"]}
    assert await queue.tasks.get_task(T1) == before


async def test_three_failures_give_up_with_the_history(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    for round_ in range(MAX_FAILURES):
        queue.clock.pass_(1)
        job = await queue.claimed()
        assert job.failures == round_
        await queue.jobs.put_back(
            job.claim, error=JobError("TIMEOUT", f"{round_}回目", Payload.wrap({"n": round_}))
        )
    job = await queue.jobs.get_job(job_id)
    assert (job.state, job.failures, job.attempt) == (JobState.FAILED, 3, 3)
    assert [(each.attempt, each.message) for each in job.errors[:3]] == [
        (1, "0回目"),
        (2, "1回目"),
        (3, "2回目"),
    ]
    assert "Gave up" in job.errors[-1].message and job.errors[-1].code == "TIMEOUT"
    assert (await queue.tasks.get_task(T1)).state is TaskState.FAILED
    await queue.tasks.resume(T1)
    job = await queue.jobs.get_job(job_id)
    assert (job.state, job.failures, len(job.errors)) == (JobState.QUEUED, 0, 4)


async def test_deaths_of_the_process_count_apart_and_ten_give_up(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    await queue.jobs.put_back((await queue.claimed()).claim, error=BROKEN)
    for deaths in range(MAX_DEATHS):
        job = await queue.claimed()
        assert (job.failures, job.deaths, job.runs_alone) == (1, deaths, deaths >= 3)
        (seen,) = await queue.jobs.list_running()
        assert seen.deaths == deaths
        await queue.jobs.take_back(seen, DIED, queue.clock.ahead(5))
        if deaths < MAX_DEATHS - 1:
            assert await queue.jobs.claim(ANA, ["toy"]) is None
        queue.clock.pass_(5)
    job = await queue.jobs.get_job(job_id)
    assert (job.state, job.failures, job.deaths) == (JobState.FAILED, 1, 10)
    assert "crashed 10 times (the job itself failed 1 time)" in job.errors[-1].message
    await queue.tasks.resume(T1)
    job = await queue.jobs.get_job(job_id)
    assert (job.state, job.failures, job.deaths) == (JobState.QUEUED, 0, 0)


async def test_job_that_runs_alone_waits_until_its_worker_runs_nothing(queue: Queue) -> None:
    (deadly,) = await queue.add(new(priority=Priority.HIGH))
    for _ in range(3):
        await queue.jobs.take_back(RunningClaim((await queue.claimed()).claim, 0), DIED, queue.clock.ahead(5))
        await queue.add(new("other"))
        queue.clock.pass_(5)
    other = await queue.claimed(kind="other")
    # Not another job either: the worker would never be free.
    assert await queue.jobs.claim(ANA, ["toy", "other"]) is None
    following = await queue.jobs.finish_and_claim(other.claim, Payload(), ["toy", "other"])
    assert following is not None and following.id == deadly
    await queue.jobs.take_back(RunningClaim(following.claim, 0), DIED)
    await queue.claimed(kind="other")
    alone = await queue.claimed(BEN)
    assert alone.id == deadly and alone.deaths == 4


async def test_a_new_step_or_an_orderly_return_counts_as_no_failure(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    for page in range(5):
        job = await queue.claimed()
        taken = Payload.wrap(page)
        assert await queue.jobs.keep_step(job.claim, f"page {page}", taken) == taken
        await queue.jobs.take_back(RunningClaim(job.claim, 0), BROKEN)
    for _ in range(5):
        await queue.jobs.put_back((await queue.claimed()).claim)
    await queue.claimed()
    assert await queue.jobs.release_all(ANA) == 1
    assert await queue.jobs.release_all(ANA) == 0
    job = await queue.claimed()
    assert (job.failures, job.attempt, len(job.errors)) == (0, 12, 5)
    assert await queue.jobs.keep_step(job.claim, "page 0", Payload.wrap("again")) == Payload.wrap(0)
    await queue.jobs.take_back(RunningClaim(job.claim, 0), BROKEN)
    died = await queue.jobs.get_job(job_id)
    assert (died.failures, died.deaths) == (0, 1)
    assert await queue.jobs.list_steps(job_id) == {f"page {page}": Payload.wrap(page) for page in range(5)}


async def test_a_beat_saves_a_job_from_being_taken_back(queue: Queue) -> None:
    await queue.add(new())
    job = await queue.claimed()
    (seen,) = await queue.jobs.list_running()
    assert seen == RunningClaim(job.claim, 0)
    await queue.jobs.renew([job.claim])
    with pytest.raises(ClaimLost):
        await queue.jobs.take_back(seen, BROKEN)
    assert await queue.jobs.list_running() == [RunningClaim(job.claim, 1)]
    assert await queue.jobs.check_claims([job.claim]) == {job.claim: False}


async def test_what_was_no_failure_stands_in_the_history_alone(queue: Queue) -> None:
    await queue.add(new())
    for _ in range(MAX_FAILURES + 1):
        claim = (await queue.claimed()).claim
        await queue.jobs.put_back(claim, queue.clock.ahead(5), AWAY, is_failure=False)
        assert await queue.jobs.claim(ANA, ["toy"]) is None
        queue.clock.pass_(5)
    job = await queue.claimed()
    assert (job.failures, job.attempt) == (0, MAX_FAILURES + 2)
    assert [(error.attempt, error.code) for error in job.errors] == [
        (attempt, AWAY.code) for attempt in range(1, MAX_FAILURES + 2)
    ]


async def test_put_back_waits_for_its_time(queue: Queue) -> None:
    await queue.add(new())
    await queue.jobs.put_back((await queue.claimed()).claim, queue.clock.ahead(30))
    assert await queue.jobs.claim(BEN, ["toy"]) is None
    queue.clock.pass_(30)
    assert (await queue.claimed(BEN)).attempt == 2


async def parked(queue: Queue, children: int) -> tuple[Job, list[JobId]]:
    await queue.add(new("answer", priority=Priority.LOW))
    parent = await queue.claimed(kind="answer")
    spawned = list(
        await queue.jobs.spawn(parent.claim, [new(priority=Priority.LOW) for _ in range(children)])
    )
    assert await queue.jobs.park(parent.claim, queue.clock.ahead(100))
    return parent, spawned


async def test_failed_jobs_of_some_kinds_are_listed_part_by_part(queue: Queue) -> None:
    failed = []
    for kind in ("toy", "answer", "toy", "toy", "other"):
        await queue.add(new(kind))
        job = await queue.claimed(kind=kind)
        await queue.jobs.fail(job.claim, BROKEN)
        if kind != "other":
            failed.append(job.id)
    await queue.add(new("toy"))
    await queue.jobs.finish((await queue.claimed()).claim, Payload.wrap(1))
    await queue.add(new("toy"))
    kinds = ["toy", "answer"]
    first = await queue.jobs.list_failed(kinds, "", 3)
    rest = await queue.jobs.list_failed(kinds, first[-1].id, 3)
    assert [job.id for job in (*first, *rest)] == sorted(failed) and len(first) == 3
    assert all(job.state is JobState.FAILED for job in first)
    assert not await queue.jobs.list_failed([], "", 3)


async def test_the_end_of_its_last_child_queues_a_parked_job(queue: Queue) -> None:
    parent, (one, two) = await parked(queue, 2)
    children = await queue.jobs.list_children(parent.id)
    assert [(each.id, each.priority, each.cause_id) for each in children] == [
        (one, 10, parent.id),
        (two, 10, parent.id),
    ]
    await queue.jobs.finish((await queue.claimed()).claim, Payload.wrap(1))
    assert await queue.state(parent.id) is JobState.PARKED
    await queue.jobs.fail((await queue.claimed()).claim, BROKEN)
    job = await queue.jobs.get_job(parent.id)
    assert (job.state, job.not_before, job.failures) == (JobState.QUEUED, None, 0)
    assert (await queue.claimed(kind="answer")).attempt == 2


async def test_children_that_await_a_person_hold_nobody_up(queue: Queue) -> None:
    parent, _ = await parked(queue, 2)
    await queue.jobs.await_person((await queue.claimed()).claim, None, queue.clock.ahead(100), CAPTCHA)
    assert await queue.state(parent.id) is JobState.PARKED
    await queue.jobs.finish((await queue.claimed()).claim, Payload.wrap(1))
    assert await queue.state(parent.id) is JobState.QUEUED
    again = await queue.claimed(kind="answer")
    assert not await queue.jobs.park(again.claim, queue.clock.ahead(100))
    assert await queue.state(parent.id) is JobState.RUNNING


async def test_children_put_back_beyond_the_deadline_hold_nobody_up(queue: Queue) -> None:
    parent, _ = await parked(queue, 2)
    await queue.jobs.put_back((await queue.claimed()).claim, queue.clock.ahead(30))
    await queue.jobs.put_back((await queue.claimed()).claim, queue.clock.ahead(100))
    assert await queue.state(parent.id) is JobState.PARKED, "the first one will be back in time"
    queue.clock.pass_(30)
    await queue.jobs.put_back((await queue.claimed()).claim, queue.clock.ahead(1_800), BROKEN)
    assert await queue.state(parent.id) is JobState.QUEUED
    again = await queue.claimed(kind="answer")
    assert not await queue.jobs.park(again.claim, queue.clock.ahead(70))
    assert await queue.jobs.park(again.claim, queue.clock.ahead(90))


async def test_a_parked_job_goes_on_at_its_deadline(queue: Queue) -> None:
    parent, _ = await parked(queue, 1)
    assert await queue.jobs.expire() == 0
    queue.clock.pass_(100)
    assert await queue.jobs.expire() == 1
    assert await queue.state(parent.id) is JobState.QUEUED


async def test_spawning_again_adds_nothing(queue: Queue) -> None:
    await queue.add(new("answer"))
    parent = await queue.claimed(kind="answer")
    child = new(dedupe_key="子")
    assert list(await queue.jobs.spawn(parent.claim, [child])) == [child.id]
    assert list(await queue.jobs.spawn(parent.claim, [child, new(dedupe_key="子")])) == [child.id, child.id]
    assert len(await queue.jobs.list_children(parent.id)) == 1


async def test_a_person_comes_or_skips_or_does_not_come(queue: Queue) -> None:
    ids = await queue.add(*(new(id=name) for name in "abcd"))
    for name, output in zip("abcd", ({"pages": 1}, {"pages": 2}, {"pages": 3}, None), strict=True):
        met = HumanChallenge(name, f"{name}.example", f"https://{name}.example/", "captcha")
        await queue.jobs.await_person(
            (await queue.claimed()).claim, output and Payload.wrap(output), queue.clock.ahead(10_800), met
        )
    assert (await queue.tasks.get_task(T1)).state is TaskState.WAITING
    assert [one.job_id for one in await queue.interventions.skip(OWNER, AuthTarget.ITEM, "b-1")] == [ids[1]]
    assert await queue.interventions.skip(OWNER, AuthTarget.ITEM, "b-1") == []
    assert [one.job_id for one in await queue.interventions.complete(OWNER, AuthTarget.ITEM, "a-1")] == [
        ids[0]
    ]
    queue.clock.pass_(10_800)
    assert await queue.jobs.expire() == 2
    jobs = [await queue.jobs.get_job(each) for each in ids]
    assert [each.state for each in jobs] == [
        JobState.QUEUED,
        JobState.COMPLETED,
        JobState.COMPLETED,
        JobState.FAILED,
    ]
    assert [output_of(each) for each in jobs] == [None, {"pages": 2}, {"pages": 3}, None]
    assert jobs[3].errors[-1].code == "AUTH_REQUIRED"
    assert (await queue.claimed()).attempt == 2


async def one_of_each(queue: Queue) -> dict[JobState, JobId]:
    """A task with a job in every state."""
    (cancelled,) = await queue.add(new())
    await queue.tasks.stop(T1, StopMode.IMMEDIATE)
    made = {JobState.CANCELLED: cancelled}
    drivers: list[tuple[JobState, Verb]] = [
        (JobState.COMPLETED, FENCED["finish"]),
        (JobState.FAILED, FENCED["fail"]),
        (
            JobState.AWAITING_AUTH,
            lambda queue, claim: queue.jobs.await_person(claim, None, queue.clock.ahead(100), CAPTCHA),
        ),
        (JobState.RUNNING, FENCED["report"]),
    ]
    for state, drive in drivers:
        await queue.add(new())
        claim = (await queue.claimed()).claim
        await drive(queue, claim)
        made[state] = claim.job_id
    parent, children = await parked(queue, 1)
    return made | {JobState.PARKED: parent.id, JobState.QUEUED: children[0]}


async def test_graceful_lets_what_runs_finish(queue: Queue) -> None:
    made = await one_of_each(queue)
    halt = await queue.tasks.stop(T1, StopMode.GRACEFUL)
    assert halt.cancelled == {JobState.QUEUED: 1, JobState.PARKED: 1, JobState.AWAITING_AUTH: 1}
    assert halt.still_running == (made[JobState.RUNNING],)
    running = await queue.jobs.get_job(made[JobState.RUNNING])
    assert await queue.jobs.renew([running.claim]) == {running.claim: True}
    (orphan,) = await queue.jobs.spawn(running.claim, [new()])
    assert await queue.state(orphan) is JobState.CANCELLED
    await queue.jobs.finish(running.claim, Payload.wrap("whole"))
    assert output_of(await queue.jobs.get_job(running.id)) == "whole"
    assert (await queue.tasks.get_task(T1)).state is TaskState.STOPPED
    assert await queue.jobs.claim(ANA, ["toy", "answer"]) is None


async def test_immediate_cancels_what_runs(queue: Queue) -> None:
    made = await one_of_each(queue)
    running = await queue.jobs.get_job(made[JobState.RUNNING])
    halt = await queue.tasks.stop(T1, StopMode.IMMEDIATE)
    assert sum(halt.cancelled.values()) == 4 and halt.still_running == ()
    for state in (JobState.QUEUED, JobState.PARKED, JobState.AWAITING_AUTH, JobState.RUNNING):
        job = await queue.jobs.get_job(made[state])
        assert (job.state, job.output, job.not_before) == (JobState.CANCELLED, None, None)
    with pytest.raises(ClaimLost):
        await queue.jobs.finish(running.claim, Payload.wrap("late"))
    resumed = await queue.tasks.resume(T1)
    assert set(resumed) == {each for state, each in made.items() if state is not JobState.COMPLETED}
    with pytest.raises(ClaimLost):
        await queue.jobs.finish(running.claim, Payload.wrap("late"))
    assert (await queue.tasks.get_task(T1)).state is TaskState.RUNNING


@pytest.mark.parametrize(
    "verb", ["put_back", "put_back counted", "put_back noted", "take_back", "await_person"]
)
async def test_who_was_asked_to_stop_is_not_queued_again(queue: Queue, verb: str) -> None:
    (job_id,) = await queue.add(new())
    claim = (await queue.claimed()).claim
    await queue.tasks.stop(T1, StopMode.GRACEFUL)
    await FENCED[verb](queue, claim)
    assert await queue.state(job_id) is JobState.CANCELLED
    assert (await queue.tasks.get_task(T1)).state is TaskState.STOPPED


async def test_resuming_takes_back_what_was_asked_of_running_jobs(queue: Queue) -> None:
    (job_id,) = await queue.add(new())
    claim = (await queue.claimed()).claim
    await queue.tasks.stop(T1, StopMode.GRACEFUL)
    assert await queue.tasks.resume(T1) == []
    assert await queue.jobs.check_claims([claim]) == {claim: False}
    await queue.jobs.put_back(claim)
    assert await queue.state(job_id) is JobState.QUEUED


async def spawn_and_park(queue: Queue, claim: Claim) -> None:
    await queue.jobs.spawn(claim, [new()])
    await queue.jobs.park(claim, queue.clock.ahead(60))


def item(claim: Claim) -> str:
    return make_intervention_id(claim.job_id, claim.attempt)


OTHERS: dict[str, Verb] = {
    "spawn and park": spawn_and_park,
    "claim": lambda queue, claim: queue.jobs.claim(BEN, ["toy", "answer"]),
    "stop": lambda queue, claim: queue.tasks.stop(T1, StopMode.IMMEDIATE),
    "resume": lambda queue, claim: queue.tasks.resume(T1),
    "complete": lambda queue, claim: queue.interventions.complete(OWNER, AuthTarget.ITEM, item(claim)),
    "skip": lambda queue, claim: queue.interventions.skip(OWNER, AuthTarget.ITEM, item(claim)),
    "expire": lambda queue, claim: queue.jobs.expire(),
}


@pytest.mark.slow
async def test_states_change_by_the_legal_moves_and_by_no_others(tmp_path: Path) -> None:
    """Try every verb on a job of every state: the moves are exactly those of the table."""
    met: set[tuple[JobState, JobState]] = set()
    for verb, call in (FENCED | OTHERS).items():
        async with opened("embedded", tmp_path / verb) as queue:
            made = await one_of_each(queue)
            queue.clock.pass_(1000 if verb == "expire" else 0)
            for job_id in made.values():
                before = {each: await queue.state(each) for each in made.values()}
                try:
                    await call(queue, (await queue.jobs.get_job(job_id)).claim)
                except ClaimLost:
                    assert before == {each: await queue.state(each) for each in made.values()}
                after = {each: await queue.state(each) for each in made.values()}
                met |= {(before[each], after[each]) for each in before if before[each] is not after[each]}
                await consistent(queue)
    assert met == {(old, state) for old, states in MOVES.items() for state in states}


async def consistent(queue: Queue) -> None:
    """Revisions without a gap, an event for every state, counts that agree with the jobs."""
    task = await queue.tasks.get_task(T1)
    events = await queue.tasks.list_events(T1, limit=1000)
    assert [each.revision for each in events] == list(range(1, task.revision + 1))
    last = {each.job_id: each.kind for each in events if each.kind in set(JobState)}
    jobs = (await queue.tasks.take_snapshot(T1)).jobs
    assert last == {each.id: each.state for each in jobs}
    for state in JobState:
        assert task.jobs.get(state, 0) == sum(each.state is state for each in jobs)
    for job in jobs:
        assert (job.finished_at is not None) == (job.state in ENDED)
    awaiting = {each.id: each.not_before for each in jobs if each.state is JobState.AWAITING_AUTH}
    assert {one.job_id: one.expires_at for one in await queue.interventions.list_waiting(OWNER)} == awaiting


async def test_every_move_rings_after_its_commit(queue: Queue) -> None:
    (job_id,) = await queue.add(new(), task="t1")
    steps: list[tuple[str, Callable[[], Awaitable[object]]]] = [
        ("running", lambda: queue.jobs.claim(ANA, ["toy"])),
        ("progress", lambda: queue.jobs.report(Claim(job_id, 1, ANA), Payload.wrap({"pages": 1}))),
        ("stop_asked", lambda: queue.tasks.stop(T1, StopMode.GRACEFUL)),
        ("cancelled", lambda: queue.tasks.stop(T1, StopMode.IMMEDIATE)),
        ("queued", lambda: queue.tasks.resume(T1)),
        ("running", lambda: queue.jobs.claim(ANA, ["toy"])),
        ("failed", lambda: queue.jobs.fail(Claim(job_id, 2, ANA), BROKEN)),
    ]
    for kind, move in steps:
        with queue.notifier.subscribe(T1) as by_task, queue.notifier.subscribe(kind) as by_kind:
            while await by_task.wait(0.05):  # the last move may ring a second time, from the file
                pass
            seen = asyncio.create_task(heard_at(queue, by_task.wait(PATIENCE)))
            await move()
            assert await seen == kind
            assert await by_kind.wait(PATIENCE)
    assert queue.notifier.listening == 0


async def heard_at(queue: Queue, ringing: Awaitable[bool]) -> str:
    """The latest event at the moment of the notification."""
    assert await ringing
    return (await queue.tasks.list_events(T1))[-1].kind


async def test_a_budget_is_checked_before_it_is_spent(queue: Queue) -> None:
    await queue.tasks.enqueue(NewTask(T1, OWNER, budget={"max_pages": 3}), [new()])
    claim = (await queue.claimed()).claim
    assert await queue.jobs.charge(claim, {"pages": 2, "seconds": 9.5})
    assert not await queue.jobs.charge(claim, {"pages": 2, "seconds": 1})
    assert await queue.jobs.charge(claim, {"pages": 1})
    assert (await queue.tasks.get_task(T1)).spent == {"pages": 3, "seconds": 9.5}


async def test_durations_of_the_latest_completed_jobs(queue: Queue) -> None:
    await queue.add(new(), new(), new("fetch"), new())
    for seconds in (2, 5):
        claim = (await queue.claimed()).claim
        queue.clock.pass_(seconds)
        await queue.jobs.finish(claim, Payload.wrap(None))
    await queue.jobs.fail((await queue.claimed()).claim, BROKEN)
    assert list(await queue.tasks.list_durations("toy")) == [5, 2]
    assert list(await queue.tasks.list_durations("toy", limit=1)) == [5]
    assert list(await queue.tasks.list_durations("fetch")) == []


async def test_tasks_are_listed_newest_first_and_found_by_prefix(queue: Queue) -> None:
    for number in range(5):
        await queue.add(*[new()] * (number % 2), task=f"{number}abc")
        queue.clock.pass_(1)
    await queue.tasks.open(NewTask(TaskId("0other"), "someone"))
    first = await queue.tasks.list_tasks(OWNER, limit=2)
    assert [each.id for each in first] == ["4abc", "3abc"]
    assert [each.id for each in await queue.tasks.list_tasks(OWNER, after=first[-1].id)] == [
        "2abc",
        "1abc",
        "0abc",
    ]
    assert [each.id for each in await queue.tasks.list_tasks(OWNER, [TaskState.RUNNING])] == ["3abc", "1abc"]
    assert await queue.tasks.find("0", OWNER) == "0abc"
    assert await queue.tasks.find("last", OWNER) == "4abc"
    for prefix in ("9", "0o"):
        with pytest.raises(TaskNotFound):
            await queue.tasks.find(prefix, OWNER)


async def test_a_blank_names_no_task_though_there_is_one(queue: Queue) -> None:
    await queue.tasks.open(NewTask(T1, OWNER))
    for blank in ("", " "):
        with pytest.raises(InvalidParams, match="The id of the task is blank"):
            await queue.tasks.find(blank, OWNER)


async def test_a_snapshot_is_read_in_pages(queue: Queue) -> None:
    ids = await queue.add(*(new(id=f"{number:02}") for number in range(7)))
    one = await queue.tasks.take_snapshot(T1, limit=5)
    two = await queue.tasks.take_snapshot(T1, after=one.jobs[-1].id, limit=5)
    assert [each.id for each in (*one.jobs, *two.jobs)] == list(ids)
    assert (one.more, two.more, one.task.revision) == (True, False, 7)
    assert [each.revision for each in await queue.tasks.list_events(T1, after=3, limit=2)] == [4, 5]


async def test_removing_a_task_leaves_nothing_of_it_and_all_of_others(queue: Queue) -> None:
    await one_of_each(queue)
    (kept,) = await queue.add(new(), task="other")
    before = len((await queue.tasks.take_snapshot(T1)).jobs)
    assert (await queue.tasks.remove(T1)).jobs == before
    for call in (
        queue.tasks.get_task,
        queue.tasks.take_snapshot,
        queue.tasks.list_events,
        queue.tasks.resume,
        queue.tasks.remove,
    ):
        with pytest.raises(TaskNotFound):
            await call(T1)
    assert await queue.state(kept) is JobState.QUEUED
    assert (await queue.claimed()).id == kept


async def test_claimers_at_once_never_share_a_job_and_keep_the_order(queue: Queue) -> None:
    wanted = []
    for number in range(60):
        (job_id,) = await queue.add(new(priority=(10, 50, 90)[number % 3]))
        wanted.append(((10, 50, 90)[number % 3], number, job_id))
        queue.clock.pass_(0.001)
    order = [job_id for _, _, job_id in sorted(wanted)]

    async def claimer() -> list[int]:
        places = []
        while (job := await queue.jobs.claim(ANA, ["toy"])) is not None:
            places.append(order.index(job.id))
        return places

    taken = await asyncio.gather(*(claimer() for _ in range(4)))
    assert sorted(chain(*taken)) == [*range(60)]
    assert all(places == sorted(places) for places in taken)


async def test_of_due_jobs_the_owner_with_the_fewest_running_goes_first(queue: Queue) -> None:
    async def add(owner: str, task: str, *jobs: NewJob) -> None:
        await queue.tasks.enqueue(NewTask(TaskId(task), owner), jobs)

    await add("hanako", "many", *(new(id=f"many{number}", priority=Priority.HIGH) for number in range(5)))
    queue.clock.pass_(1)
    await add("taro", "two", new(id="two0"), new(id="two1"))
    await add("jiro", "later", new(id="later", not_before=queue.clock.ahead(60)))
    await add("saburo", "other", new("other"))
    queue.clock.pass_(1)
    claimed = [await queue.claimed() for _ in range(5)]
    assert [job.id for job in claimed] == ["many0", "two0", "many1", "two1", "many2"]
    # hanako has three at work, taro two, and then one
    await add("taro", "more", new(id="more0"), new(id="more1"))
    assert (await queue.claimed()).id == "more0"
    following = await queue.jobs.finish_and_claim(claimed[1].claim, Payload(), ["toy"])
    assert following is not None and following.id == "more1"
    queue.clock.pass_(60)
    assert (await queue.claimed()).id == "later"
    assert [(await queue.claimed()).id for _ in range(2)] == ["many3", "many4"]


async def test_a_job_of_one_owner_is_found_behind_many_of_another(queue: Queue) -> None:
    """Two workers take jobs of two owners in turn, whoever came first."""
    await queue.tasks.enqueue(NewTask(TaskId("flood"), "hanako"), [new() for _ in range(200)])
    queue.clock.pass_(1)
    await queue.tasks.enqueue(NewTask(TaskId("one"), "taro"), [new(id="one")])
    await queue.claimed(ANA)
    assert (await queue.claimed(BEN)).id == "one"


async def test_of_many_owners_the_fairest_is_found_as_of_few(queue: Queue) -> None:
    """Each claim is compared with the rule read over all queued jobs, while some run, wait or end."""
    draw = Random(7)
    waiting: dict[str, tuple[int, int, str]] = {}
    for number in range(150):
        owner = f"owner{draw.randrange(30):02}"
        priority = draw.choice([Priority.HIGH, Priority.MEDIUM, Priority.LOW])
        later = queue.clock.ahead(3600) if draw.random() < 0.2 else None
        (job_id,) = (
            await queue.tasks.enqueue(
                NewTask(TaskId(f"task{number}"), owner),
                [new("toy" if draw.random() < 0.9 else "other", priority=priority, not_before=later)],
            )
        ).job_ids
        job = await queue.jobs.get_job(job_id)
        if later is None and job.kind == "toy":
            waiting[job_id] = (priority, number, owner)
        queue.clock.pass_(0.001)
    running: list[tuple[Job, str]] = []
    while waiting:
        at_work = Counter(owner for _, owner in running)
        first = min(waiting, key=lambda one: (at_work[waiting[one][2]], *waiting[one][:2]))
        claimed = await queue.claimed()
        assert claimed.id == first
        running.append((claimed, waiting.pop(first)[2]))
        if len(running) > 60 or draw.random() < 0.2:
            ended, _ = running.pop(draw.randrange(len(running)))
            await queue.jobs.finish(ended.claim, Payload())
    assert await queue.jobs.claim(ANA, ["toy"]) is None
