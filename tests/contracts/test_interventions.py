"""What every queue promises of what waits for a person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from shisho.domain.codec import Payload, dumps
from shisho.domain.event import EventFacts, EventKind
from shisho.domain.intervention import AuthTarget, HumanChallenge, InterventionState, make_intervention_id
from shisho.domain.job import ClaimLost, JobId, JobState, NewTask, StopMode, TaskId
from tests.machine import PATIENCE
from tests.queues import ANA, CAPTCHA, OWNER, Queue, new, opened

ITEM, DOMAIN, TASK = AuthTarget
OTHER = HumanChallenge("other", "other.example", "https://other.example/", "consent")
CONSENT = HumanChallenge(CAPTCHA.engine, "consent.example", "https://consent.example/", "consent")
THREE_HOURS = 10_800.0
REACHED = Payload.wrap({"paging_stop": "CHALLENGE"})


@pytest.fixture(params=["embedded", "postgres"])
async def queue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Queue]:
    async with opened(request.param, tmp_path) as made:
        yield made


async def held(
    queue: Queue,
    met: HumanChallenge = CAPTCHA,
    task: str = "t1",
    output: Payload | None = None,
    owner: str = OWNER,
) -> str:
    """The id of a new job's intervention."""
    (job_id,) = (await queue.tasks.enqueue(NewTask(TaskId(task), owner), [new()])).job_ids
    job = await queue.claimed()
    await queue.jobs.await_person(job.claim, output, queue.clock.ahead(THREE_HOURS), met)
    queue.clock.pass_(1)
    return make_intervention_id(job_id, job.attempt)


def job_of(item: str) -> JobId:
    return JobId(item.rpartition("-")[0])


async def test_it_says_what_waits_where_and_until_when(queue: Queue) -> None:
    at = queue.clock.now()
    until = queue.clock.ahead(THREE_HOURS)
    item = await held(queue)
    second = await held(queue, OTHER, "t2")
    one, two = await queue.interventions.list_waiting(OWNER)
    assert (one.id, one.job_id, one.task_id, one.met) == (item, job_of(item), "t1", CAPTCHA)
    assert (one.state, one.since, one.expires_at) == (InterventionState.PENDING, at, until)
    assert two.id == second and list(await queue.interventions.list_waiting(OWNER, TaskId("t2"))) == [two]
    assert list(await queue.interventions.list_waiting("stranger")) == []
    event = (await queue.tasks.list_events(TaskId("t1")))[-1]
    told = EventFacts(engine="memory", domain="memory.example", proof="captcha")
    assert (event.kind, event.facts) == (EventKind.AWAITING_AUTH, told)


async def test_one_solution_frees_all_that_the_domain_or_the_engine_holds(queue: Queue) -> None:
    mine = [await held(queue), await held(queue, CONSENT, "t2", REACHED), await held(queue, task="t3")]
    apart = await held(queue, OTHER, "t2")
    stranger = await held(queue, task="theirs", owner="stranger")
    with queue.notifier.subscribe("queued") as subscription:
        ended = await queue.interventions.complete(OWNER, ITEM, mine[1])
        assert await subscription.wait(PATIENCE)
    assert [one.id for one in ended] == mine
    for item in mine:
        job = await queue.jobs.get_job(job_of(item))
        assert (job.state, job.output, job.not_before) == (JobState.QUEUED, None, None)
    assert [one.id for one in await queue.interventions.list_waiting(OWNER)] == [apart]
    assert [one.id for one in await queue.interventions.list_waiting("stranger")] == [stranger]
    assert list(await queue.interventions.complete(OWNER, ITEM, mine[1])) == []
    assert list(await queue.interventions.complete(OWNER, ITEM, stranger)) == []


@pytest.mark.parametrize(("target", "name"), [(DOMAIN, CAPTCHA.domain), (TASK, "t1")])
async def test_by_domain_and_by_task(queue: Queue, target: AuthTarget, name: str) -> None:
    mine = {await held(queue), await held(queue, task="t2")}
    await held(queue, OTHER, "t2")
    assert {one.id for one in await queue.interventions.complete(OWNER, target, name)} == mine


