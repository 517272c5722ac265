"""The term vector of a passage, computed from the passage: the same in every store."""

from __future__ import annotations

from shisho.domain.corpus import Passage, TermVector
from shisho.language.vectors import character_codes, term_codes, word_count


def vector_of(passage: Passage, document_term_count: int = 0) -> TermVector:
    """Return the term vector of a passage. Documents of unknown length have a count of 0."""
    return TermVector(
        passage.id,
        passage.document_id,
        term_codes(passage.terms),
        term_codes(passage.heading_terms),
        character_codes(f"{passage.heading}\n{passage.text}"),
        word_count(passage.terms),
        word_count(passage.heading_terms),
        word_count(passage.bigrams),
        document_term_count,
    )
