"""The rules of access to corpora, and the audit record of visitors' actions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import field, replace

from shisho.domain.corpus import Corpus, Document, DocumentId
from shisho.domain.team import BETWEEN, Access, AuditAct, AuditOutcome, AuditVerb, CorpusKey, ReachableCorpus
from shisho.errors import (
    AccessDenied,
    ConsentRequired,
    ForbiddenPath,
    InternalError,
    InvalidParams,
    NotFound,
    QuotaExhausted,
    ShishoError,
)
from shisho.ports import AuditLog, Grants
from shisho.records import dataclass

READING_SECONDS = 600.0
REFUSALS = (AccessDenied, ConsentRequired, ForbiddenPath, QuotaExhausted)


@dataclass(frozen=True, slots=True)
class CorpusAccess:
    """One visitor's access. Grants are read on each call, so a revoked one has no effect."""

    owner: str
    grants: Grants
    audit: AuditLog
    readings: dict[DocumentId, float] = field(default_factory=dict)
    """The current document, with the time of its last access by the event loop's clock."""

    async def find_writable(self, corpus: str) -> CorpusKey:
        """Return the corpus of this name that the visitor may add to; a missing one will be theirs.

        Raises: InvalidParams for a blank, NotFound for another user's that does not exist or is not granted,
        AccessDenied for one that is granted read-only.
        """
        if not corpus.strip():
            raise InvalidParams("corpus.no_name")
        reachable = await self.find_reachable(corpus)
        if reachable is not None:
            _check(reachable.access, corpus)
            return reachable.corpus
        raise NotFound(
            "corpus.not_found",
            corpus=corpus,
        )

    async def find_reachable(self, corpus: str) -> ReachableCorpus | None:
        """Return the corpus of this name: the visitor's own, whether it exists or not, or a granted one.

        Returns None for another user's that does not exist or is not granted.
        """
        if not is_of_another(corpus):
            return ReachableCorpus(CorpusKey(self.owner, corpus), Access.OWN)
        for reachable in await self.grants.list_reachable(self.owner):
            if reachable.corpus.format_address(self.owner) == corpus:
                return reachable
        return None

    async def check_writable(self, *documents: Document) -> None:
        """Raise AccessDenied if documents belong to others' corpora that are granted read-only."""
        foreign = {
            CorpusKey(document.owner, document.corpus)
            for document in documents
            if document.owner != self.owner
        }
        if not foreign:
            return
        access = {reached.corpus: reached.access for reached in await self.grants.list_reachable(self.owner)}
        for corpus in sorted(foreign):
            _check(access.get(corpus, Access.READ), corpus.format_address(self.owner))

    async def mark_writable(self, corpora: Sequence[Corpus]) -> Sequence[Corpus]:
        """Return the corpora, each with the visitor's right to write."""
        if all(corpus.owner == self.owner for corpus in corpora):
            return corpora
        access = {
            reached.corpus.format_address(self.owner): reached.access
            for reached in await self.grants.list_reachable(self.owner)
        }
        return [
            replace(corpus, is_writable=access.get(corpus.name, Access.READ).is_writable)
            for corpus in corpora
        ]

    async def record(self, verb: AuditVerb, *subjects: str) -> None:
        """Record an action of the visitor."""
        await self.audit.record(self._build_act(verb, subjects))

    @asynccontextmanager
    async def record_outcome(self, verb: AuditVerb, *subjects: str) -> AsyncIterator[None]:
        """Record the outcome of the visitor's action in the block."""
        async with self.record_failure(verb, *subjects) as act:
            yield
        await self.audit.record(act)

    @asynccontextmanager
    async def record_failure(self, verb: AuditVerb, *subjects: str) -> AsyncIterator[AuditAct]:
        """Record an action only if it is refused or fails in the block.

        Yields the action for the transaction that performs it.
        """
        act = self._build_act(verb, subjects)
        try:
            yield act
        except Exception as error:
            outcome = AuditOutcome.REFUSED if isinstance(error, REFUSALS) else AuditOutcome.FAILED
            code = error.code if isinstance(error, ShishoError) else InternalError.code
            with suppress(ShishoError):  # the error itself is raised
                await self.audit.record(replace(act, outcome=outcome, code=code))
            raise

    def _build_act(self, verb: AuditVerb, subjects: Iterable[str]) -> AuditAct:
        return AuditAct(self.owner, verb, tuple(dict.fromkeys(subjects)))

    async def record_reading(self, document_id: DocumentId) -> None:
        """Record that the visitor reads a document; reading several pages of it counts once."""
        now = asyncio.get_running_loop().time()
        seen_at = self.readings.pop(document_id, -READING_SECONDS)
        self.readings.clear()
        self.readings[document_id] = now
        if now - seen_at >= READING_SECONDS:
            await self.record(AuditVerb.READ, document_id)

    async def select_readable(self, document_ids: Sequence[DocumentId]) -> frozenset[DocumentId]:
        """Return those of the documents that the visitor may open now."""
        return await self.grants.select_readable(document_ids, self.owner)

    async def is_readable(self, document_id: DocumentId) -> bool:
        """Return True if the visitor may open this document now."""
        return bool(await self.select_readable([document_id]))

    def replace_corpus_name(self, document: Document) -> Document:
        """Return a document with the visitor's name for its corpus: for output only.

        No method of the stores knows that name.
        """
        if document.owner == self.owner:
            return document
        return replace(document, corpus=CorpusKey(document.owner, document.corpus).format_address(self.owner))


def is_of_another(corpus: str) -> bool:
    """Return True if a corpus name is another user's. A name with a path separator is one's own."""
    return BETWEEN in corpus and "/" not in corpus and "\\" not in corpus


def _check(access: Access, corpus: str) -> None:
    if not access.is_writable:
        raise AccessDenied(
            "corpus.read_only",
            corpus=corpus,
        )
