"""Workers over a real database: what they run, how they wait, how they stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import pytest

from shisho.domain.codec import Payload
from shisho.domain.intervention import AuthTarget
from shisho.domain.job import (
    ENDED,
    MAX_DEATHS,
    Claim,
    Job,
    JobId,
    JobState,
    NewTask,
    Priority,
    RunningClaim,
    StopMode,
    TaskId,
    TaskState,
    WorkerId,
)
from shisho.domain.payloads import SearchOutcome, SearchProgress
from shisho.domain.time import add_seconds
from shisho.domain.web import PagingStop
from shisho.errors import DocumentUnreadable, StoreUnavailable, TimedOut
from shisho.jobs.context import Handler, JobContext
from shisho.jobs.timing import WorkerTiming
from shisho.jobs.worker import DIED, Worker
from shisho.ports import JobStore
from shisho.stores.presence import FilePresence
from shisho.system.clock import SystemClock
from tests.clocks import TwoHands
from tests.machine import PATIENCE
from tests.queues import CAPTCHA, OWNER, Queue, input_of, new, opened, output_of
from tests.web.browsing import until

T1 = TaskId("t1")
QUICK = WorkerTiming(beat=0.1, cut_off=0.4, silence=0.8, look=0.05, idle=0.05)
# What a worker does within the patience of a test it does because it was notified: by itself it looks later.
ONLY_NOTIFIED = replace(
    QUICK, beat=10 * PATIENCE, idle=10 * PATIENCE, cut_off=20 * PATIENCE, silence=30 * PATIENCE
)


@dataclass(frozen=True)
class Works(Queue):
    """A queue by the system's clock, and workers on it."""

    presence: FilePresence = field(kw_only=True)

    def worker(self, handlers: Mapping[str, Handler], slots: int = 2, pace: WorkerTiming = QUICK) -> Worker:
        return Worker(
            self.jobs, self.notifier, self.presence, SystemClock(), handlers, slots=slots, pace=pace
        )

    async def jobs_of(self, count: int = 1, kind: str = "toy", **fields: object) -> tuple[JobId, ...]:
        jobs = [new(kind, **fields) for _ in range(count)]
        return (await self.tasks.enqueue(NewTask(T1, OWNER, budget={"max_pages": 3}), jobs)).job_ids

    async def ended(self, job_id: JobId) -> Job:
        return await self.until(job_id, *ENDED)


@asynccontextmanager
async def opened_works(folder: Path) -> AsyncIterator[Works]:
    clock = SystemClock()
    async with opened("embedded", folder, clock) as queue:
        parts = {each.name: getattr(queue, each.name) for each in fields(queue)}
        yield Works(**parts, presence=FilePresence(folder / "workers"))


@pytest.fixture
async def works(tmp_path: Path) -> AsyncIterator[Works]:
    async with opened_works(tmp_path) as made:
        yield made


async def forever(job: Job, context: JobContext) -> None:
    await asyncio.sleep(3600)


async def echo(job: Job, context: JobContext) -> object:
    return {"said": input_of(job)}


async def test_a_job_is_done_and_its_output_kept(works: Works) -> None:
    async with works.worker({"toy": echo}):
        (early,) = await works.jobs_of(input={"query": "回帰"})
        job = await works.ended(early)
    assert (job.state, output_of(job), job.attempt) == (JobState.COMPLETED, {"said": {"query": "回帰"}}, 1)
    assert (await works.tasks.get_task(T1)).state is TaskState.COMPLETED


@dataclass
class LosingReplies:
    """The jobs of a store whose first replies to a claim are lost on their way."""

    jobs: JobStore
    left: int

    def __getattr__(self, verb: str) -> object:
        return getattr(self.jobs, verb)

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        claimed = await self.jobs.claim(worker_id, kinds)
        if claimed is None or not self.left:
            return claimed
        self.left -= 1
        return None


