"""A store that goes away while a job is run: no failure of the job, which is given back and run again. One
that brings the store down itself ends at last."""

from __future__ import annotations

import random
from itertools import takewhile

from shisho.domain.codec import Payload
from shisho.domain.job import Job, JobError
from shisho.domain.time import backoff, later
from shisho.errors import InternalError, StoreUnavailable
from shisho.messages.message import Message
from shisho.ports import Clock, JobStore

MOST_OUTAGES = 50
"""In a row, of one job. Because of the waits between, a server that is restarted again and again is met so
often in ten minutes at the earliest, and hardly by a job that does nothing to it."""
MOST_DOUBLINGS = 4  # of the wait: 16 s at most, for it is the store that has to come back, and it has


def find_outage(error: BaseException) -> StoreUnavailable | None:
    """The outage that an error is, or that is among those of a group: what else went wrong may come of it."""
    if isinstance(error, BaseExceptionGroup):
        outages = (find_outage(part) for part in error.exceptions)
        return next((outage for outage in outages if outage is not None), None)
    return error if isinstance(error, StoreUnavailable) else None


async def give_back(job: Job, outage: StoreUnavailable, store: JobStore, clock: Clock) -> None:
    """Queue a held job again that met an outage, uncounted; fail it where it met too many in a row."""
    outages = _count_in_a_row(job)
    met = JobError(outage.code, outage.message, Payload.wrap(outage.details))
    if outages >= MOST_OUTAGES:
        await store.fail(job.claim, _giving_up(met, outages))
        return
    wait = backoff(min(outages, MOST_DOUBLINGS), random.random())
    await store.put_back(job.claim, later(clock.steady(), wait), met, is_failure=False)


def _count_in_a_row(job: Job) -> int:
    """How many attempts before this one ended with an outage, with no other error between."""
    return len([*takewhile(lambda error: error.code == StoreUnavailable.code, reversed(job.errors))])


def _giving_up(last: JobError, outages: int) -> JobError:
    message = Message(
        "Gave up: what is stored could not be reached {count} times in a row while this job was run, so it may be the job "
        "that brings the server down. The last time: {cause}",
        count=outages + 1,
        cause=last.message,
    )
    return JobError(InternalError.code, message, last.details)
