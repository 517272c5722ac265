"""The services of a running job: steps done once, progress, children, and waiting without a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NoReturn, TypeVar

from shisho.domain.codec import Payload
from shisho.domain.intervention import HumanChallenge
from shisho.domain.job import Job, JobError, JobId, NewJob
from shisho.domain.payloads import JobOutcome, JobProgress, SearchOutcome
from shisho.domain.time import Instant, add_seconds
from shisho.errors import ShishoError
from shisho.jobs.timing import WorkerTiming
from shisho.ports import Clock, JobStore

T = TypeVar("T")


class JobSuspended(BaseException):
    """Ends the handler because its job waits elsewhere.

    Not an Exception, so that no handler catches it with its errors.
    """


class JobContext:
    """A handler's access to its job. Every write raises `ClaimLost` if the claim was lost: let it propagate.

    A job that waits or dies is run again from its beginning; completed `step`s are not repeated.
    `stop_asked`: a user wants the job to end with its partial result. `partial`: the result if the time runs
    out; set it as soon as there is one. `is_ending`: the handler has returned and its outcome is being
    stored.
    """

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
        """Return the seconds until the job is ended with `partial`."""
        return self._ends - self._clock.monotonic()

    async def step(self, key: str, shape: type[T], work: Callable[[], Awaitable[T]]) -> T:
        """Return the outcome of `work`, run at most once and stored under `key`.

        It has this shape, as `codec` reads it.
        """
        steps = await self._load_steps()
        if key not in steps:
            steps[key] = await self._store.keep_step(self.job.claim, key, Payload.wrap(await work()))
        return steps[key].read(shape)

    async def list_taken(self, prefix: str) -> Mapping[str, Payload]:
        """Return the outcomes of completed steps whose keys have this prefix."""
        return {key: outcome for key, outcome in (await self._load_steps()).items() if key.startswith(prefix)}

    async def _load_steps(self) -> dict[str, Payload]:
        if self._steps is None:
            self._steps = dict(await self._store.list_steps(self.job.id))
        return self._steps

    async def report(self, progress: JobProgress) -> None:
        await self._store.report(self.job.claim, Payload.wrap(progress))

    async def charge(self, **amounts: float) -> bool:
        """Spend from the task's budget in advance. If too little is left, spend nothing and return False."""
        return await self._store.charge(self.job.claim, amounts)

    async def spawn(self, *children: NewJob) -> Sequence[JobId]:
        """Queue children. Their ids or dedupe keys must be the same when the job runs again."""
        return await self._store.spawn(self.job.claim, children)

    async def list_children(self) -> Sequence[Job]:
        return await self._store.list_children(self.job.id)

    async def park(self, seconds: float) -> None:
        """Wait for the children without a worker, at most `seconds`.

        Returns at once if there are none to wait for.
        """
        if await self._store.park(self.job.claim, self._make_instant(seconds)):
            raise JobSuspended

    async def wait(self, seconds: float, reason: ShishoError | None = None) -> None:
        """Wait. A longer wait frees the worker; its `reason` is recorded in the job's history."""
        if seconds <= self._pace.short:
            await asyncio.sleep(seconds)
            return
        error = (
            None if reason is None else JobError(reason.code, reason.message, Payload.wrap(reason.details))
        )
        await self._store.put_back(self.job.claim, self._make_instant(seconds), error, is_failure=False)
        raise JobSuspended

    async def release(self) -> NoReturn:
        """End this attempt; the job continues in its next one."""
        await self._store.put_back(self.job.claim, self._make_instant(0), None, is_failure=False)
        raise JobSuspended

    async def await_person(self, outcome: JobOutcome | None, challenge: HumanChallenge) -> NoReturn:
        """Wait for a person without a worker.

        `outcome` is the result if nobody acts; None if there is none yet.
        """
        output = None if outcome is None else Payload.wrap(outcome)
        await self._store.await_person(
            self.job.claim, output, self._make_instant(self._pace.person), challenge
        )
        raise JobSuspended

    def _make_instant(self, seconds: float) -> Instant:
        return add_seconds(self._clock.timeline_now(), seconds)


Handler = Callable[[Job, JobContext], Awaitable[JobOutcome]]