async def test_job_whose_claim_was_never_heard_of_is_given_back_and_has_not_failed(works: Works) -> None:
    pace = replace(QUICK, silence=PATIENCE)
    jobs = LosingReplies(works.jobs, 4)  # the third failure would be for good
    (job_id,) = await works.jobs_of()
    worker = Worker(jobs, works.notifier, works.presence, SystemClock(), {"toy": echo}, pace=pace)  # type: ignore[arg-type]
    async with worker:
        job = await works.ended(job_id)
    assert (job.state, job.attempt, job.errors) == (JobState.COMPLETED, 5, ())


@dataclass
class LateReplies:
    """The jobs of a store whose replies to an end are on their way until the worker has beaten in between."""

    jobs: JobStore
    beaten: asyncio.Event = field(default_factory=asyncio.Event)

    def __getattr__(self, verb: str) -> object:
        return getattr(self.jobs, verb)

    async def renew(self, claims: Sequence[Claim]) -> Mapping[Claim, bool]:
        renewed = await self.jobs.renew(claims)
        self.beaten.set()
        return renewed

    async def finish_and_claim(self, claim: Claim, output: Payload, kinds: Sequence[str]) -> Job | None:
        following = await self.jobs.finish_and_claim(claim, output, kinds)
        for _ in range(2):  # the first may have asked before the end
            self.beaten.clear()
            await self.beaten.wait()
        return following


async def test_job_that_ends_between_two_beats_does_not_take_the_next_with_it(works: Works) -> None:
    jobs = LateReplies(works.jobs)
    ids = await works.jobs_of(3)
    worker = Worker(jobs, works.notifier, works.presence, SystemClock(), {"toy": echo}, slots=1, pace=QUICK)  # type: ignore[arg-type]
    async with worker:
        ended = [await works.ended(job_id) for job_id in ids]
    assert [(job.state, job.attempt) for job in ended] == [(JobState.COMPLETED, 1)] * 3


async def test_steps_are_done_once_however_often_the_job_is_run(works: Works) -> None:
    done: list[str] = []

    async def fragile(job: Job, context: JobContext) -> list[object]:
        found = []
        for page in range(3):

            async def visit(page: int = page) -> dict[str, int]:
                done.append(f"page {page}")
                return {"page": page}

            found.append(await context.step(f"page {page}", dict[str, int], visit))
            if job.attempt == page + 1:
                raise TimedOut("遅い")
        return found

    async with works.worker({"toy": fragile}):
        (job_id,) = await works.jobs_of()
        job = await works.ended(job_id)
    assert output_of(job) == [{"page": 0}, {"page": 1}, {"page": 2}]
    assert done == ["page 0", "page 1", "page 2"]
    assert (job.attempt, job.failures, [each.code for each in job.errors]) == (4, 0, ["TIMEOUT"] * 3)


async def test_what_cannot_succeed_fails_at_once_and_what_might_is_tried_three_times(works: Works) -> None:
    async def unreadable(job: Job, context: JobContext) -> None:
        raise DocumentUnreadable("読めない", page=3)

    async def broken(job: Job, context: JobContext) -> None:
        raise ZeroDivisionError

    async def unspeakable(job: Job, context: JobContext) -> float:
        return float("nan")

    async with works.worker({"a": unreadable, "b": broken, "c": unspeakable}, slots=3):
        ids = [(await works.jobs_of(kind=kind))[0] for kind in "abc"]
        one, two, three = [await works.ended(each) for each in ids]
    assert (one.state, one.attempt, one.errors[0].code) == (JobState.FAILED, 1, "DOCUMENT_UNREADABLE")
    assert (one.errors[0].details.read(dict), one.errors[0].message) == ({"page": 3}, "読めない")
    assert (two.state, two.attempt, len(two.errors)) == (JobState.FAILED, 3, 4)
    assert "ZeroDivisionError" in two.errors[0].message and "Gave up" in two.errors[-1].message
    assert (three.state, three.attempt) == (JobState.FAILED, 3)


