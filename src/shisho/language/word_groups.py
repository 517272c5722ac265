"""Groups of synonymous words, listed by hand, in index terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

Word = tuple[str, ...]
"""The index terms of a listed word; most have one."""


@dataclass(frozen=True, slots=True)
class WordGroups:
    """Groups of synonymous words.

    `of`: the numbers of the groups of each word, its terms joined. `words`: the words of each group.
    """

    of: Mapping[str, frozenset[int]]
    words: Sequence[Sequence[Word]]


def group_words(groups: Sequence[Sequence[Word]]) -> WordGroups:
    numbers: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for word in group:
            name = "".join(word) if word[1:] else word[0]
            numbers.setdefault(name, set()).add(number)
    return WordGroups({name: frozenset(of) for name, of in numbers.items()}, groups)


def read_list(name: str) -> list[list[Word]]:
    """Return the lines of a file in language/lists.

    The file contains the results of `split_terms` (在宅+勤務, citi+centr): analysing so many words would
    delay the first question by half a second.
    """
    lines = files("shisho.language").joinpath("lists", f"{name}.txt").read_text("utf-8").splitlines()
    return [
        [(*word.split("+"),) for word in line.split()] if "+" in line else [(word,) for word in line.split()]
        for line in lines
    ]
