"""Candidate selection in a lexical index: field weights, and selective query words.

It is the same in every store. Our own scoring ranks the candidates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

WEIGHTS = {"terms": 1.0, "bigrams": 0.4}
HEADING = 3  # a heading term counts as much as this many in the text
EVERYWHERE = 0.9  # share of passages above which a word scores, but selects no candidates (docs/adr/0002)
Word = tuple[str, str]
"""A field, and a term or a pair of characters in it."""


def words_of(terms: Sequence[str], bigrams: Sequence[str]) -> list[Word]:
    """Return the distinct words of a query."""
    words = [("terms", term) for term in dict.fromkeys(terms)]
    return words + [("bigrams", pair) for pair in dict.fromkeys(bigrams)]


def select_telling(words: Sequence[Word], frequency: Callable[[Word], int], passages: int) -> Sequence[Word]:
    """Leave out words that nearly every passage contains, unless there are no others."""
    telling = [word for word in words if frequency(word) <= EVERYWHERE * passages]
    return telling if any(frequency(word) for word in telling) else words


def rarity(frequency: int, passages: int) -> float:
    """Return BM25's IDF for a word in `frequency` of `passages` passages."""
    return math.log(1 + (max(passages, frequency) - frequency + 0.5) / (frequency + 0.5))