async def test_what_has_failed_for_good_is_forgotten_and_nothing_else(works: Works) -> None:
    forgotten: list[JobId] = []

    async def unreadable(job: Job, context: JobContext) -> None:
        raise DocumentUnreadable("読めない")

    async def broken(job: Job, context: JobContext) -> None:
        raise ZeroDivisionError

    async def forget(job: Job) -> None:
        assert job.state is JobState.FAILED
        forgotten.append(job.id)

    (deadly,) = await works.jobs_of(kind="died")
    for _ in range(MAX_DEATHS - 1):
        gone = await works.claimed(WorkerId("gone"), "died")
        await works.jobs.take_back(RunningClaim(gone.claim, 0), DIED)
    assert await works.jobs.claim(WorkerId("gone"), ["died"])
    handlers = {"unreadable": unreadable, "broken": broken, "died": forever, "toy": echo}
    ids = [(await works.jobs_of(kind=kind))[0] for kind in ("unreadable", "broken", "toy")]
    async with Worker(
        works.jobs, works.notifier, works.presence, SystemClock(), handlers, pace=QUICK, forget=forget
    ):
        states = [(await works.ended(each)).state for each in (*ids, deadly)]
        assert states == [JobState.FAILED, JobState.FAILED, JobState.COMPLETED, JobState.FAILED]
        assert await until(lambda: len(set(forgotten)) == 3)
    # Twice where the worker's sweep finds a job that has just failed.
    assert set(forgotten) == {*ids[:2], deadly}


async def test_what_nobody_has_forgotten_is_forgotten_by_who_comes_next(works: Works) -> None:
    async def unreadable(job: Job, context: JobContext) -> None:
        raise DocumentUnreadable("読めない")

    async with works.worker({"unreadable": unreadable, "toy": echo}):
        ids = [(await works.jobs_of(kind=kind))[0] for kind in ("unreadable", "toy", "unreadable")]
        for each in ids:
            await works.ended(each)
    forgotten: list[JobId] = []

    async def forget(job: Job) -> None:
        forgotten.append(job.id)
        raise TypeError("a payload of another version")

    async with Worker(
        works.jobs,
        works.notifier,
        works.presence,
        SystemClock(),
        {"unreadable": unreadable},
        pace=QUICK,
        forget=forget,
    ):
        assert await until(lambda: len(forgotten) == 2)
    assert sorted(forgotten) == sorted([ids[0], ids[2]])


async def toy_child(job: Job, context: JobContext) -> int:
    await asyncio.sleep(0.02)
    return int(input_of(job)["n"]) ** 2


async def toy_parent(job: Job, context: JobContext) -> int:
    children = [new("child", id=f"{job.id}-{n}", input={"n": n}) for n in range(3)]
    await context.spawn(*children)
    await context.park(60)
    return sum(output_of(each) for each in await context.list_children())


async def test_four_parents_on_two_workers_all_finish(works: Works) -> None:
    async with works.worker({"parent": toy_parent, "child": toy_child}):
        parents = await works.jobs_of(4, "parent")
        jobs = [await works.ended(each) for each in parents]
    assert [output_of(job) for job in jobs] == [5] * 4
    assert all(job.attempt == 2 and job.failures == 0 for job in jobs)
    assert (await works.tasks.get_task(T1)).jobs == {JobState.COMPLETED: 16}


async def test_a_parent_goes_on_without_the_child_that_does_not_come(works: Works) -> None:
    async def parent(job: Job, context: JobContext) -> list[str]:
        await context.spawn(new("never", id="child"))
        if job.attempt == 1:
            await context.park(0.2)
        return [each.state for each in await context.list_children()]

    async with works.worker({"parent": parent}):
        (job_id,) = await works.jobs_of(kind="parent")
        assert output_of(await works.ended(job_id)) == ["queued"]


async def test_a_long_wait_frees_the_worker(works: Works) -> None:
    async def patient(job: Job, context: JobContext) -> str:
        if job.attempt == 1:
            await context.wait(2.2)
        await context.wait(0.01)
        return "waited"

    async with works.worker({"patient": patient, "toy": echo}, slots=1):
        (waiting,) = await works.jobs_of(kind="patient", priority=1)
        (other,) = await works.jobs_of()
        short = await works.ended(other)
        job = await works.ended(waiting)
    assert (output_of(job), job.failures) == ("waited", 0)
    assert short.finished_at is not None and job.finished_at is not None
    assert short.finished_at < job.finished_at


