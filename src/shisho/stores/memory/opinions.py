"""The owner's opinions on sources, in one process, and the sources that answers therefore leave out."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from shisho.domain.corpus import WEB_CORPUS, Document, Passage, Scope
from shisho.domain.find import ExcludedSources
from shisho.domain.inquiry import Evidence
from shisho.domain.job import JobState
from shisho.stores.memory.finds import MemoryUrls
from shisho.stores.memory.shelf import MemoryShelf
from shisho.stores.memory.transitions import SharedQueue


class MemoryOpinions:
    """`ports.Opinions` in dictionaries, beside the shelf and the queue that they are about."""

    def __init__(self, shared: SharedQueue, shelf: MemoryShelf, urls: MemoryUrls) -> None:
        self._shared = shared
        self._shelf = shelf
        self._urls = urls
        self._domains: set[tuple[str, str]] = set()
        self._rejected: dict[tuple[str, str], Evidence] = {}

    async def block(self, owner: str, domain: str) -> None:
        self._domains.add((owner, domain))

    async def unblock(self, owner: str, domain: str) -> None:
        self._domains.discard((owner, domain))

    async def reject(self, owner: str, evidence: Evidence) -> None:
        self._rejected.setdefault((owner, evidence.id), evidence)

    async def restore(self, owner: str, evidence: Evidence) -> None:
        self._rejected.pop((owner, evidence.id), None)

    async def list_blocked(self, owner: str) -> Sequence[str]:
        return sorted(domain for whose, domain in self._domains if whose == owner)

    async def list_left_out(self, owner: str) -> ExcludedSources:
        domains = await self.list_blocked(owner)
        brought = self._urls.map_documents_to_jobs()
        live = await self._shelf.list_documents(Scope(owner), limit=1 << 60)
        cancelled = {document for document, jobs in brought.items() if all(map(self._is_cancelled, jobs))}
        documents = {
            document.id
            for document in live
            if any(_is_of(document, domain) for domain in domains)
            or (document.id in cancelled and document.corpus == WEB_CORPUS)
        }
        passages = {
            passage.id for whose, evidence in self._said(owner) for passage in await self._quoted(evidence)
        }
        return ExcludedSources(tuple(sorted(documents)), tuple(sorted(passages)))

    def _said(self, owner: str) -> list[tuple[str, Evidence]]:
        return [(whose, evidence) for (whose, _), evidence in self._rejected.items() if whose == owner]

    async def _quoted(self, evidence: Evidence) -> list[Passage]:
        passages = await self._shelf.list_passages_of(evidence.document_id)
        return [
            passage for passage in passages if passage.start < evidence.end and passage.end > evidence.start
        ]

    def _is_cancelled(self, job_id: object) -> bool:
        return any(job.id == job_id and job.state is JobState.CANCELLED for job in self._shared.jobs.values())


def _is_of(document: Document, domain: str) -> bool:
    if not document.source.lower().startswith("http"):
        return False
    host = (urlsplit(document.source).hostname or "").lower()
    return f".{host}".endswith(f".{domain}")
