"""The progress of reading a long file, as its job reports it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from shisho.domain.job import ClaimLost
from shisho.domain.payloads import IngestProgress
from shisho.errors import ShishoError
from shisho.jobs.context import JobContext

REPORT_SECONDS = 2.0


@asynccontextmanager
async def report_reading(context: JobContext) -> AsyncIterator[Callable[[int, int], None]]:
    """Yield the listener of a `Source` for pages read and total pages.

    Progress is reported periodically; never for a file that is read at once.
    """
    latest: list[IngestProgress] = []
    stopping = asyncio.Event()

    def listen(done: int, total: int) -> None:
        latest[:] = [IngestProgress(done, total)]

    reporting = asyncio.create_task(_report_until(stopping, context, latest))
    try:
        yield listen
    finally:
        stopping.set()
        await asyncio.wait([reporting])


async def _report_until(stopping: asyncio.Event, context: JobContext, latest: list[IngestProgress]) -> None:
    while not stopping.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), REPORT_SECONDS)
        if latest and not stopping.is_set():
            with suppress(ClaimLost, ShishoError):  # the job notices it too
                await context.report(latest.pop())