async def test_a_person_is_waited_for_without_a_worker(works: Works) -> None:
    async def guarded(job: Job, context: JobContext) -> str:
        if job.attempt == 1:
            await context.await_person(None, CAPTCHA)
        return "through"

    async with works.worker({"toy": guarded}, slots=1):
        one, two = await works.jobs_of(2)
        await works.until(two, JobState.AWAITING_AUTH)
        assert (await works.tasks.get_task(T1)).state is TaskState.WAITING
        freed = await works.interventions.complete(OWNER, AuthTarget.DOMAIN, CAPTCHA.domain)
        assert [each.job_id for each in freed] == [one, two]
        assert output_of(await works.ended(one)) == "through"
        assert output_of(await works.ended(two)) == "through"


async def test_immediate_frees_every_worker_at_once(works: Works) -> None:
    meeting = asyncio.Barrier(2)

    async def meet(job: Job, context: JobContext) -> int:
        return await meeting.wait()

    async with works.worker({"toy": forever, "meeting": meet}, pace=ONLY_NOTIFIED):
        one, two = await works.jobs_of(2)
        for job_id in (one, two):
            await works.until(job_id, JobState.RUNNING)
        others = [new("meeting"), new("meeting")]
        queued = (await works.tasks.enqueue(NewTask(TaskId("other"), OWNER), others)).job_ids
        await works.tasks.stop(T1, StopMode.IMMEDIATE)
        for job_id in queued:
            assert (await works.ended(job_id)).state is JobState.COMPLETED
    for job_id in (one, two):
        job = await works.jobs.get_job(job_id)
        assert (job.state, output_of(job)) == (JobState.CANCELLED, None)


async def test_graceful_is_heard_and_the_whole_result_kept(works: Works) -> None:
    async def listening(job: Job, context: JobContext) -> dict[str, bool]:
        while not context.stop_asked:
            await context.wait(0.01)
        return {"whole": True}

    async with works.worker({"toy": listening}, slots=1):
        running, queued = await works.jobs_of(2)
        await works.until(running, JobState.RUNNING)
        halt = await works.tasks.stop(T1, StopMode.GRACEFUL)
        assert halt.still_running == (running,)
        job = await works.ended(running)
    assert (job.state, output_of(job)) == (JobState.COMPLETED, {"whole": True})
    assert (await works.jobs.get_job(queued)).state is JobState.CANCELLED


async def test_a_clean_shutdown_queues_again_without_counting(works: Works) -> None:
    cleaned = []
    begun = asyncio.Semaphore(0)

    async def tidy(job: Job, context: JobContext) -> None:
        begun.release()
        try:
            await asyncio.sleep(3600)
        finally:
            cleaned.append(job.id)

    for shutdown in range(5):
        async with works.worker({"toy": tidy}, slots=1):
            if not shutdown:
                (job_id,) = await works.jobs_of()
            await asyncio.wait_for(begun.acquire(), PATIENCE)
    job = await works.jobs.get_job(job_id)
    assert (job.state, job.failures, job.attempt, job.errors) == (JobState.QUEUED, 0, 5, ())
    assert cleaned == [job_id] * 5
    assert works.notifier.listening == 0


async def test_the_end_of_its_time_gives_a_partial_result_or_none(works: Works) -> None:
    async def slow(job: Job, context: JobContext) -> None:
        assert 0 < context.seconds_left <= 0.2
        if job.kind == "some":
            context.partial = SearchOutcome("一", "memory", (), PagingStop.BUDGET, (), ())
        await asyncio.sleep(3600)

    async with works.worker({"some": slow, "none": slow}, pace=WorkerTiming(job=0.2, idle=0.05)):
        (some,) = await works.jobs_of(kind="some")
        (none,) = await works.jobs_of(kind="none")
        one = await works.ended(some)
        two = await works.ended(none)
    assert one.state is JobState.COMPLETED and one.output is not None
    outcome = one.output.read(SearchOutcome)
    assert (outcome.query, outcome.paging_stop, outcome.partial) == ("一", PagingStop.BUDGET, True)
    assert (two.state, two.errors[0].code, two.attempt) == (JobState.FAILED, "BUDGET_EXHAUSTED", 1)


