"""Attempts that end for no fault of the job, which is given back and run again: a store that goes away
meanwhile, and a form that another version wrote. A job that brings the store down itself ends at last."""

from __future__ import annotations

import random
from itertools import takewhile
from typing import TypeVar

from shisho.domain.codec import Payload, UnreadablePayload
from shisho.domain.job import UNREADABLE, Job, JobError
from shisho.domain.time import backoff, later
from shisho.errors import InternalError, StoreUnavailable
from shisho.messages.message import Message
from shisho.ports import Clock, JobStore

MOST_OUTAGES = 50
"""In a row, of one job. Because of the waits between, a server that is restarted again and again is met so
often in ten minutes at the earliest, and hardly by a job that does nothing to it."""
E = TypeVar("E", bound=BaseException)
UNREAD = "job.other_version"
MOST_DOUBLINGS = 4  # of the wait: 16 s at most, for it is the store that has to come back, and it has


def find_error(error: BaseException, kind: type[E]) -> E | None:
    """The error of this kind that an error is, or that is among those of a group: what else went wrong may
    come of it."""
    if isinstance(error, BaseExceptionGroup):
        found = (find_error(part, kind) for part in error.exceptions)
        return next((part for part in found if part is not None), None)
    return error if isinstance(error, kind) else None


async def give_back(job: Job, outage: StoreUnavailable, store: JobStore, clock: Clock) -> None:
    """Queue a held job again that met an outage, uncounted; fail it where it met too many in a row."""
    outages = _count_in_a_row(job)
    met = JobError(outage.code, outage.message, Payload.wrap(outage.details))
    if outages >= MOST_OUTAGES:
        await store.fail(job.claim, _giving_up(met, outages))
        return
    wait = backoff(min(outages, MOST_DOUBLINGS), random.random())
    await store.put_back(job.claim, later(clock.steady(), wait), met, is_failure=False)


async def give_back_unread(job: Job, error: UnreadablePayload, store: JobStore, clock: Clock) -> None:
    """Queue a held job again that only another version can read, uncounted, for a worker of that version."""
    last = job.errors[-1] if job.errors else None
    attempts = last.details.read(dict)["attempts"] + 1 if last and last.code == UNREADABLE else 1
    wait = backoff(attempts - 1, random.random())
    details = Payload.wrap({"attempts": attempts})
    unread = JobError(UNREADABLE, Message(UNREAD, cause=str(error)), details)
    await store.put_back(job.claim, later(clock.steady(), wait), unread, is_failure=False)


def _count_in_a_row(job: Job) -> int:
    """How many attempts before this one ended with an outage, with no other error between."""
    return len([*takewhile(lambda error: error.code == StoreUnavailable.code, reversed(job.errors))])


def _giving_up(last: JobError, outages: int) -> JobError:
    message = Message(
        "job.storage_lost",
        count=outages + 1,
        cause=last.message,
    )
    return JobError(InternalError.code, message, last.details)
