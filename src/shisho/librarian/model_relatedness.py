"""Decide whether the goals and words of a model belong to the question.

By words they share; in other words, or in another language, by vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.embedding import compute_cosine
from shisho.errors import ShishoError
from shisho.language import answer_language
from shisho.language.meanings import join_synonyms
from shisho.librarian.selection.question import list_content_terms
from shisho.ports import Embedder


class Relatedness:
    """`embedder`: None if only words are compared; then texts in different languages count as related."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    async def find_unrelated(self, texts: Sequence[str], about: Sequence[str]) -> list[str]:
        """Return the texts that are about none of the things that the others are about."""
        unrelated = [text for text in texts if not shares_words(text, *about)]
        language = answer_language(" ".join(about))
        untranslated = [text for text in unrelated if answer_language(text) == language]
        floor = None if self._embedder is None else self._embedder.about.related_floor
        if self._embedder is None or floor is None or not unrelated:
            return untranslated
        try:
            topics = [await self._embedder.embed_query(topic) for topic in about]
            vectors = [await self._embedder.embed_query(text) for text in unrelated]
        except (ShishoError, OSError):  # its server is away, or its files are unusable
            return untranslated
        return [
            text
            for text, vector in zip(unrelated, vectors, strict=True)
            if max(compute_cosine(vector, topic) for topic in topics) < floor
        ]


class AssumedRelatedness(Relatedness):
    """Relatedness during a replay: everything that the record used counts as related."""

    async def find_unrelated(self, texts: Sequence[str], about: Sequence[str]) -> list[str]:
        return []


def shares_words(text: str, *about: str) -> bool:
    """Return whether the text shares a content word, or a synonym of one, with the others."""
    about_terms = set(list_content_terms(" ".join(about)))
    text_terms = set(list_content_terms(text))
    if text_terms & about_terms:
        return True
    synonyms = {synonym for term in text_terms for synonym in join_synonyms(term)}
    return bool(synonyms & about_terms)