async def test_a_turn_may_end_in_one_of_the_handlers_own_tasks(works: Works) -> None:
    async def spread(job: Job, context: JobContext) -> str:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0.01))
            if job.attempt == 1:
                group.create_task(context.wait(2.1))
            if job.attempt == 2:
                group.create_task(broken(job, context))
        return "spread"

    async def broken(job: Job, context: JobContext) -> None:
        raise TimedOut("遅い")

    async with works.worker({"toy": spread}, slots=1):
        (job_id,) = await works.jobs_of()
        job = await works.ended(job_id)
    assert (job.state, output_of(job), job.attempt, job.failures) == (JobState.COMPLETED, "spread", 3, 1)


async def test_a_budget_is_spent_by_the_job(works: Works) -> None:
    async def visitor(job: Job, context: JobContext) -> int:
        pages = 0
        while await context.charge(pages=1):
            pages += 1
            await context.report(SearchProgress("memory", pages, 0, 0))
        return pages

    async with works.worker({"toy": visitor}):
        (job_id,) = await works.jobs_of()
        job = await works.ended(job_id)
    assert (output_of(job), job.progress.read(SearchProgress).pages) == (3, 3)
    kinds = [each.kind for each in await works.tasks.list_events(T1)]
    assert kinds == ["queued", "running", "progress", "progress", "progress", "completed"]


def hold_on_until(dropped: asyncio.Event) -> Handler:
    """The first attempt goes on until it is dropped."""

    async def stubborn(job: Job, context: JobContext) -> int:
        try:
            await asyncio.sleep(3600 if job.attempt == 1 else 0)
        except asyncio.CancelledError:
            dropped.set()
            raise
        return job.attempt

    return stubborn


async def test_a_worker_that_cannot_beat_drops_its_jobs_before_others_take_them(works: Works) -> None:
    """The database is held by someone else for longer than the cut-off, shorter than the silence."""
    dropped = asyncio.Event()
    pace = WorkerTiming(beat=0.1, cut_off=0.4, silence=2.0, look=0.1, idle=0.05)
    async with works.worker({"toy": hold_on_until(dropped)}, slots=1, pace=pace):
        (job_id,) = await works.jobs_of()
        await works.until(job_id, JobState.RUNNING)
        assert works.database is not None
        release = await held_write_lock(works.database.path)
        async with asyncio.timeout(PATIENCE):
            await dropped.wait()
        assert (await works.jobs.get_job(job_id)).state is JobState.RUNNING
        release()
        job = await works.ended(job_id)
    assert (job.state, output_of(job), job.failures, job.deaths) == (JobState.COMPLETED, 2, 0, 1)


@dataclass
class PassingOutage:
    """The jobs of a store that cannot be reached while it `is_away`; the end of a job as long as it refuses
    ends."""

    jobs: JobStore
    is_away: bool = False
    ends_refused: int = 0

    def __getattr__(self, verb: str) -> object:
        if self.is_away:
            raise StoreUnavailable("Away.")
        return getattr(self.jobs, verb)

    async def finish_and_claim(self, claim: Claim, output: Payload, kinds: Sequence[str]) -> Job | None:
        if self.ends_refused:
            self.ends_refused -= 1
            raise StoreUnavailable("Away.")
        return await self.jobs.finish_and_claim(claim, output, kinds)


async def meet_it(job: Job, context: JobContext) -> int:
    if job.attempt == 1:
        raise StoreUnavailable("Away.")
    return job.attempt


async def meet_it_in_a_task(job: Job, context: JobContext) -> int:
    async with asyncio.TaskGroup() as group:
        group.create_task(meet_it(job, context))
    return job.attempt


