"""Decide whether the goals and words of a model belong to the question.

By words they share; in other words, or in another language, by vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.embedding import compute_cosine
from shisho.errors import ShishoError
from shisho.language.meanings import join_synonyms
from shisho.language.script import answer_language
from shisho.librarian.selection.question import list_content_terms
from shisho.ports import Embedder


class Relatedness:
    """`embedder`: None if only words are compared; then texts in different languages count as related."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    async def is_related(self, text: str, about: Sequence[str]) -> bool:
        """Return whether a text is about the same thing as one of the others."""
        if shares_words(text, *about):
            return True
        floor = None if self._embedder is None else self._embedder.about.related_floor
        is_translated = answer_language(text) != answer_language(" ".join(about))
        if self._embedder is None or floor is None:
            return is_translated
        try:
            vectors = [await self._embedder.embed_query(each) for each in (text, *about)]
        except (ShishoError, OSError):  # its server is away, or its files are unusable
            return is_translated
        return max(compute_cosine(vectors[0], other) for other in vectors[1:]) >= floor


class AssumedRelatedness(Relatedness):
    """For a replay: what the record shows as used was related."""

    async def is_related(self, text: str, about: Sequence[str]) -> bool:
        return True


def shares_words(text: str, *about: str) -> bool:
    """Return whether the text shares a content word, or a synonym of one, with the others."""
    about_terms = set(list_content_terms(" ".join(about)))
    text_terms = set(list_content_terms(text))
    if text_terms & about_terms:
        return True
    synonyms = {synonym for term in text_terms for synonym in join_synonyms(term)}
    return bool(synonyms & about_terms)
