"""Everything that finds, opinions and sessions of assistants are told of, over each implementation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from shisho.domain.corpus import Citation, DocumentId, Passage
from shisho.domain.discovered_url import DiscoveredUrl
from shisho.domain.job import Job
from shisho.ports import DiscoveredUrls, Ledger, Opinions, Reports, SessionStore, Shelf
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.postgres.shelf import PostgresShelf
from shisho.stores.sql.assistants import StoredAssistants
from shisho.stores.sql.finds import StoredUrls
from shisho.stores.sql.ledger import StoredLedger
from shisho.stores.sql.opinions import StoredOpinions
from tests.making import intake
from tests.queues import Queue, new, opened


@dataclass(frozen=True)
class Discoveries:
    queue: Queue
    urls: DiscoveredUrls
    reports: Reports
    opinions: Opinions
    book: SessionStore
    shelf: Shelf
    ledger: Ledger

    async def running(self, task: str = "t1", kind: str = "toy", **fields: object) -> Job:
        """A job of a task, claimed."""
        await self.queue.add(new(kind, **fields), task=task)
        return await self.queue.claimed(kind=kind)

    async def taken_in(
        self, job: Job, url: str, text: str = "決定係数は1に近い。", corpus: str = "web"
    ) -> DocumentId:
        """A find of this job that became a document."""
        given = intake(text, source=url, corpus=corpus)
        await self.urls.add(job.claim, [found(url)])
        await self.shelf.put(given)
        await self.urls.settle(job.claim, url, given.document.id)
        return given.document.id


def found(url: str, **fields: object) -> DiscoveredUrl:
    find = DiscoveredUrl(
        url, url, "題", "抜粋", query="決定係数", engine="memory", page_number=1, rank_on_page=1
    )
    return replace(find, **fields)  # type: ignore[arg-type]


def cited(passage: Passage, start: int, end: int, source: str = "a.txt") -> Citation:
    """A span of a passage, by offsets in the passage."""
    return Citation(
        document_id=passage.document_id,
        title=source,
        source=source,
        page=passage.page,
        start=passage.start + start,
        end=passage.start + end,
        snippet=passage.text[start:end],
        sha256="",
        passage_id=passage.id,
        cluster=passage.cluster,
    )


def site(source: str) -> str:
    return source.split("/")[2] if "://" in source else ""


@asynccontextmanager
async def discoveries_of(kind: str, folder: Path) -> AsyncIterator[Discoveries]:
    async with opened(kind, folder) as queue:
        database = queue.database
        clock = queue.clock
        if isinstance(database, PostgresDatabase):
            in_postgres = StoredUrls(PostgresQueryStore(database), clock)
            yield Discoveries(
                queue,
                in_postgres,
                in_postgres,
                StoredOpinions(PostgresQueryStore(database), clock),
                StoredAssistants(PostgresQueryStore(database), clock, site),
                PostgresShelf(database, clock),
                StoredLedger(PostgresQueryStore(database), clock),
            )
            return
        stored = StoredUrls(EmbeddedQueryStore(database), clock)
        yield Discoveries(
            queue,
            stored,
            stored,
            StoredOpinions(EmbeddedQueryStore(database), clock),
            StoredAssistants(EmbeddedQueryStore(database), clock, site),
            EmbeddedShelf(database, clock),
            StoredLedger(EmbeddedQueryStore(database), clock),
        )
