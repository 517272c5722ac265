"""Evidence of an answer, built from citations and marked with its documents' state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from shisho.domain.corpus import Citation, DocumentState, PassageId
from shisho.domain.inquiry import Evidence, EvidenceRef
from shisho.domain.link import is_on_web, link_citation


def mark_source_state(evidence: Evidence, source: str, state: DocumentState) -> Evidence:
    """Return the evidence with the current state and source of its document.

    An empty `source` (a purged document) changes nothing but the state.
    """
    if not source or source == evidence.document:
        return replace(evidence, source_state=state)
    citation = Citation(
        document_id=evidence.document_id,
        title=evidence.title,
        source=source,
        page=evidence.page,
        start=evidence.start,
        end=evidence.end,
        snippet=evidence.snippet,
        sha256=evidence.sha256,
        passage_id=PassageId(""),
        cluster="",
        place=evidence.place,
        ocr=evidence.ocr,
        code=evidence.code,
    )
    url = source if is_on_web(source) else None
    return replace(
        evidence, document=source, source_url=url, link=link_citation(citation), source_state=state
    )


REMOVED = "(出典は削除されました / source removed)"
"""The stored replacement for a quotation of a purged document, the same for every reader."""


def build_evidence(answer_id: str, refs: Sequence[EvidenceRef], citation: Citation) -> Evidence:
    """Build the evidence of an answer for a number, with a deterministic id.

    `refs`: all with this number, at least one. They differ in their goals.
    """
    ref = next((ref for ref in refs if not ref.same_as), refs[0])
    goals = dict.fromkeys(other.goal_id for other in refs)
    return Evidence(
        id=sha256(f"{answer_id}/{ref.number}".encode()).hexdigest()[:24],
        number=ref.number,
        goal_id=ref.goal_id,
        document_id=citation.document_id,
        document=citation.source,
        title=citation.title,
        heading=" › ".join(filter(None, (ref.heading, ref.table_header))),
        page=citation.page,
        start=citation.start,
        end=citation.end,
        snippet=citation.snippet,
        sha256=citation.sha256,
        score=ref.score,
        round=ref.round,
        source_url=citation.source if is_on_web(citation.source) else None,
        link=link_citation(citation),
        place=citation.place,
        ocr=citation.ocr,
        stance=ref.stance,
        same_as=ref.same_as,
        code=citation.code,
        passage_id=citation.passage_id,
        other_goals=tuple(goal for goal in goals if goal != ref.goal_id),
    )


def group_by_number(refs: Iterable[EvidenceRef]) -> Mapping[int, Sequence[EvidenceRef]]:
    """Return the evidence of each number: words that answer several goals have one number."""
    groups: dict[int, list[EvidenceRef]] = {}
    for ref in refs:
        groups.setdefault(ref.number, []).append(ref)
    return groups
