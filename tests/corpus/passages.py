"""Passages made as ingest makes them, for the tests of ranking, diversity and duplicates."""

from shisho.corpus import duplicates
from shisho.domain.corpus import BlockKind, DocumentId, Passage, PassageId
from shisho.language.sentences import split_sentences
from shisho.language.terms import analyse


def passage(text: str, heading: str = "", document: str = "d", name: str = "") -> Passage:
    analysis = analyse([text[start:end] for start, end in split_sentences(text)])
    own = PassageId(name or f"{document}:{text[:12]}")
    return Passage(
        id=own,
        document_id=DocumentId(document),
        ordinal=0,
        start=0,
        end=len(text),
        page=None,
        heading=heading,
        kind=BlockKind.PARAGRAPH,
        text=text,
        terms=analysis.terms,
        heading_terms=analyse([heading]).terms,
        bigrams=analysis.bigrams,
        cluster=own,
        bands=duplicates.compute_bands(text),
    )
