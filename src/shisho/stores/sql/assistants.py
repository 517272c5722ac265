"""Sessions of assistants in a database: their goals and accepted evidence.

Quotations are not stored, but sliced from the documents again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from shisho.domain.codec import dumps, loads
from shisho.domain.corpus import BlockKind, Citation, DocumentId, Scope
from shisho.domain.inquiry import Strategy, build_evidence_ref
from shisho.domain.place import restrict_place
from shisho.domain.session import SessionFacts, StoredEvidence
from shisho.errors import NotFound
from shisho.language.table_headers import find_table_header
from shisho.ports import Clock
from shisho.stores.nouns import Row, passage_id, passage_number
from shisho.stores.refusals import bound_ids
from shisho.stores.sql import Queries, QueryStore

# Add a session.
BEGIN = """INSERT INTO assistants(id, owner, strategy, scope, created_at, room_tokens)
    VALUES (:id, :owner, :strategy, :scope, :now, :room_tokens)"""
# Find the newest session of an owner.
NEWEST = """SELECT id, strategy, scope, room_tokens FROM assistants WHERE owner = :owner
    ORDER BY created_at DESC, id DESC LIMIT 1"""
# Find an owner's sessions by ID prefix, as a range of IDs.
BY_PREFIX = """SELECT id, strategy, scope, room_tokens FROM assistants
    WHERE owner = :owner AND id >= :prefix AND id < :top LIMIT 2"""
# Read the evidence of a session with the places of its passages, as input of `_build_stored_evidence`.
ACCEPTED_EVIDENCE = """SELECT e.number, e.goal_id, e.document_id, e.passage_id, e.page, e.start, e."end", e.cluster, e.score,
        e.round, p.heading, p.kind, p.place, p.ocr, p.start AS first, p."end" AS last, d.title, d.source
    FROM assistant_evidence e JOIN documents d ON d.id = e.document_id JOIN passages p ON p.id = e.passage_id
    WHERE e.session_id = :session_id ORDER BY e.number"""
# Accept a quotation for a goal under the next number; if it is accepted already, keep the higher score.
ACCEPT = """INSERT INTO assistant_evidence(session_id, number, goal_id, document_id, passage_id, page, start, "end", cluster,
        score, round)
    VALUES (:session_id, (SELECT coalesce(max(number), 0) + 1 FROM assistant_evidence WHERE session_id = :session_id),
        :goal_id, :document_id, :passage_id, :page, :start, :end, :cluster, :score, :round)
    ON CONFLICT (session_id, goal_id, document_id, start, "end") DO UPDATE SET
        score = CASE WHEN assistant_evidence.score > excluded.score THEN assistant_evidence.score ELSE excluded.score END"""
# Read the number of a quotation for a goal.
NUMBER = """SELECT number FROM assistant_evidence WHERE session_id = :session_id AND goal_id = :goal_id
    AND document_id = :document_id AND start = :start AND "end" = :end"""


class StoredAssistants:
    """`ports.SessionStore` over a database."""

    def __init__(self, store: QueryStore, clock: Clock, site: Callable[[str], str]) -> None:
        self._store = store
        self._clock = clock
        self._site = site

    async def begin(self, facts: SessionFacts) -> None:
        values: dict[str, Any] = {"id": facts.id, "owner": facts.owner, "now": self._clock.now()}
        values["room_tokens"] = facts.room_tokens
        values |= {"strategy": dumps(facts.strategy), "scope": dumps(facts.scope)}
        await self._store.write(lambda queries: queries.fetch(BEGIN, values))

    async def find_session(self, prefix: str, owner: str) -> SessionFacts:
        if prefix == "last":
            rows = await self._read(NEWEST, {"owner": owner})
        else:
            low, high = bound_ids(prefix, "session")
            rows = await self._read(BY_PREFIX, {"owner": owner, "prefix": low, "top": high})
        if len(rows) != 1:
            if rows:
                raise NotFound(
                    "session.ambiguous",
                    prefix=prefix,
                )
            raise NotFound("session.not_found", prefix=prefix)
        (row,) = rows
        strategy, scope = loads(row.strategy, Strategy), loads(row.scope, Scope)
        return SessionFacts(row.id, owner, strategy, scope, row.room_tokens)

    async def accept(
        self, session_id: str, goal_id: str, citation: Citation, score: float, round_: int
    ) -> int:
        values: dict[str, Any] = {
            "session_id": session_id,
            "goal_id": goal_id,
            "document_id": citation.document_id,
        }
        values |= {
            "passage_id": passage_number(citation.passage_id),
            "page": citation.page,
            "start": citation.start,
        }
        values |= {"end": citation.end, "cluster": citation.cluster, "score": score, "round": round_}

        def write(queries: Queries) -> int:
            queries.hold(f"session {session_id}")
            queries.fetch(ACCEPT, values)
            (accepted,) = queries.fetch(NUMBER, values)
            return int(accepted.number)

        return await self._store.write(write)

    async def list_evidence(self, session_id: str) -> Sequence[StoredEvidence]:
        def read(queries: Queries) -> list[StoredEvidence]:
            rows = queries.fetch(ACCEPTED_EVIDENCE, {"session_id": session_id})
            texts = queries.read_slices([(row.document_id, row.first, row.last) for row in rows])
            return [
                _build_stored_evidence(row, text or "", self._site)
                for row, text in zip(rows, texts, strict=True)
            ]

        return await self._store.read(read)

    async def _read(self, statement: str, values: Mapping[str, str]) -> list[Row]:
        return await self._store.read(lambda queries: queries.fetch(statement, values))


def _build_stored_evidence(row: Row, text: str, site: Callable[[str], str]) -> StoredEvidence:
    """Build stored evidence from the columns of `ACCEPTED_EVIDENCE` and the text of the passage."""
    snippet = text[row.start - row.first : row.end - row.first]
    citation = Citation(
        document_id=DocumentId(row.document_id),
        title=row.title,
        source=row.source,
        page=row.page,
        start=row.start,
        end=row.end,
        snippet=snippet,
        sha256=sha256(snippet.encode("utf-8", "surrogatepass")).hexdigest(),
        passage_id=passage_id(row.passage_id),
        cluster=row.cluster,
        site=site(row.source),
        place=restrict_place(row.place, text, row.start - row.first, row.end - row.first),
        ocr=bool(row.ocr),
        code=row.kind == BlockKind.CODE,
        header=find_table_header(text, row.start - row.first),
    )
    return StoredEvidence(
        build_evidence_ref(row.number, row.goal_id, citation, row.heading, row.score, row.round),
        citation,
    )
