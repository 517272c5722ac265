"""Documents for tests, made through the real cutting and term making."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from shisho.corpus.ingest import make_document_id, make_passage_id
from shisho.domain.corpus import BlockKind, Document, DocumentState, Intake, Passage, PrintedLine
from shisho.language.terms import analyse


def intake(
    text: str,
    *,
    source: str = "a.txt",
    corpus: str = "default",
    owner: str = "local",
    title: str = "",
    pages: int = 1,
    at: str = "2026-01-01T00:00:00",
    metadata: Mapping[str, str] | None = None,
) -> Intake:
    """One passage a paragraph; paragraphs are spread over the pages in order."""
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    name = make_document_id(sha256, corpus, owner)
    passages = []
    start = 0
    for ordinal, paragraph in enumerate(text.split("\n\n")):
        page = 1 + min(ordinal, pages - 1)
        passages.append(passage(name, ordinal, start, paragraph, page, title))
        start += len(paragraph) + 2
    document = Document(
        id=name,
        corpus=corpus,
        owner=owner,
        source=source,
        title=title or source,
        media_type="text/plain",
        sha256=sha256,
        size=len(text.encode()),
        page_count=pages,
        passage_count=len(passages),
        state=DocumentState.LIVE,
        added_at=at,
        metadata=metadata or {},
    )
    lines = (PrintedLine(0, len(text), 1, (72.0, 72.0, 500.0, 84.0)),)
    return Intake(document, text, lines, tuple(passages))


def passage(name: str, ordinal: int, start: int, text: str, page: int, heading: str) -> Passage:
    analysis = analyse([text])
    key = make_passage_id(name, start, start + len(text))  # type: ignore[arg-type]
    bands = tuple(int(hashlib.sha256(text.encode()).hexdigest()[at : at + 8], 16) for at in (0, 8))
    return Passage(
        id=key,
        document_id=name,  # type: ignore[arg-type]
        ordinal=ordinal,
        start=start,
        end=start + len(text),
        page=page,
        heading=heading,
        kind=BlockKind.PARAGRAPH,
        text=text,
        terms=analysis.terms,
        heading_terms=analyse([heading]).terms,
        bigrams=analysis.bigrams,
        cluster=key,
        bands=bands,
    )
