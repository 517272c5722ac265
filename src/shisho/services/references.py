"""Bibliographic facts of documents, and their completion from the registry of DOIs."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from urllib.parse import quote, urlencode

from shisho.domain.corpus import Document, IntakeOutcome, Receipt, Scope, Source
from shisho.domain.reference import CSL_JSON, MatchedBy, Reference, ReferenceMatch
from shisho.domain.task import WebConsent
from shisho.domain.team import AuditVerb
from shisho.domain.web import EngineAbout, Request, Response
from shisho.errors import AllFetchesFailed, EngineUnavailable, NotFound, ShishoError
from shisho.ports import Fetcher, Limiter, Reader, Shelf
from shisho.records import dataclass
from shisho.services.access import CorpusAccess
from shisho.services.choosing import find_one_document
from shisho.services.queue import check_consent
from shisho.services.tasks import Consent
from shisho.web.serp.credentials import limit_of

UNKNOWN = 404
LONGEST_WAIT_S = 30.0  # for a turn; a longer wait is reported instead


@dataclass(frozen=True, slots=True)
class CrossrefRegistry:
    """A client of Crossref. `keys`: the user's settings; an email address selects Crossref's polite pool."""

    fetcher: Fetcher
    reader: Reader
    limiter: Limiter
    about: EngineAbout
    keys: Mapping[str, str] = field(default_factory=dict)

    async def look_up(self, doi: str) -> Reference | None:
        """Return the reference of a work, or None if it is unknown.

        Raises: AllFetchesFailed if there is no response, an `UnusableDocument` for an unreadable one.
        """
        address = self.keys.get("contact_email", "")
        contact = "?" + urlencode({"mailto": address}) if address else ""
        url = f"{self.about.site}/works/{quote(doi, safe='')}{contact}"
        response = await self._fetch_in_turn(Request(url, headers={"Accept": "application/json"}))
        if response.status == UNKNOWN:
            return None
        if response.status != 200:
            raise AllFetchesFailed(
                "crossref.failed",
                status=response.status,
                doi=doi,
            )
        entries = await self.reader.read_references(Source(url, response.body, CSL_JSON))
        is_it = entries[0].facts.get("doi", "").casefold() == doi.casefold()
        return entries[0] if is_it else None

    async def _fetch_in_turn(self, request: Request) -> Response:
        resource = f"engine:{self.about.name}"
        limit = limit_of(self.about, self.keys)
        ticket = uuid.uuid4().hex
        permit = await self.limiter.acquire(resource, limit, ticket)
        while not permit.granted:
            if permit.spent or permit.wait_s > LONGEST_WAIT_S:
                raise AllFetchesFailed(
                    "crossref.rate_limited",
                    seconds=permit.wait_s,
                )
            await asyncio.sleep(permit.wait_s)
            permit = await self.limiter.acquire(resource, limit, ticket)
        try:
            return await self.fetcher.fetch(request)
        finally:
            await self.limiter.release(resource, limit, ticket)


REQUIRED_FIELDS = ("author", "year")  # every document has a title
PAGE = 1_000


class References:
    """Bibliographic metadata of documents. `look_up` finds the facts of a DOI; None without web access."""

    def __init__(
        self,
        access: CorpusAccess,
        shelf: Shelf,
        consent: Consent,
        look_up: Callable[[str], Awaitable[Reference | None]] | None,
    ) -> None:
        self._access = access
        self._shelf = shelf
        self._consent = consent
        self._look_up = look_up

    async def list_incomplete(self, *names: str) -> Sequence[Document]:
        """List documents with a DOI but without author or year, among the named ones or all.

        Raises NotFound.
        """
        if names:
            documents = [await find_one_document(self._shelf, self._access.owner, name) for name in names]
        else:
            documents = []
            while page := await self._shelf.list_documents(
                Scope(self._access.owner), documents[-1].id if documents else "", PAGE
            ):
                documents.extend(page)
        return [document for document in documents if _is_incomplete(document)]

    async def complete(self, documents: Sequence[Document]) -> AsyncGenerator[Receipt, None]:
        """Ask Crossref for each document by its DOI alone, and store missing facts; yield a receipt for each.

        Raises: ConsentRequired if web consent is undecided, EngineUnavailable without web access.
        """
        check_consent(self._consent.read_state())
        if self._look_up is None or self._consent.read_state() is WebConsent.OFF:
            raise EngineUnavailable("crossref.web_off")
        for document in documents:
            try:
                async with self._access.record_failure(AuditVerb.DESCRIBE, document.id):
                    await self._access.check_writable(document)
                yield await self._complete(document, await self._look_up(document.metadata["doi"]))
            except ShishoError as error:
                yield Receipt(
                    document.source,
                    IntakeOutcome.FAILED,
                    document.id,
                    code=error.code,
                    reason=error.message,
                )

    async def _complete(self, document: Document, reference: Reference | None) -> Receipt:
        if reference is None:
            raise NotFound("crossref.unknown_doi", doi=document.metadata["doi"])
        fresh = {name: fact for name, fact in reference.facts.items() if not document.metadata.get(name)}
        fresh.pop("citation_key", None)  # Crossref's is the DOI
        async with self._access.record_outcome(AuditVerb.DESCRIBE, document.id):
            news = await self._shelf.describe({document.id: fresh})
        outcome = IntakeOutcome.DESCRIBED if news else IntakeOutcome.KNOWN
        match = ReferenceMatch(
            reference.key,
            reference.facts.get("title", ""),
            MatchedBy.DOI,
            document.id,
            document.source,
        )
        return Receipt(document.source, outcome, document.id, document.title, references=(match,))


def _is_incomplete(document: Document) -> bool:
    metadata = document.metadata
    return bool(metadata.get("doi")) and not all(metadata.get(name) for name in REQUIRED_FIELDS)
