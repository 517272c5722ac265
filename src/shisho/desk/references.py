"""Facts that documents lack for a bibliography, and what the registry of DOIs knows of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from shisho.desk.access import CorpusAccess
from shisho.desk.choosing import find_one_document
from shisho.desk.queue import check_consent
from shisho.desk.task_parts import Consent
from shisho.domain.audit import AuditVerb
from shisho.domain.corpus import Document, IntakeOutcome, Receipt, Scope
from shisho.domain.reference import MatchedBy, Reference, ReferenceMatch
from shisho.domain.task import WebConsent
from shisho.errors import EngineUnavailable, NotFound, ShishoError
from shisho.ports import Shelf

NEEDED = ("author", "year")  # a title every document has
PAGE = 1_000


@dataclass(frozen=True, slots=True)
class ReferenceParts:
    """The parts that the verbs are wired to. `look_up`: what is known of a DOI; None where there is no way to
    the web."""

    owner: str
    access: CorpusAccess
    shelf: Shelf
    consent: Consent
    look_up: Callable[[str], Awaitable[Reference | None]] | None


class ReferenceDesk:
    """The verbs of what is said of documents."""

    def __init__(self, parts: ReferenceParts) -> None:
        self._parts = parts

    async def list_incomplete(self, *names: str) -> Sequence[Document]:
        """Documents that say their DOI, but not who wrote them or when; of those named, or of all. Raises
        NotFound."""
        parts = self._parts
        if names:
            documents = [await find_one_document(parts.shelf, parts.owner, name) for name in names]
        else:
            documents = []
            while page := await parts.shelf.list_documents(
                Scope(parts.owner), documents[-1].id if documents else "", PAGE
            ):
                documents.extend(page)
        return [document for document in documents if _lacks_something(document)]

    async def complete(self, documents: Sequence[Document]) -> AsyncGenerator[Receipt, None]:
        """Ask Crossref for each, by its DOI and nothing else, and keep what is not said yet; a receipt for
        each. Raises ConsentRequired where nobody has said that words may go out, EngineUnavailable without a
        way."""
        parts = self._parts
        check_consent(parts.consent.state())
        if parts.look_up is None or parts.consent.state() is WebConsent.OFF:
            raise EngineUnavailable("crossref.web_off")
        for document in documents:
            try:
                async with parts.access.recording_failure(AuditVerb.DESCRIBE, document.id):
                    await parts.access.check_writable(document)
                yield await self._completed(document, await parts.look_up(document.metadata["doi"]))
            except ShishoError as error:
                yield Receipt(
                    document.source,
                    IntakeOutcome.FAILED,
                    document.id,
                    code=error.code,
                    reason=error.message,
                )

    async def _completed(self, document: Document, reference: Reference | None) -> Receipt:
        if reference is None:
            raise NotFound("crossref.unknown_doi", doi=document.metadata["doi"])
        fresh = {name: fact for name, fact in reference.facts.items() if not document.metadata.get(name)}
        fresh.pop("citation_key", None)  # Crossref's is the DOI
        async with self._parts.access.recording(AuditVerb.DESCRIBE, document.id):
            news = await self._parts.shelf.describe({document.id: fresh})
        outcome = IntakeOutcome.DESCRIBED if news else IntakeOutcome.KNOWN
        match = ReferenceMatch(
            reference.key,
            reference.facts.get("title", ""),
            MatchedBy.DOI,
            document.id,
            document.source,
        )
        return Receipt(document.source, outcome, document.id, document.title, references=(match,))


def _lacks_something(document: Document) -> bool:
    metadata = document.metadata
    return bool(metadata.get("doi")) and not all(metadata.get(name) for name in NEEDED)
