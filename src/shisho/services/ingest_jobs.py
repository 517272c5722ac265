"""The ingest job, and the intake of documents found by other jobs, with their origin recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

from shisho.corpus.ingest import make_document_id
from shisho.domain.corpus import IntakeStage, Receipt, Source
from shisho.domain.discovered_url import DiscoveredUrl
from shisho.domain.job import Claim, ClaimLost, Job
from shisho.domain.payloads import IngestJob, IngestProgress
from shisho.errors import InternalError, NotFound, ShishoError, map_by_code
from shisho.jobs.context import JobContext
from shisho.ports import DiscoveredUrls, Files, Ingester, Staging
from shisho.records import dataclass

REPORT_SECONDS = 2.0


@asynccontextmanager
async def report_reading(context: JobContext) -> AsyncIterator[Callable[[IntakeStage, int, int], None]]:
    """Yield the listener of a `Source` for pages read and total pages.

    Progress is reported periodically; never for a file that is read at once.
    """
    latest: list[IngestProgress] = []
    stopping = asyncio.Event()

    def listen(stage: IntakeStage, done: int, total: int) -> None:
        if stage is not IntakeStage.STORING:
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


@dataclass(frozen=True, slots=True)
class IngestHandler:
    """A handler that adds documents for jobs and records their origins."""

    intakes: Ingester
    finds: DiscoveredUrls
    disk: Files
    staging: Staging

    async def ingest(self, job: Job, context: JobContext) -> Receipt:
        """Add one file or piece of bytes. Returns its receipt, or raises the reason for its failure."""
        handed = job.input.read(IngestJob)
        work = partial(self._ingest, job.claim, context, handed)
        receipt = await context.step("taken in", Receipt, work)
        await self.clear(handed.staged, handed.password)
        return receipt

    async def shelve(
        self, claim: Claim, canonical_url: str, source: Source, corpus: str, owner: str
    ) -> Receipt:
        """Add a discovered URL of this job. If it cannot be added, the receipt has the reason."""
        expected = make_document_id(sha256(source.data).hexdigest(), corpus, owner)
        await self.finds.expect(claim, canonical_url, expected)
        receipt = await self.intakes.add(source, corpus, owner)
        await self.finds.settle(
            claim, canonical_url, receipt.document_id, code=receipt.code, reason=receipt.reason
        )
        return receipt

    async def read_secret(self, key: str | None) -> str | None:
        """Return a staged password. Raises NotFound if it was erased, which happens when a job fails."""
        if key is None:
            return None
        with suppress(NotFound):
            return (await asyncio.to_thread(self.staging.get, key)).decode()
        raise NotFound("ingest.password_erased")

    @asynccontextmanager
    async def settle_failure(self, claim: Claim, canonical_url: str) -> AsyncIterator[None]:
        """Record the failure of a discovered URL, replacing the outcome of an earlier attempt."""
        try:
            yield
        except ShishoError as error:
            if not error.retry:
                await self.finds.settle(claim, canonical_url, None, code=error.code, reason=error.message)
            raise

    async def clear(self, *keys: str | None) -> None:
        """Delete a job's staged bytes after its outcome is stored."""
        for key in keys:
            if key is not None:
                await asyncio.to_thread(self.staging.drop, key)

    async def _ingest(self, claim: Claim, context: JobContext, handed: IngestJob) -> Receipt:
        await self.finds.add(claim, [DiscoveredUrl(handed.source, handed.source)])
        async with self.settle_failure(claim, handed.source):
            data = await self._read(handed)
            password = await self.read_secret(handed.password)
        async with report_reading(context) as listen:
            source = Source(
                handed.source,
                data,
                metadata=handed.metadata,
                password=password,
                has_file=handed.staged is None,
                may_replace=handed.may_replace,
                notify=listen,
            )
            receipt = await self.shelve(claim, handed.source, source, handed.corpus, handed.owner)
        return raise_failure(receipt)

    async def _read(self, handed: IngestJob) -> bytes:
        if handed.staged is not None:
            return await asyncio.to_thread(self.staging.get, handed.staged)
        within = None if handed.within is None else Path(handed.within)
        return await asyncio.to_thread(self.disk.read, Path(handed.path or handed.source), within)


def raise_failure(receipt: Receipt) -> Receipt:
    """Raise the error of a failed receipt, or return the receipt."""
    if receipt.code:
        raise map_by_code().get(receipt.code, InternalError)(receipt.reason, source=receipt.source)
    return receipt