async def meet_nothing(job: Job, context: JobContext) -> int:
    return job.attempt


@pytest.mark.parametrize(
    ("handler", "ends_refused", "attempts", "history"),
    [
        pytest.param(meet_it, 0, 2, ["STORE_UNAVAILABLE"], id="in the handler"),
        pytest.param(meet_it_in_a_task, 0, 2, ["STORE_UNAVAILABLE"], id="in a task of the handler"),
        pytest.param(meet_nothing, 1, 1, [], id="when its end was stored"),
        pytest.param(meet_it, 1, 2, ["STORE_UNAVAILABLE"], id="in the handler and when its end was stored"),
    ],
)
async def test_a_store_that_goes_away_is_no_failure_of_the_job(
    works: Works, handler: Handler, ends_refused: int, attempts: int, history: list[str]
) -> None:
    jobs = PassingOutage(works.jobs, ends_refused=ends_refused)
    (job_id,) = await works.jobs_of()
    pace = replace(QUICK, cut_off=PATIENCE, silence=2 * PATIENCE)
    async with Worker(jobs, works.notifier, works.presence, SystemClock(), {"toy": handler}, pace=pace):  # type: ignore[arg-type]
        job = await works.ended(job_id)
    assert (job.state, output_of(job), job.failures) == (JobState.COMPLETED, attempts, 0)
    assert [error.code for error in job.errors] == history


async def test_what_was_dropped_because_the_store_was_away_has_not_failed(works: Works) -> None:
    dropped = asyncio.Event()
    jobs = PassingOutage(works.jobs)
    pace = replace(QUICK, silence=PATIENCE)
    async with Worker(
        jobs, works.notifier, works.presence, SystemClock(), {"toy": hold_on_until(dropped)}, pace=pace
    ):  # type: ignore[arg-type]
        (job_id,) = await works.jobs_of()
        await works.until(job_id, JobState.RUNNING)
        jobs.is_away = True
        async with asyncio.timeout(PATIENCE):
            await dropped.wait()
        jobs.is_away = False
        job = await works.ended(job_id)
    assert (job.state, output_of(job), job.failures) == (JobState.COMPLETED, 2, 0)
    assert [error.code for error in job.errors] == ["STORE_UNAVAILABLE"]


async def held_write_lock(path: Path) -> Callable[[], None]:
    """Another process's write lock, as this process meets it."""
    import fcntl

    file = path.with_name(path.name + ".lock").open("ab")
    await asyncio.to_thread(fcntl.flock, file, fcntl.LOCK_EX)
    return file.close


async def test_a_stop_is_heard_across_connections(tmp_path: Path) -> None:
    async with (
        opened_works(tmp_path) as here,
        opened_works(tmp_path) as there,
        here.worker({"toy": forever}, pace=ONLY_NOTIFIED),
    ):
        (job_id,) = await there.jobs_of()
        await there.until(job_id, JobState.RUNNING)
        (other,) = await there.jobs_of()
        await there.until(other, JobState.RUNNING)
        await there.tasks.stop(T1, StopMode.IMMEDIATE)
        (freed,) = (await there.tasks.enqueue(NewTask(TaskId("other"), OWNER), [new("toy")])).job_ids
        assert (await there.until(freed, JobState.RUNNING)).attempt == 1
        stopped = [(await there.jobs.get_job(name)).state for name in (job_id, other)]
        assert stopped == [JobState.CANCELLED] * 2