@pytest.mark.parametrize(
    ("target", "name", "skipped"), [(DOMAIN, CAPTCHA.domain, 2), (TASK, "t1", 1), (ITEM, "", 1)]
)
async def test_what_is_skipped_is_only_what_is_named(
    queue: Queue, target: AuthTarget, name: str, skipped: int
) -> None:
    first = await held(queue, output=REACHED)
    await held(queue, task="t2", output=REACHED)
    ended = await queue.interventions.skip(OWNER, target, name or first)
    assert len(ended) == skipped and ended[0].id == first
    job = await queue.jobs.get_job(job_of(first))
    assert (job.state, job.output) == (JobState.COMPLETED, REACHED)
    assert len(await queue.interventions.list_waiting(OWNER)) == 2 - skipped
    assert list(await queue.interventions.skip(OWNER, target, name or first)) == []


async def test_an_engine_that_answers_again_frees_what_it_held(queue: Queue) -> None:
    assert await queue.interventions.find_pending(OWNER, "memory") is None
    assert list(await queue.interventions.list_solved(OWNER, "memory")) == []
    mine = [await held(queue), await held(queue, CONSENT, "t2")]
    apart = await held(queue, OTHER)
    assert await queue.interventions.find_pending(OWNER, "memory") == CONSENT
    assert await queue.interventions.find_pending("stranger", "memory") is None
    assert [one.id for one in await queue.interventions.list_solved(OWNER, "memory")] == mine
    assert await queue.interventions.find_pending(OWNER, "memory") is None
    assert [one.id for one in await queue.interventions.list_waiting(OWNER)] == [apart]


async def test_how_it_ended_is_in_the_events(queue: Queue) -> None:
    done = await held(queue, OTHER)
    await queue.interventions.complete(OWNER, ITEM, done)
    await queue.claimed()
    await queue.interventions.skip(OWNER, ITEM, await held(queue))
    await held(queue)
    queue.clock.pass_(THREE_HOURS)
    await queue.jobs.expire()
    await held(queue)
    await queue.tasks.stop(TaskId("t1"), StopMode.IMMEDIATE)
    events = await queue.tasks.list_events(TaskId("t1"))
    ends = [(each.kind, each.facts.person) for each in events if each.facts.person]
    wanted = [
        ("queued", "completed"),
        ("completed", "skipped"),
        ("failed", "expired"),
        ("cancelled", "cancelled"),
    ]
    assert ends == wanted


async def test_another_job_joins_and_goes_with_the_first(queue: Queue) -> None:
    first = await held(queue)
    met = await queue.interventions.find_pending(OWNER, "memory")
    assert met is not None
    second = await held(queue, met, "t2")
    assert [one.id for one in await queue.interventions.complete(OWNER, ITEM, first)] == [first, second]


async def test_in_progress_is_said_of_all_that_belong_together_and_taken_back(queue: Queue) -> None:
    first = await held(queue)
    _ = await held(queue, task="t2")
    apart = await held(queue, OTHER)

    async def states() -> list[tuple[str, str]]:
        return [(one.domain, one.state) for one in await queue.interventions.list_waiting(OWNER)]

    before = (await queue.tasks.get_task(TaskId("t2"))).revision
    await queue.interventions.mark(OWNER, ITEM, first, InterventionState.IN_PROGRESS)
    assert await states() == [*[(CAPTCHA.domain, "in_progress")] * 2, (OTHER.domain, "pending")]
    assert (await queue.tasks.get_task(TaskId("t2"))).revision == before + 1
    await queue.interventions.mark(OWNER, ITEM, first, InterventionState.PENDING)
    assert {state for _, state in await states()} == {"pending"}
    await queue.interventions.mark(OWNER, ITEM, apart, InterventionState.IN_PROGRESS)
    assert [one.id for one in await queue.interventions.complete(OWNER, ITEM, apart)] == [apart]


@pytest.mark.parametrize("mode", StopMode)
async def test_stopping_and_removing_a_task_end_its_own_and_no_others(queue: Queue, mode: StopMode) -> None:
    await held(queue)
    apart = await held(queue, task="t2")
    await queue.tasks.stop(TaskId("t1"), mode)
    assert [one.id for one in await queue.interventions.list_waiting(OWNER)] == [apart]
    await queue.tasks.remove(TaskId("t1"))
    await queue.tasks.remove(TaskId("t2"))
    assert list(await queue.interventions.list_waiting(OWNER)) == []


