"""The queue against a model of it: any order of verbs, stale claims, and a process that is killed between any
two of them."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from shisho.domain.codec import Payload
from shisho.domain.intervention import AuthTarget, HumanChallenge, make_intervention_id
from shisho.domain.job import (
    Claim,
    ClaimLost,
    JobError,
    JobId,
    JobState,
    NewTask,
    RunningClaim,
    StopMode,
    TaskId,
)
from shisho.errors import TaskNotFound
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.notifier import EmbeddedNotifier
from shisho.stores.sql.interventions import StoredInterventions
from shisho.stores.sql.transitions import Transactions
from tests.faults.children import LONG
from tests.faults.process import MUTANTS
from tests.queues import ANA, BEN, OWNER, SetClock, new

T = TypeVar("T")
T1 = NewTask(TaskId("t1"), OWNER)
BROKEN = JobError("INTERNAL", "壊れた")
Q, R, P, A, C, F, X = JobState  # queued, running, parked, awaiting_auth, completed, failed, cancelled
WAIT = 60.0
METS = [
    HumanChallenge("mojeek", "mojeek.com", "", "captcha"),
    HumanChallenge("mojeek", "consent.example", "", "consent"),
    HumanChallenge("", "consent.example", "", "login"),
]


def held_together(one: HumanChallenge | None, other: HumanChallenge | None) -> bool:
    assert one and other
    return one.domain == other.domain or one.engine == other.engine != ""


@dataclass
class Model:
    """A job as it should be."""

    id: JobId
    priority: int
    born: int
    parent: Model | None = None
    state: JobState = Q
    attempt: int = 0
    failures: int = 0
    deaths: int = 0
    output: Any = None
    worker: str | None = None
    steps: dict[str, int] = field(default_factory=dict)
    stepped: bool = False
    stop_asked: bool = False
    beat: int = 0
    met: HumanChallenge | None = None


class QueueMachine(RuleBasedStateMachine):
    """Applies each verb to the store and to the model, and compares them after every step."""

    mutant: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = SetClock()
        self.models: dict[JobId, Model] = {}
        self.claims: list[Claim] = []
        self.outputs = 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        self.clock.pass_(1)
        return self.loop.run_until_complete(work)

    @initialize()
    def open(self) -> None:
        self.database = Database(self.folder / "shisho.db")
        make_jobs, make_tasks = MUTANTS[self.mutant]
        notifier = EmbeddedNotifier(self.database)
        moves = Transactions(EmbeddedQueryStore(self.database), self.clock, notifier)
        self.jobs = make_jobs(moves)
        self.tasks = make_tasks(moves)
        self.interventions = StoredInterventions(moves)
        self.run(self.tasks.open(T1))

    @rule()
    def die(self) -> None:
        """What lies in the files at this moment is all that a killed process leaves."""
        left = Path(tempfile.mkdtemp(dir=self.folder.parent))
        for file in self.folder.iterdir():
            shutil.copy(file, left)
        self.close()
        self.folder = left
        self.open()

    def teardown(self) -> None:
        self.close()
        self.loop.close()

    def close(self) -> None:
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(self.database.close())
        self.loop.run_until_complete(asyncio.sleep(0))
        shutil.rmtree(self.folder)

    def moved(self, job: Model, state: JobState) -> None:
        job.state = state
        parent = job.parent
        if (
            parent
            and parent.state is P
            and not any(each.state in (Q, R, P) for each in self.children(parent))
        ):
            self.moved(parent, Q)

    def children(self, parent: Model) -> list[Model]:
        return [each for each in self.models.values() if each.parent is parent]

    def held(self, claim: Claim) -> Model | None:
        job = self.models[claim.job_id]
        return job if job.state is R and job.attempt == claim.attempt else None

    def tried(
        self, claim: Claim, work: Coroutine[Any, Any, Any], allowed: bool | None = None
    ) -> Model | None:
        """The model if the store let the claim write, as it should; None if it refused, as it should."""
        job = self.held(claim)
        wanted = job is not None if allowed is None else allowed
        try:
            self.run(work)
        except ClaimLost:
            assert not wanted, f"{claim} was refused"
            return None
        assert wanted, f"{claim} wrote, though it is stale"
        return job

    @rule(priority=st.sampled_from([10, 50, 90]))
    def enqueue(self, priority: int) -> None:
        job = new(priority=priority)
        assert self.run(self.tasks.enqueue(T1, [job])).job_ids == (job.id,)
        self.models[job.id] = Model(job.id, priority, len(self.models))

    @precondition(lambda self: self.models)
    @rule(data=st.data())
    def enqueue_again(self, data: st.DataObject) -> None:
        job_id = data.draw(st.sampled_from(sorted(self.models)))
        assert self.run(self.tasks.enqueue(T1.id, [new(id=job_id)])).job_ids == (job_id,)

    @rule(worker=st.sampled_from([ANA, BEN]))
    def claim(self, worker: Any) -> None:
        job = self.run(self.jobs.claim(worker, ["toy"]))
        queued = [each for each in self.models.values() if each.state is Q]
        first = min(queued, key=lambda each: (each.priority, each.born), default=None)
        is_busy = any(each.state is R and each.worker == worker for each in self.models.values())
        if first is not None and first.deaths >= 3 and is_busy:
            first = None
        assert (job and job.id) == (first and first.id)
        if job is not None and first is not None:
            first.state = R
            first.attempt = first.attempt + 1
            first.worker = worker
            first.stepped = False
            first.beat = 0
            self.claims.append(job.claim)

    claimed = st.runner().flatmap(lambda self: st.sampled_from(self.claims))

    @precondition(lambda self: self.claims)
    @rule(claim=claimed)
    def finish(self, claim: Claim) -> None:
        self.outputs += 1
        job = self.models[claim.job_id]
        said_again = job.state is C and (job.attempt, job.worker) == (claim.attempt, claim.worker_id)
        held = self.held(claim) is not None
        if (
            self.tried(claim, self.jobs.finish(claim, Payload.wrap(self.outputs)), held or said_again)
            and held
        ):
            job.output = Payload.wrap(self.outputs)
            self.moved(job, C)

    @precondition(lambda self: self.claims)
    @rule(claim=claimed)
    def fail(self, claim: Claim) -> None:
        if job := self.tried(claim, self.jobs.fail(claim, BROKEN)):
            self.moved(job, F)

    @precondition(lambda self: self.claims)
    @rule(claim=claimed, counted=st.booleans(), noted=st.booleans())
    def put_back(self, claim: Claim, counted: bool, noted: bool) -> None:
        error = BROKEN if counted or noted else None
        if job := self.tried(claim, self.jobs.put_back(claim, error=error, is_failure=counted)):
            self.count_failure(job) if counted else self.moved(job, X if job.stop_asked else Q)

    @precondition(lambda self: self.claims)
    @rule(claim=claimed, beat=st.integers(0, 1))
    def take_back(self, claim: Claim, beat: int) -> None:
        held = self.held(claim)
        allowed = held is not None and held.beat == beat
        if job := self.tried(claim, self.jobs.take_back(RunningClaim(claim, beat), BROKEN), allowed):
            job.deaths += not job.stepped
            self.moved(job, X if job.stop_asked else F if job.deaths >= 10 else Q)

    def count_failure(self, job: Model) -> None:
        job.failures += not job.stepped
        self.moved(job, X if job.stop_asked else F if job.failures >= 3 else Q)

    @precondition(lambda self: self.claims)
    @rule(claim=claimed)
    def renew(self, claim: Claim) -> None:
        job = self.held(claim)
        assert self.run(self.jobs.renew([claim])) == ({claim: job.stop_asked} if job else {})
        if job:
            job.beat += 1

    @precondition(lambda self: self.claims)
    @rule(claim=claimed, key=st.sampled_from("ab"))
    def keep_step(self, claim: Claim, key: str) -> None:
        if job := self.tried(claim, self.jobs.keep_step(claim, key, Payload.wrap(claim.attempt))):
            job.stepped |= key not in job.steps
            job.steps.setdefault(key, claim.attempt)

    @precondition(lambda self: self.claims)
    @rule(claim=claimed)
    def spawn_and_park(self, claim: Claim) -> None:
        child = new()
        if job := self.tried(claim, self.jobs.spawn(claim, [child])):
            made = Model(child.id, 10, len(self.models), job, X if job.stop_asked else Q)
            self.models[child.id] = made
            waits = any(each.state in (Q, R, P) for each in self.children(job))
            assert self.run(self.jobs.park(claim, self.clock.ahead(WAIT))) == waits
            if waits:
                self.moved(job, X if job.stop_asked else P)

    @precondition(lambda self: self.claims)
    @rule(claim=claimed, output=st.sampled_from([None, Payload.wrap("some")]), met=st.sampled_from(METS))
    def await_person(self, claim: Claim, output: Payload | None, met: HumanChallenge) -> None:
        if job := self.tried(claim, self.jobs.await_person(claim, output, self.clock.ahead(WAIT), met)):
            job.output = None if job.stop_asked else output
            job.met = met
            self.moved(job, X if job.stop_asked else A)

    @precondition(lambda self: self.models)
    @rule(data=st.data(), skip=st.booleans())
    def resolve(self, data: st.DataObject, skip: bool) -> None:
        job = self.models[data.draw(st.sampled_from(sorted(self.models)))]
        act = self.interventions.skip if skip else self.interventions.complete
        ended = self.run(act(OWNER, AuthTarget.ITEM, make_intervention_id(job.id, job.attempt)))
        freed = [job] if job.state is A else []
        if freed and not skip:
            freed = [
                each for each in self.models.values() if each.state is A and held_together(each.met, job.met)
            ]
        assert {one.job_id for one in ended} == {each.id for each in freed}
        for each in freed:
            each.output = each.output if skip else None
            self.moved(each, C if skip else Q)

    @rule()
    def expire(self) -> None:
        self.clock.pass_(WAIT)
        waiting = [each for each in self.models.values() if each.state in (P, A)]
        assert self.run(self.jobs.expire()) == len(waiting)
        for job in waiting:
            self.moved(job, Q if job.state is P else F if job.output is None else C)

    @rule(worker=st.sampled_from([ANA, BEN]))
    def leave(self, worker: Any) -> None:
        mine = [each for each in self.models.values() if each.state is R and each.worker == worker]
        assert self.run(self.jobs.release_all(worker)) == len(mine)
        for job in mine:
            self.moved(job, X if job.stop_asked else Q)

    @rule(mode=st.sampled_from(StopMode))
    def stop(self, mode: StopMode) -> None:
        halt = self.run(self.tasks.stop(T1.id, mode))
        running = {each.id for each in self.models.values() if each.state is R}
        assert set(halt.still_running) == (running if mode is StopMode.GRACEFUL else set())
        for job in self.models.values():
            if job.id in halt.still_running:
                job.stop_asked = True
            elif job.state in (Q, R, P, A):
                job.state = X
                job.output = None

    @rule()
    def resume(self) -> None:
        ended = [each for each in self.models.values() if each.state in (X, F)]
        assert set(self.run(self.tasks.resume(T1.id))) == {each.id for each in ended}
        for job in self.models.values():
            job.stop_asked = False
        for job in ended:
            job.state = Q
            job.failures = job.deaths = 0

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "tasks"):
            return
        snapshot = self.loop.run_until_complete(self.tasks.take_snapshot(T1.id))
        seen = {
            each.id: (each.state, each.attempt, each.failures, each.deaths, each.output, each.stop_asked)
            for each in snapshot.jobs
        }
        wanted = {
            each.id: (each.state, each.attempt, each.failures, each.deaths, each.output, each.stop_asked)
            for each in self.models.values()
        }
        assert seen == wanted
        waiting = self.loop.run_until_complete(self.interventions.list_waiting(OWNER))
        awaiting = {each.id: each.met for each in self.models.values() if each.state is A}
        assert {one.job_id: one.met for one in waiting} == awaiting and len(waiting) == len(awaiting)
        counts = {state: sum(each.state is state for each in self.models.values()) for state in JobState}
        assert snapshot.task.jobs == {state: count for state, count in counts.items() if count}


def checked(machine: type[QueueMachine], examples: int, phases: tuple[Phase, ...]) -> None:
    chosen = settings(
        max_examples=examples,
        stateful_step_count=40,
        deadline=None,
        derandomize=True,
        database=None,
        phases=phases,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=chosen)


@pytest.mark.slow
def test_the_queue_is_as_its_model_says() -> None:
    checked(QueueMachine, 1500 if LONG else 20, (Phase.generate, Phase.shrink))


@pytest.mark.parametrize("mutant", [each for each in MUTANTS if each][: None if LONG else 1])
def test_the_model_notices_a_defective_queue(mutant: str) -> None:
    machine = type("Mutant", (QueueMachine,), {"mutant": mutant})
    with pytest.raises(Exception) as caught:
        checked(machine, 200, (Phase.generate,))
    print(f"{mutant}: {type(caught.value).__name__} {str(caught.value)[:200]}")
    # Flaky: what is acknowledged too early may be there in time when the same steps are tried again.
    # Its task may be missing with it.
    assert isinstance(caught.value, AssertionError | ClaimLost | Flaky | TaskNotFound)
