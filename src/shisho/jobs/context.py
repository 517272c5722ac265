"""The services a handler may use beside its work: steps that are done once, progress, children, and ways
to wait without a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NoReturn, TypeVar

from shisho.domain.codec import Payload
from shisho.domain.intervention import HumanChallenge
from shisho.domain.job import Job, JobError, JobId, NewJob
from shisho.domain.payloads import JobOutcome, JobProgress, SearchOutcome
from shisho.domain.time import Instant, later
from shisho.errors import ShishoError
from shisho.jobs.timing import WorkerTiming
from shisho.ports import Clock, JobStore

T = TypeVar("T")


class JobSuspended(BaseException):
    """The handler's turn is over: its job waits elsewhere. No Exception, so that no handler catches it with
    its errors."""


class JobContext:
    """A handler's side of its job. Whatever it writes raises `ClaimLost` where the job is no longer its own:
    let it pass.

    A job that waits or dies is run again from its beginning; what lies in `step` is not done a second time.
    `stop_asked`: someone wants the job to come to its end with what it has. `partial`: what the job ends with
    when its time is over; set it as soon as there is something. `is_ending`: the handler is done, and how it
    ended is being stored."""

    def __init__(self, job: Job, store: JobStore, clock: Clock, pace: WorkerTiming) -> None:
        self.job = job
        self._store = store
        self._clock = clock
        self._pace = pace
        self.stop_asked = job.stop_asked
        self.is_ending = False
        self.partial: SearchOutcome | None = None
        self._ends = clock.monotonic() + pace.job
        self._steps: dict[str, Payload] | None = None

    @property
    def seconds_left(self) -> float:
        """Until the job is ended with `partial`."""
        return self._ends - self._clock.monotonic()

    async def step(self, key: str, shape: type[T], work: Callable[[], Awaitable[T]]) -> T:
        """The outcome of `work`, of this shape as `codec` reads it; done at most once and then remembered
        under `key`."""
        steps = await self._taken()
        if key not in steps:
            steps[key] = await self._store.keep_step(self.job.claim, key, Payload.wrap(await work()))
        return steps[key].read(shape)

    async def list_taken(self, prefix: str) -> Mapping[str, Payload]:
        """The outcomes of the steps taken so far whose keys begin so."""
        return {key: outcome for key, outcome in (await self._taken()).items() if key.startswith(prefix)}

    async def _taken(self) -> dict[str, Payload]:
        if self._steps is None:
            self._steps = dict(await self._store.list_steps(self.job.id))
        return self._steps

    async def report(self, progress: JobProgress) -> None:
        """Say how far the job has come."""
        await self._store.report(self.job.claim, Payload.wrap(progress))

    async def charge(self, **amounts: float) -> bool:
        """Spend from the task's budget before doing what it pays for; False: there is not enough left, and
        nothing is spent."""
        return await self._store.charge(self.job.claim, amounts)

    async def spawn(self, *children: NewJob) -> Sequence[JobId]:
        """Queue children. Give them ids or dedupe keys that come out the same when the job is run again."""
        return await self._store.spawn(self.job.claim, children)

    async def list_children(self) -> Sequence[Job]:
        return await self._store.list_children(self.job.id)

    async def park(self, seconds: float) -> None:
        """Wait for the children without a worker, at most so long; returns at once where none is left to wait
        for."""
        if await self._store.park(self.job.claim, self._at(seconds)):
            raise JobSuspended

    async def wait(self, seconds: float, reason: ShishoError | None = None) -> None:
        """Wait; a longer wait frees the worker, and `reason` says in the job's history what it is for."""
        if seconds <= self._pace.short:
            await asyncio.sleep(seconds)
            return
        error = (
            None if reason is None else JobError(reason.code, reason.message, Payload.wrap(reason.details))
        )
        await self._store.put_back(self.job.claim, self._at(seconds), error, is_failure=False)
        raise JobSuspended

    async def release(self) -> NoReturn:
        """End this turn; the job goes on in its next one."""
        await self._store.put_back(self.job.claim, self._at(0), None, is_failure=False)
        raise JobSuspended

    async def await_person(self, outcome: JobOutcome | None, challenge: HumanChallenge) -> NoReturn:
        """Wait for a person without a worker. `outcome` is the result if nobody comes; None: there is none
        yet."""
        output = None if outcome is None else Payload.wrap(outcome)
        await self._store.await_person(self.job.claim, output, self._at(self._pace.person), challenge)
        raise JobSuspended

    def _at(self, seconds: float) -> Instant:
        return later(self._clock.steady(), seconds)


Handler = Callable[[Job, JobContext], Awaitable[JobOutcome]]
