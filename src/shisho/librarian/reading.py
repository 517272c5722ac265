"""A passage as the librarian reads it: its sentences, and the words, neighbours and figures in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from shisho.language.normalise import fold_map
from shisho.language.numbers import Figures, figures
from shisho.language.sentences import sentences
from shisho.language.terms import fold, pairs, terms


@dataclass(frozen=True, slots=True)
class SentenceLine:
    """One sentence: `text[start:end]` of its passage, folded, with its terms and which of them stand side by
    side."""

    start: int
    end: int
    folded: str
    terms: frozenset[str]
    neighbours: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class AnalysedPassage:
    """A passage with its heading. `terms`, `pairs` and `folded` take in both."""

    lines: tuple[SentenceLine, ...]
    heading: frozenset[str]
    terms: frozenset[str]
    pairs: frozenset[str]
    folded: str


@lru_cache(maxsize=1_024)
def read(text: str, heading: str) -> AnalysedPassage:
    """A passage, read once: the same one may be shown to several goals."""
    title = fold(heading)
    named_words = frozenset(terms(title))
    lines = tuple(_line(text, start, end) for start, end in sentences(text))
    return AnalysedPassage(
        lines,
        named_words,
        named_words.union(*(line.terms for line in lines)),
        frozenset(pairs(title)).union(*(pairs(line.folded) for line in lines)),
        "\n".join([title, *(line.folded for line in lines)]),
    )


@lru_cache(maxsize=1_024)
def figures_of(text: str, heading: str) -> Figures:
    """The figures of a passage and its heading."""
    return figures(f"{heading}\n{text}")


def _line(text: str, start: int, end: int) -> SentenceLine:
    # Printed lines end inside words; the view joins them.
    folded = fold(fold_map(text[start:end]).text)
    words = terms(folded)
    return SentenceLine(start, end, folded, frozenset(words), frozenset(pairwise(words)))