async def test_a_stopped_job_that_is_resumed_may_wait_again(queue: Queue) -> None:
    first = await held(queue)
    await queue.tasks.stop(TaskId("t1"), StopMode.GRACEFUL)
    await queue.tasks.resume(TaskId("t1"))
    job = await queue.claimed()
    await queue.jobs.await_person(job.claim, None, queue.clock.ahead(60), CAPTCHA)
    (one,) = await queue.interventions.list_waiting(OWNER)
    assert (one.job_id, one.id) == (job_of(first), make_intervention_id(job.id, 2))


async def test_nobody_came(queue: Queue) -> None:
    rich = await held(queue, output=REACHED)
    poor = await held(queue)
    queue.clock.pass_(THREE_HOURS - 10)
    assert await queue.jobs.expire() == 0
    queue.clock.pass_(10)
    assert await queue.jobs.expire() == 2
    jobs = [await queue.jobs.get_job(job_of(each)) for each in (rich, poor)]
    assert [(each.state, each.output) for each in jobs] == [
        (JobState.COMPLETED, REACHED),
        (JobState.FAILED, None),
    ]
    assert jobs[1].errors[-1].code == "AUTH_REQUIRED"
    assert list(await queue.interventions.list_waiting(OWNER)) == []
    assert list(await queue.interventions.complete(OWNER, DOMAIN, CAPTCHA.domain)) == []


async def test_who_was_asked_to_stop_and_who_is_stale_raise_nothing(queue: Queue) -> None:
    await queue.add(new())
    claim = (await queue.claimed(ANA)).claim
    await queue.tasks.stop(TaskId("t1"), StopMode.GRACEFUL)
    await queue.jobs.await_person(claim, None, queue.clock.ahead(60), CAPTCHA)
    with pytest.raises(ClaimLost):
        await queue.jobs.await_person(claim, None, queue.clock.ahead(60), CAPTCHA)
    assert list(await queue.interventions.list_waiting(OWNER)) == []


async def test_the_desktop_is_told_of_each_domain_once(queue: Queue) -> None:
    first = await held(queue)
    _ = await held(queue, task="t2")
    apart = await held(queue, OTHER)
    assert {one.domain for one in await queue.interventions.take_unannounced(OWNER)} == {
        CAPTCHA.domain,
        OTHER.domain,
    }
    await held(queue, task="t3")
    assert list(await queue.interventions.take_unannounced(OWNER)) == []
    await queue.interventions.skip(OWNER, ITEM, apart)
    await queue.interventions.skip(OWNER, ITEM, first)
    await held(queue)
    assert list(await queue.interventions.take_unannounced(OWNER)) == [], "others of its domain wait still"
    again = await held(queue, OTHER)
    assert [one.id for one in await queue.interventions.take_unannounced(OWNER)] == [again]


async def test_what_waited_before_there_was_a_table_waits_on(tmp_path: Path) -> None:
    async with opened("embedded", tmp_path) as queue:
        item = await held(queue)
        await held(queue, OTHER, "t2")
    facts = {
        "engine": "memory",
        "domain": "memory.example",
        "url": "https://memory.example/",
        "kind": "login",
    }
    with closing(apsw.Connection(str(tmp_path / "shisho.db"))) as connection:
        connection.execute("DROP TABLE interventions")
        connection.execute("DELETE FROM migrations WHERE name LIKE '%interventions.sql'")
        connection.execute(
            "UPDATE jobs SET progress_json = ? WHERE task_id = 't1'", (dumps({"challenge": facts}),)
        )
    async with opened("embedded", tmp_path) as queue:
        one, two = await queue.interventions.list_waiting(OWNER)
        assert (one.id, one.met) == (
            item,
            HumanChallenge("memory", "memory.example", "https://memory.example/", "login"),
        )
        assert (two.domain, two.state) == ("", InterventionState.PENDING)
        assert [each.id for each in await queue.interventions.complete(OWNER, TASK, "t1")] == [item]
