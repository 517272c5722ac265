"""Synonyms for finding and showing passages. `meanings` decides if a claim is supported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from shisho.language.meanings import read_near_words, read_same_words
from shisho.language.normalise import fold_text
from shisho.language.terms import TermQuery, build_query, split_terms
from shisho.language.word_groups import Word

MAX_TERMS = 40  # of a query that gets synonyms, ten each: a longer one has enough words of its own
_NONE = frozenset[int]()


@lru_cache(maxsize=20_000)
def list_synonyms(term: str) -> tuple[Word, ...]:
    """Return the other words in the groups of a term, or of joined terms."""
    found = (
        word
        for groups in (read_same_words(), read_near_words())
        for number in sorted(groups.of.get(term, _NONE))
        for word in groups.words[number]
    )
    return tuple(word for word in dict.fromkeys(found) if "".join(word) != term)


@lru_cache(maxsize=20_000)
def join_synonyms(term: str) -> frozenset[str]:
    """Return `list_synonyms` with the terms of each word joined."""
    return frozenset(map("".join, list_synonyms(term)))


@lru_cache(maxsize=1)
def _read_long_words() -> Mapping[str, Sequence[Word]]:
    """Return the listed words of several terms, by their first term."""
    found: dict[str, dict[Word, None]] = {}
    for words in (*read_same_words().words, *read_near_words().words):
        for word in words:
            if word[1:]:
                found.setdefault(word[0], {})[word] = None
    return {first: tuple(words) for first, words in found.items()}


def find_long_words(words: Sequence[str]) -> list[Word]:
    """Return the listed words of several terms (在宅勤務) that occur in a row of terms."""
    by_first = _read_long_words()
    return [
        word
        for at, first in enumerate(words)
        for word in by_first.get(first, ())
        if tuple(words[at : at + len(word)]) == word
    ]


def add_synonyms(query: TermQuery) -> TermQuery:
    """Return the query with synonyms of its terms, unless it is long."""
    if len(query.terms) > MAX_TERMS:
        return query
    synonyms = {term: dict.fromkeys(list_synonyms(term)) for term in query.terms}
    for word in find_long_words(query.terms):
        for term in word:
            synonyms[term].update(dict.fromkeys(list_synonyms("".join(word))))
    return replace(query, synonyms={term: tuple(words) for term, words in synonyms.items() if words})


def has_synonyms(texts: Sequence[str]) -> bool:
    """Return whether a query of these texts has words with listed synonyms."""
    return bool(add_synonyms(build_query([fold_text(text) for text in texts], split_terms)).synonyms)
