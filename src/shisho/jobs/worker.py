"""Workers: claim jobs, run their handlers, renew claims, and recover dead workers' jobs."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType

from shisho.domain.event import EventKind
from shisho.domain.job import Claim, ClaimLost, Job, JobError, RunningClaim, WorkerId
from shisho.domain.time import add_seconds, compute_backoff, to_epoch
from shisho.errors import ShishoError, StoreUnavailable
from shisho.jobs.attempt import Forget, forget_failed, make_attempt
from shisho.jobs.context import Handler, JobContext
from shisho.jobs.outages import queue_again
from shisho.jobs.timing import HeartbeatMonitor, WorkerTiming, make_id
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.ports import ChangeNotifier, Clock, JobStore, Presence, Subscription
from shisho.records import dataclass
from shisho.telemetry import log, measure

DIED = JobError("INTERNAL", Message("job.process_died"))
SILENT = JobError("INTERNAL", Message("job.no_heartbeat"))
BROKEN_SECONDS = 1.0
QUIET = 5  # times as long as usual between two looks while nothing runs
# After this long without a job, every slot looks less often for jobs that have become due. Notifications
# start other jobs at once, and a job that was put off this long may start a few seconds late.
QUIET_SECONDS = 60.0
SWEPT = 200  # failed jobs per query


@dataclass(frozen=True, slots=True)
class _Turn:
    doing: asyncio.Task[Job | None]
    context: JobContext


class Worker:
    """A worker with `slots` concurrent jobs in this event loop while it is entered.

    Leaving queues its jobs again, uncounted. `forget` is called with each job that has failed for good.
    """

    def __init__(
        self,
        jobs: JobStore,
        notifier: ChangeNotifier,
        presence: Presence,
        clock: Clock,
        handlers: Mapping[str, Handler],
        *,
        slots: int = 2,
        pace: WorkerTiming | None = None,
        forget: Forget | None = None,
    ) -> None:
        self.id = WorkerId(make_id())
        self._jobs = jobs
        self._notifier = notifier
        self._presence = presence
        self._clock = clock
        self._handlers = handlers
        self._kinds = tuple(handlers)
        self._slots = slots
        self._pace = pace or WorkerTiming()
        self._forget = forget or _forget_nothing
        self._silence = HeartbeatMonitor(self._pace.silence, self._pace.beat)
        self._turns: dict[Claim, _Turn] = {}
        self._begun: set[Claim] = set()
        self._asking: set[object] = set()
        self._unheard_of: dict[Claim, frozenset[object]] = {}
        self._beaten = 0.0
        self._waiting = 0
        self._is_looking = False  # a waiting slot looks often
        self._worked_at = clock.monotonic()
        self._outage: StoreUnavailable | None = None
        self._cut_off: dict[Claim, tuple[Job, StoreUnavailable]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Worker:
        self._presence.register(self.id)
        loops = [self._take_turn] * self._slots + [
            self._beat,
            self._watch_stop_requests,
            self._look,
            self._sweep,
        ]
        self._tasks = [asyncio.create_task(repeat_forever(loop)) for loop in loops]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        try:
            await self._jobs.release_all(self.id)
        finally:
            self._presence.deregister(self.id)

    async def _take_turn(self) -> None:
        if alone := [turn.doing for turn in self._turns.values() if turn.context.job.runs_alone]:
            await asyncio.wait(alone)
            return
        with self._notifier.subscribe(EventKind.QUEUED) as subscription:
            job = await self._claim()
            if job is None:
                await self._wait_for_work(subscription)
                return
        if self._waiting:  # another job may be due as well
            self._notifier.notify((EventKind.QUEUED,))
        while job is not None:
            if self._is_conflicting(job):
                with suppress(ClaimLost):
                    await self._jobs.put_back(job.claim)
                return
            job = await self._do(job)

    async def _wait_for_work(self, subscription: Subscription) -> None:
        """Wait for a notification or a due job: one of the free slots looks for all."""
        is_quiet = self._clock.monotonic() - self._worked_at > QUIET_SECONDS
        looks = not self._is_looking and not is_quiet
        self._is_looking |= looks
        self._waiting += 1
        try:
            await subscription.wait(self._pace.idle if looks else QUIET * self._pace.idle)
        finally:
            self._waiting -= 1
            if looks:
                self._is_looking = False

    def _is_conflicting(self, job: Job) -> bool:
        """Return True if a claimed job must not run with the current ones: two slots claimed at once."""
        running = [turn.context.job for turn in self._turns.values()]
        return bool(running) and any(each.runs_alone for each in (job, *running))

    async def _claim(self) -> Job | None:
        asked = object()
        self._asking.add(asked)
        try:
            return await self._jobs.claim(self.id, self._kinds)
        finally:
            self._asking.discard(asked)

    async def _do(self, job: Job) -> Job | None:
        """Run a claimed job. Returns the next one if it was claimed with the completion of this one."""
        _measure_wait(job)
        context = JobContext(job, self._jobs, self._clock, self._pace)
        doing = asyncio.create_task(
            make_attempt(
                self._handlers[job.kind],
                context,
                self._jobs,
                self._clock,
                self._pace,
                self._kinds,
                self._forget,
            )
        )
        if not self._turns:
            self._beaten = self._clock.monotonic()
        self._turns[job.claim] = _Turn(doing, context)
        self._begun.add(job.claim)
        # A crash of the server may undo a claim, which is then made again unchanged.
        self._cut_off.pop(job.claim, None)
        try:
            await asyncio.wait([doing])
        finally:
            if doing.cancel():
                await asyncio.wait([doing])
            del self._turns[job.claim]
            self._worked_at = self._clock.monotonic()
            if job.claim in self._cut_off:
                self._begun.discard(job.claim)
        return None if doing.cancelled() else doing.result()

    async def _beat(self) -> None:
        await asyncio.sleep(self._pace.beat)
        if not self._turns:
            self._outage = None
            return
        began = self._clock.monotonic()
        try:
            async with asyncio.timeout(self._beaten + self._pace.cut_off - began):
                await self._apply_stop_requests(self._jobs.renew)
            self._beaten = began
            self._outage = None
        except (TimeoutError, ShishoError) as error:
            if isinstance(error, StoreUnavailable):
                self._outage = error
            # Other workers may soon take these jobs for dead; any further work would be done twice.
            if self._clock.monotonic() - self._beaten >= self._pace.cut_off:
                self._cut_off_all()

    def _cut_off_all(self) -> None:
        if self._outage is not None:
            self._cut_off |= {claim: (turn.context.job, self._outage) for claim, turn in self._turns.items()}
        self._drop(tuple(self._turns))

    async def _watch_stop_requests(self) -> None:
        with self._notifier.subscribe(EventKind.CANCELLED, EventKind.STOP_ASKED) as subscription:
            while True:
                if await subscription.wait(self._pace.beat) and self._turns:
                    await self._apply_stop_requests(self._jobs.check_claims)

    async def _apply_stop_requests(
        self, ask: Callable[[Sequence[Claim]], Awaitable[Mapping[Claim, bool]]]
    ) -> None:
        claims = tuple(self._turns)
        stop_wishes = await ask(claims)
        # A finished claim is gone before its task is notified, and the next one may be claimed with it.
        lost = [claim for claim in claims if claim not in stop_wishes]
        self._drop(
            [claim for claim in lost if claim in self._turns and not self._turns[claim].context.is_ending]
        )
        for claim, stop_asked in stop_wishes.items():
            if claim in self._turns:
                self._turns[claim].context.stop_asked = stop_asked

    def _drop(self, claims: Sequence[Claim]) -> None:
        for claim in claims:
            if claim in self._turns:
                self._turns[claim].doing.cancel()

    async def _look(self) -> None:
        await asyncio.sleep(self._pace.look)
        with self._notifier.subscribe(EventKind.RUNNING) as subscription:
            running = await self._jobs.list_running()
            await self._take_back_lost(running)
            await self._jobs.expire()
            if not running:
                await subscription.wait(QUIET * self._pace.look)

    async def _take_back_lost(self, running: Sequence[RunningClaim]) -> None:
        """Take back the jobs of workers that have died or are silent."""
        await self._release_unknown_claims({row.claim for row in running if row.claim.worker_id == self.id})
        dead = await asyncio.to_thread(
            self._presence.find_dead, {running_claim.claim.worker_id for running_claim in running}
        )
        silent = self._silence.find_silent(running, self._clock.monotonic())
        for running_claim in running:
            if running_claim.claim.worker_id in dead:
                await self._take_back(running_claim, DIED)
            elif running_claim in silent:
                await self._take_back(running_claim, SILENT)

    async def _take_back(self, running_claim: RunningClaim, error: JobError) -> None:
        again = add_seconds(
            self._clock.timeline_now(), compute_backoff(running_claim.deaths, random.random())
        )
        with suppress(ClaimLost):
            await self._jobs.take_back(running_claim, error, again)
            await forget_failed(running_claim.claim.job_id, self._jobs, self._forget)

    async def _sweep(self) -> None:
        """Delete the leftovers of failed jobs.

        The process that recorded a failure may have died before it did so, and a wait for a person can end
        without any worker. O(failed jobs), at the start and then at each `sweep`.
        """
        after = ""
        while failed := await self._jobs.list_failed(self._kinds, after, SWEPT):
            for job in failed:
                with suppress(ValueError, TypeError):  # another version's job, in an unknown format
                    await self._forget(job)
            after = failed[-1].id
        await asyncio.sleep(self._pace.sweep)

    async def _release_unknown_claims(self, own: set[Claim]) -> None:
        """Give back claims in this worker's name that it does not know, and those dropped in an outage.

        A claim is unknown if its reply was lost; it is given back only after all requests that were open when
        it was seen have been answered. Neither counts as a failure of the job.
        """
        self._begun &= own | set(self._turns)
        self._cut_off = {
            claim: met for claim, met in self._cut_off.items() if claim in own | set(self._turns)
        }
        asking = frozenset(
            self._asking | {claim for claim, turn in self._turns.items() if turn.context.is_ending}
        )
        unheard_of = {claim: self._unheard_of.get(claim, asking) for claim in own - self._begun}
        for claim, asked in unheard_of.items():
            if not asked & asking:
                with suppress(ClaimLost):
                    await self._return_claim(claim)
        self._unheard_of = unheard_of

    async def _return_claim(self, claim: Claim) -> None:
        if claim not in self._cut_off:
            await self._jobs.put_back(claim)
            return
        await queue_again(*self._cut_off[claim], self._jobs, self._clock)
        del self._cut_off[claim]


async def _forget_nothing(_: Job) -> None:
    pass


def _measure_wait(job: Job) -> None:
    """Record how long a new job has waited for its first attempt."""
    if job.started_at is not None and job.attempt == 1 and job.not_before is None:
        waited = to_epoch(job.started_at) - to_epoch(job.created_at)
        measure("job_wait_seconds", max(0.0, waited), kind=job.kind)


async def repeat_forever(step: Callable[[], Awaitable[None]]) -> None:
    """Repeat the step forever, whatever its errors."""
    while True:
        try:
            await step()
        except ShishoError as error:  # its message says everything
            log.warning(Message("worker.waits", why=error.message))
            await asyncio.sleep(BROKEN_SECONDS)
        except Exception as error:
            # A full disk, a busy file, a bug: a worker must survive all of them.
            log.exception(Message("worker.failed", kind=type(error).__name__, why=explain_error(error)))
            await asyncio.sleep(BROKEN_SECONDS)
