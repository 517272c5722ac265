"""Ranked passages as hits with links to their pages."""

from __future__ import annotations

from shisho.domain.corpus import BlockKind, DocumentId, PassageHit, RankedPassage


def link_to(document: DocumentId, page: int | None) -> str:
    return f"document://{document}" + (f"/page/{page}" if page is not None else "")


def to_hit(hit: RankedPassage) -> PassageHit:
    """Return a ranked passage with everything needed to open it."""
    passage = hit.passage
    return PassageHit(
        passage=passage.id,
        document=passage.document_id,
        source=hit.source,
        title=hit.title,
        heading=passage.heading,
        page=passage.page,
        start=passage.start,
        end=passage.end,
        text=passage.text,
        score=hit.score,
        parts=hit.parts,
        place=passage.place,
        ocr=passage.ocr,
        code=passage.kind is BlockKind.CODE,
    )
