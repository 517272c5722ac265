"""Web pages into a corpus: what is known is not fetched again, what has not changed is not read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shisho.domain.corpus import DocumentId, IntakeOutcome, Receipt, Source
from shisho.domain.job import Claim
from shisho.domain.politeness import PageMemory
from shisho.domain.time import count_seconds
from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, DocumentUnreadable
from shisho.handlers.ingest import IngestHandler
from shisho.ports import Cache, Clock, DiscoveredUrls
from shisho.web.crawl.visit import PageClient
from shisho.web.http.pacing import Pay
from shisho.web.http.url import without_tracking

FRESH_S = 7 * 86_400.0
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class PageOrder:
    """One page for one corpus. `anew`: ask its server even where we have it, whether it has changed."""

    url: str
    canonical_url: str
    owner: str
    corpus: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    password: str | None = None
    anew: bool = False


@dataclass(frozen=True, slots=True)
class PageIntake:
    """The door for web pages, of searches and of addresses handed in alike."""

    visiting: PageClient
    shelving: IngestHandler
    finds: DiscoveredUrls
    cache: Cache
    clock: Clock

    async def take_in(self, claim: Claim, wanted: PageOrder, ticket: str, pay: Pay) -> Receipt:
        """Take in the page, which is a find of this job. Raises RetryLater, and what `PageClient.page`
        raises; a page that cannot be taken in gives a receipt that says why."""
        known = await self.cache.page(wanted.corpus, wanted.owner, wanted.canonical_url)
        if known is not None and not wanted.anew and self._fresh(known):
            return await self._met_again(claim, wanted, known)
        response = await self.visiting.page(Request(wanted.url, headers=_conditions(known)), ticket, pay)
        if response.status != NOT_MODIFIED:
            return await self._shelved(claim, wanted, response, ticket, pay)
        if known is None:
            raise AllFetchesFailed("{url} answered that it has not changed, and was not asked that.", url=wanted.url)
        await self._remember(wanted, DocumentId(known.document_id), response)
        return await self._met_again(claim, wanted, known)

    async def _shelved(self, claim: Claim, wanted: PageOrder, response: Response, ticket: str, pay: Pay) -> Receipt:
        receipt = await self._shelve(claim, wanted, response)
        if receipt.code == DocumentUnreadable.code and b"<script" in response.body:
            rendered = await self.visiting.rendered(Request(response.url or wanted.url), f"{ticket} rendered", pay)
            if rendered is not None:
                return await self._shelve(claim, wanted, rendered)
        return receipt

    async def _shelve(self, claim: Claim, wanted: PageOrder, response: Response) -> Receipt:
        source = _source(wanted, response)
        receipt = await self.shelving.shelve(claim, wanted.canonical_url, source, wanted.corpus, wanted.owner)
        await self._remember(wanted, receipt.document_id, response)
        return receipt

    async def _met_again(self, claim: Claim, wanted: PageOrder, known: PageMemory) -> Receipt:
        document = DocumentId(known.document_id)
        await self.finds.settle(claim, wanted.canonical_url, document)
        return Receipt(wanted.url, IntakeOutcome.KNOWN, document)

    async def _remember(self, wanted: PageOrder, document: DocumentId | None, response: Response) -> None:
        if document is not None:
            told = response.headers
            page = PageMemory(document, self.clock.steady(), told.get("etag", ""), told.get("last-modified", ""))
            await self.cache.remember(wanted.corpus, wanted.owner, wanted.canonical_url, page)

    def _fresh(self, known: PageMemory) -> bool:
        return count_seconds(known.fetched_at, self.clock.steady()) < FRESH_S


def _conditions(known: PageMemory | None) -> dict[str, str]:
    if known is None:
        return {}
    asked = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in asked.items() if value}


def _source(wanted: PageOrder, response: Response) -> Source:
    """HTML brings its own title; the hit's stands in for other kinds."""
    title = "" if "html" in (response.media_type or "html") else wanted.title
    name = without_tracking(response.url or wanted.url)
    return Source(name, response.body, response.media_type, title, wanted.metadata, wanted.password, response.charset)
