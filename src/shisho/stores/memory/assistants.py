"""Sessions of assistants in one process: what they are after and the evidence that stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from shisho.domain.corpus import BlockKind, Citation, DocumentId, PassageId
from shisho.domain.inquiry import build_evidence_ref
from shisho.domain.place import place_within
from shisho.domain.session import SessionFacts, StoredEvidence
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.language.table_headers import find_table_header
from shisho.ports import Clock
from shisho.stores.beginnings import check_beginning
from shisho.stores.memory.shelf import MemoryShelf


@dataclass(frozen=True, slots=True)
class AcceptedSpan:
    """A quotation for a goal, without its text."""

    number: int
    goal_id: str
    document_id: DocumentId
    passage_id: PassageId
    page: int | None
    start: int
    end: int
    cluster: str
    score: float
    round: int


class MemoryAssistants:
    """`ports.SessionBook` in dictionaries."""

    def __init__(self, shelf: MemoryShelf, clock: Clock, site: Callable[[str], str]) -> None:
        self._shelf = shelf
        self._clock = clock
        self._site = site
        self._sessions: dict[str, tuple[Instant, SessionFacts]] = {}
        self._accepted: dict[str, dict[tuple[str, DocumentId, int, int], AcceptedSpan]] = {}

    async def begin(self, facts: SessionFacts) -> None:
        self._sessions[facts.id] = (self._clock.now(), facts)

    async def find_session(self, prefix: str, owner: str) -> SessionFacts:
        check_beginning(prefix, "session")
        newest = sorted((at, id_) for id_, (at, facts) in self._sessions.items() if facts.owner == owner)
        named = [id_ for _, id_ in newest if id_.startswith(prefix)]
        ids = [id_ for _, id_ in newest[-1:]] if prefix == "last" else named
        if len(ids) > 1:
            raise NotFound(
                "More than one session begins with {prefix}. `open_session` gives an id.",
                prefix=prefix,
            )
        if not ids:
            raise NotFound("There is no session {prefix}. `open_session` gives an id.", prefix=prefix)
        return self._sessions[ids[0]][1]

    async def accept(
        self, session_id: str, goal_id: str, citation: Citation, score: float, round_: int
    ) -> int:
        spans = self._accepted.setdefault(session_id, {})
        key = (goal_id, citation.document_id, citation.start, citation.end)
        standing = spans.get(key)
        spans[key] = AcceptedSpan(
            number=len(spans) + 1 if standing is None else standing.number,
            goal_id=goal_id,
            document_id=citation.document_id,
            passage_id=citation.passage_id if standing is None else standing.passage_id,
            page=citation.page if standing is None else standing.page,
            start=citation.start,
            end=citation.end,
            cluster=citation.cluster if standing is None else standing.cluster,
            score=score if standing is None else max(score, standing.score),
            round=round_ if standing is None else standing.round,
        )
        return spans[key].number

    async def list_evidence(self, session_id: str) -> Sequence[StoredEvidence]:
        spans = sorted(self._accepted.get(session_id, {}).values(), key=lambda span: span.number)
        standing = [await self._evidence(span) for span in spans]
        return [evidence for evidence in standing if evidence is not None]

    def quotes(self, document_id: DocumentId) -> bool:
        """True where evidence of any session quotes this document."""
        return any(
            span.document_id == document_id for spans in self._accepted.values() for span in spans.values()
        )

    async def _evidence(self, span: AcceptedSpan) -> StoredEvidence | None:
        passages = await self._shelf.list_passages_of(span.document_id)
        passage = next((passage for passage in passages if passage.id == span.passage_id), None)
        if passage is None:
            return None
        document = await self._shelf.find_document(span.document_id)
        snippet = passage.text[span.start - passage.start : span.end - passage.start]
        citation = Citation(
            document_id=span.document_id,
            title=document.title,
            source=document.source,
            page=span.page,
            start=span.start,
            end=span.end,
            snippet=snippet,
            sha256=sha256(snippet.encode("utf-8", "surrogatepass")).hexdigest(),
            passage_id=span.passage_id,
            cluster=span.cluster,
            site=self._site(document.source),
            place=place_within(
                passage.place, passage.text, span.start - passage.start, span.end - passage.start
            ),
            ocr=passage.ocr,
            code=passage.kind is BlockKind.CODE,
            header=find_table_header(passage.text, span.start - passage.start),
        )
        ref = build_evidence_ref(span.number, span.goal_id, citation, passage.heading, span.score, span.round)
        return StoredEvidence(ref, citation)
