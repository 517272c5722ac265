"""Groups of words that say the same, as they are listed by hand, in index terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from shisho.language.terms import fold, split_word, terms, tokenizer

_LATIN_LETTER = re.compile("[a-zß-öø-ÿĀ-ɏ]")
_PARTS = re.compile(r"[_'-]")

Word = tuple[str, ...]
"""The index terms of a listed word: most have one."""


@dataclass(frozen=True, slots=True)
class WordGroups:
    """Groups of words that say the same. `of`: the numbers of the groups of each word, its terms joined;
    `words`: the words of each group that consist of terms alone."""

    of: Mapping[str, frozenset[int]]
    words: Sequence[Sequence[Word]]


def group_words(groups_of_words: str, further_groups: Iterable[Sequence[Word]]) -> WordGroups:
    """The groups of a text, which are parted by semicolons, and those of a file."""
    numbers: dict[str, set[int]] = {}
    words: list[Sequence[Word]] = []
    for number, group in enumerate(groups_of_words.split(";")):
        whole_words = []
        for listed in group.split():
            word, is_content = read_listed(listed)
            for name in {listed, "".join(word) if is_content else listed}:
                numbers.setdefault(name, set()).add(number)
            if is_content:
                whole_words.append(word)
        words.append(whole_words)
    for number, further in enumerate(further_groups, len(words)):
        for word in further:
            name = "".join(word) if word[1:] else word[0]
            numbers.setdefault(name, set()).add(number)
        words.append(further)
    return WordGroups({name: frozenset(of) for name, of in numbers.items()}, words)


def read_list(name: str) -> list[list[Word]]:
    """The lines of a file in language/lists, which is written in index terms (在宅+勤務, citi+centr): to read
    as many words would take a first question a fifth of a second."""
    lines = files("shisho.language").joinpath("lists", f"{name}.txt").read_text("utf-8").splitlines()
    return [
        [(*word.split("+"),) for word in line.split()] if "+" in line else [(word,) for word in line.split()]
        for line in lines
    ]


@lru_cache(maxsize=20_000)
def read_listed(listed: str) -> tuple[Word, bool]:
    """The terms of a listed word, and True where all of its parts are terms: without its first part, 成り立つ
    would be 立つ. Most words stand in several groups, and the lists hold five thousand."""
    folded = fold(listed)
    if listed.isascii():
        parts = terms(folded)
        return tuple(parts) or (listed,), len(parts) == len(_PARTS.split(listed))
    if _LATIN_LETTER.search(folded):
        parts = terms(folded)
        count = len(tokenizer().tokenize(folded))
    else:
        parts, count = split_word(folded)
    return tuple(parts) or (listed,), len(parts) == count
