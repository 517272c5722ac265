"""Synonyms by the dictionary: words that share one of its groups mean the same.

Names and numbers have none here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from shisho.language.terms import tokenizer

_WITHOUT = frozenset({"固有名詞", "数詞", "助数詞可能"})
NONE = frozenset[int]()


@lru_cache(maxsize=50_000)
def synonym_groups(word: str) -> frozenset[int]:
    """Return the dictionary's groups of a word; none if it is not a single word there.

    The word is in its normal form.
    """
    if word.isascii():
        return NONE
    tokens = list(tokenizer().tokenize(word, mode=_compile_whole_words()))
    if len(tokens) != 1 or _WITHOUT.intersection(tokens[0].part_of_speech()):
        return NONE
    return frozenset(tokens[0].synonym_group_ids())


@lru_cache(maxsize=1)
def _compile_whole_words() -> Any:
    from sudachipy import SplitMode

    return SplitMode.C