async def test_job_whose_process_died_three_times_runs_alone_on_its_worker(works: Works) -> None:
    """Under load too: the worker takes nothing else until it is free for it, nor while it runs it."""
    (deadly,) = await works.jobs_of(priority=Priority.HIGH)
    for _ in range(3):
        claimed = await works.claimed(WorkerId("dead"))
        await works.jobs.take_back(RunningClaim(claimed.claim, 0), DIED)
    beside: dict[JobId, set[JobId]] = {}
    running: set[JobId] = set()

    async def crowd(job: Job, context: JobContext) -> str:
        running.add(job.id)
        for each in running:
            beside[each] = beside.get(each, set()) | running
        await asyncio.sleep(0.05)
        running.remove(job.id)
        return "done"

    others = await works.jobs_of(12)
    await works.jobs.put_back(
        (await works.claimed(WorkerId("dead"))).claim, add_seconds(works.clock.timeline_now(), 0.2)
    )
    async with works.worker({"toy": crowd}, slots=3):
        jobs = [await works.ended(job_id) for job_id in (deadly, *others)]
    assert [(job.state, job.deaths) for job in jobs] == [
        (JobState.COMPLETED, 3 * (job.id == deadly)) for job in jobs
    ]
    assert beside[deadly] == {deadly}
    assert any(len(beside[job_id]) > 1 for job_id in others)


@dataclass
class AnsweringTogether:
    """The jobs of a store that answers the first two claims at one moment."""

    jobs: JobStore
    barrier: asyncio.Barrier
    answered: int = 0

    def __getattr__(self, verb: str) -> object:
        return getattr(self.jobs, verb)

    async def claim(self, worker_id: WorkerId, kinds: Sequence[str]) -> Job | None:
        claimed = await self.jobs.claim(worker_id, kinds)
        self.answered += 1
        if self.answered <= 2:
            await self.barrier.wait()
        return claimed


async def test_slots_that_claim_at_one_moment_leave_a_job_alone_that_runs_alone(works: Works) -> None:
    """Two connections of a server may each give this worker a job, neither knowing of the other."""
    first, second = await works.jobs_of(2)
    for _ in range(3):
        claimed = await works.claimed(WorkerId("dead"))
        await works.jobs.take_back(RunningClaim(claimed.claim, 0), DIED)
    running: set[JobId] = set()

    async def watch(job: Job, context: JobContext) -> bool:
        running.add(job.id)
        await asyncio.sleep(0.1)
        running.remove(job.id)
        return job.id == first and bool(running)

    jobs = AnsweringTogether(works.jobs, asyncio.Barrier(2))
    worker = Worker(jobs, works.notifier, works.presence, SystemClock(), {"toy": watch}, pace=QUICK)  # type: ignore[arg-type]
    async with worker:
        done = [await works.ended(job_id) for job_id in (first, second)]
    assert [job.state for job in done] == [JobState.COMPLETED] * 2 and not any(map(output_of, done))
    assert sum(job.attempt for job in done) > 5  # one of them was put back
    assert all(job.failures == 0 and job.deaths == 3 * (job.id == first) for job in done)


class Waits:
    """A subscription that notes how long it is waited for."""

    seconds = 0.0

    async def wait(self, seconds: float) -> bool:
        self.seconds = seconds
        return False


async def test_a_worker_without_jobs_for_a_minute_looks_less_often(works: Works) -> None:
    clock = TwoHands()
    worker = Worker(works.jobs, works.notifier, works.presence, clock, {"toy": echo})
    waits = Waits()
    await worker._wait_for_work(waits)
    assert waits.seconds == 1
    clock.pass_(61)
    await worker._wait_for_work(waits)
    assert waits.seconds == 5


@dataclass
class WaitsUntilTold(Waits):
    """A subscription whose wait ends when it is told."""

    told: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self, seconds: float) -> bool:
        self.seconds = seconds
        return await self.told.wait()


async def test_one_free_slot_looks_often_as_long_as_another_waits(works: Works) -> None:
    worker = works.worker({"toy": echo}, pace=WorkerTiming())
    looking, waiting = WaitsUntilTold(), WaitsUntilTold()
    slots = []
    for subscription in (looking, waiting):
        slots.append(asyncio.create_task(worker._wait_for_work(subscription)))
        await asyncio.sleep(0)
    assert (looking.seconds, waiting.seconds) == (1, 5)
    looking.told.set()
    await slots[0]
    again = Waits()
    await worker._wait_for_work(again)
    assert again.seconds == 1
    waiting.told.set()
    await slots[1]
