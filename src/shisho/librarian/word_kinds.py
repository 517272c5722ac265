"""What kind of word each term of a question is: the absence of some says more than that of others. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from shisho.language.terms import terms, tokenizer

_KATAKANA = re.compile(r"[ァ-ヺー]+")


class WordKind(StrEnum):
    """Kinds by the dictionary, by the writing, and by the place: the last noun is mostly what is asked for
    (「どのような路線ですか」), which an answer need not repeat."""

    NAME = "name"
    ACTION = "action"  # a noun that is done: 放棄
    VERB = "verb"
    KATAKANA = "katakana"
    LAST_NOUN = "last_noun"


@lru_cache(maxsize=256)
def find_word_kinds(folded: str, asked_terms: tuple[str, ...]) -> Mapping[WordKind, frozenset[str]]:
    """The terms of a folded question by their kind; a term may be of several kinds, or of none."""
    of_kind: dict[WordKind, set[str]] = {kind: set() for kind in WordKind}
    for token in tokenizer().tokenize(folded):
        surface = token.surface()
        words = {token.normalized_form(), *terms(surface)}.intersection(asked_terms)
        speech = token.part_of_speech()
        kind = _kind(speech[0], speech[1], speech[2])
        if kind is not None:
            of_kind[kind] |= words
        if _KATAKANA.fullmatch(surface):
            of_kind[WordKind.KATAKANA] |= words
        if words and speech[0] == "名詞" and speech[1] != "数詞":
            of_kind[WordKind.LAST_NOUN] = words
    return {kind: frozenset(words) for kind, words in of_kind.items()}


def _kind(speech: str, subclass: str, usage: str) -> WordKind | None:
    if speech == "動詞":
        return WordKind.VERB
    if speech != "名詞":
        return None
    if subclass == "固有名詞":
        return WordKind.NAME
    return WordKind.ACTION if usage.startswith("サ変") else None
