"""Attempts that end without a fault of the job, which is queued again: store outages and unreadable payloads.

A payload may be of another version. A job that itself brings down the store fails in the end.
"""

from __future__ import annotations

import random
from itertools import takewhile
from typing import TypeVar

from shisho.domain.codec import Payload, UnreadablePayload
from shisho.domain.job import UNREADABLE, Job, JobError
from shisho.domain.time import add_seconds, compute_backoff
from shisho.errors import InternalError, StoreUnavailable
from shisho.messages import Message
from shisho.ports import Clock, JobStore

MAX_OUTAGES = 50
"""In a row, for one job.

Because of the waits between attempts, a server that restarts again and again causes this many in ten minutes
at the earliest, and hardly ever for a job that does not affect it.
"""
E = TypeVar("E", bound=BaseException)
UNREAD = "job.other_version"
MAX_DOUBLINGS = 4  # of the wait: at most 16 s, because the store recovers independently of the job


def find_error(error: BaseException, kind: type[E]) -> E | None:
    """Return the error of this kind among an error and its group members.

    The others may be its consequences.
    """
    if isinstance(error, BaseExceptionGroup):
        found = (find_error(part, kind) for part in error.exceptions)
        return next((part for part in found if part is not None), None)
    return error if isinstance(error, kind) else None


async def queue_again(job: Job, outage: StoreUnavailable, store: JobStore, clock: Clock) -> None:
    """Queue a job again after an outage, uncounted; fail it after too many in a row."""
    outages = _count_consecutive(job)
    met = JobError(outage.code, outage.message, Payload.wrap(outage.details))
    if outages >= MAX_OUTAGES:
        await store.fail(job.claim, _describe_final_outage(met, outages))
        return
    wait = compute_backoff(min(outages, MAX_DOUBLINGS), random.random())
    await store.put_back(job.claim, add_seconds(clock.timeline_now(), wait), met, is_failure=False)


async def queue_unreadable_again(job: Job, error: UnreadablePayload, store: JobStore, clock: Clock) -> None:
    """Queue a job that only another version can read, uncounted, for a worker of that version."""
    last = job.errors[-1] if job.errors else None
    attempts = last.details.read(dict)["attempts"] + 1 if last and last.code == UNREADABLE else 1
    wait = compute_backoff(attempts - 1, random.random())
    details = Payload.wrap({"attempts": attempts})
    unread = JobError(UNREADABLE, Message(UNREAD, cause=str(error)), details)
    await store.put_back(job.claim, add_seconds(clock.timeline_now(), wait), unread, is_failure=False)


def _count_consecutive(job: Job) -> int:
    """Count the outages that ended the latest attempts, without another error between them."""
    return len([*takewhile(lambda error: error.code == StoreUnavailable.code, reversed(job.errors))])


def _describe_final_outage(last: JobError, outages: int) -> JobError:
    message = Message(
        "job.storage_lost",
        count=outages + 1,
        cause=last.message,
    )
    return JobError(InternalError.code, message, last.details)
