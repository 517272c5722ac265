"""The words that a lexical index proposes by, the same in every store: the weight of each field, and which
words of a query tell
passages apart. Our own scoring ranks what is proposed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

WEIGHTS = {"terms": 1.0, "bigrams": 0.4}
HEADING = 3  # a term of the heading counts as this many in the text
EVERYWHERE = 0.9  # of all passages: a word of more of them is weighed, but proposes nothing (docs/adr/0002)
Word = tuple[str, str]
"""A field, and a term or a pair of characters in it."""


def words_of(terms: Sequence[str], bigrams: Sequence[str]) -> list[Word]:
    """The words of a query, each once."""
    words = [("terms", term) for term in dict.fromkeys(terms)]
    return words + [("bigrams", pair) for pair in dict.fromkeys(bigrams)]


def select_telling(words: Sequence[Word], frequency: Callable[[Word], int], passages: int) -> Sequence[Word]:
    """Leave out those that nearly every passage has, unless there are no others."""
    telling = [word for word in words if frequency(word) <= EVERYWHERE * passages]
    return telling if any(frequency(word) for word in telling) else words


def rarity(frequency: int, passages: int) -> float:
    """BM25's idf of what stands in `frequency` of so many passages."""
    return math.log(1 + (max(passages, frequency) - frequency + 0.5) / (frequency + 0.5))
