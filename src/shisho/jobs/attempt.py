"""One attempt at a job: run its handler within its time, and store how it ended."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from shisho.domain.codec import Payload, UnreadablePayload
from shisho.domain.job import ClaimLost, Job, JobError, JobId, JobState
from shisho.domain.payloads import JobOutcome
from shisho.domain.time import add_seconds, compute_backoff
from shisho.errors import BudgetExhausted, Conflict, NotFound, ShishoError, StorageUnusable, StoreUnavailable
from shisho.jobs.context import Handler, JobContext, JobSuspended
from shisho.jobs.outages import find_error, queue_again, queue_unreadable_again
from shisho.jobs.timing import WorkerTiming
from shisho.messages import Message
from shisho.ports import Clock, JobStore
from shisho.telemetry import bind_ids, count, log, measure, span

T = TypeVar("T")
Forget = Callable[[Job], Awaitable[None]]
AGAIN_SECONDS = 1.0


async def make_attempt(
    handler: Handler,
    context: JobContext,
    store: JobStore,
    clock: Clock,
    pace: WorkerTiming,
    kinds: Sequence[str],
    forget: Forget,
) -> Job | None:
    """Run `context.job`, and `forget` its leftovers if it fails for good.

    Cancelling stores nothing: the caller decides about the job. Returns the next job of these kinds if one
    was claimed with the completion.
    """
    job = context.job
    began = clock.monotonic()
    with suppress(ClaimLost), bind_ids(job=job.id, task=job.task_id):
        try:
            with span("job", kind=job.kind, id=job.id, attempt=job.attempt):
                try:
                    output = Payload.wrap(await _run_within(handler, context, pace.job))
                finally:
                    context.is_ending = True
            following = await _store(lambda: store.finish_and_claim(job.claim, output, kinds))
            count("jobs_ended", kind=job.kind, outcome="completed")
            return following
        except (JobSuspended, ClaimLost, BaseExceptionGroup) as error:
            if not _is_abandoned(error):
                await _record_failure(job, error, store, clock)
                await forget_failed(job.id, store, forget)
        except Exception as error:
            await _record_failure(job, error, store, clock)
            await forget_failed(job.id, store, forget)
        finally:
            measure("job_seconds", clock.monotonic() - began, kind=job.kind)
    return None


async def forget_failed(job_id: JobId, store: JobStore, forget: Forget) -> None:
    """Delete a job's leftovers outside the database if it has failed for good."""
    with suppress(NotFound):  # removed in the meantime
        job = await store.get_job(job_id)
        if job.state is JobState.FAILED:
            await forget(job)


def _is_abandoned(error: BaseException) -> bool:
    """Return True if the handler ended without an outcome, or one of its own tasks did."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup((JobSuspended, ClaimLost)) is not None
    return isinstance(error, JobSuspended | ClaimLost)


async def _run_within(handler: Handler, context: JobContext, seconds: float) -> JobOutcome:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await handler(context.job, context)
    except TimeoutError:
        if not limit.expired():
            raise
        if context.partial is None:
            raise BudgetExhausted("job.idle", seconds=seconds) from None
        return replace(context.partial, partial=True)


async def _record_failure(job: Job, error: BaseException, store: JobStore, clock: Clock) -> None:
    if unread := find_error(error, UnreadablePayload):
        log.warning(Message("job.needs_newer_worker", why=str(unread)))
        await _store(lambda: queue_unreadable_again(job, unread, store, clock))
        count("jobs_ended", kind=job.kind, outcome="put_back")
        return
    if outage := find_error(error, StoreUnavailable):
        log.warning(Message("job.outage", why=outage.message))
        await _store(lambda: queue_again(job, outage, store, clock))
        count("jobs_ended", kind=job.kind, outcome="put_back")
        return
    said_error = _describe_error(error)
    if isinstance(error, ShishoError) and not error.retry:
        await _store(lambda: store.fail(job.claim, said_error))
        count("jobs_ended", kind=job.kind, outcome="failed")
        return
    again = add_seconds(clock.timeline_now(), compute_backoff(job.failures, random.random()))
    await _store(lambda: store.put_back(job.claim, again, said_error))
    count("jobs_ended", kind=job.kind, outcome="put_back")


def _describe_error(error: BaseException) -> JobError:
    if isinstance(error, ShishoError):
        return JobError(error.code, error.message, Payload.wrap(error.details))
    fault = Message("common.kind_cause", kind=type(error).__name__, cause=error)
    log.error(Message("job.internal_error", fault=fault), exc_info=error)
    return JobError("INTERNAL", fault)


async def _store(write: Callable[[], Awaitable[T]]) -> T:
    """Retry until it is stored.

    A full disk, a busy file or an unreachable server must not cost finished work. The loss of the heartbeat
    ends the retries.
    """
    while True:
        try:
            return await write()
        except (Conflict, StorageUnusable, StoreUnavailable) as error:
            log.warning(Message("job.outcome_not_stored", why=error.message))
            await asyncio.sleep(AGAIN_SECONDS)
