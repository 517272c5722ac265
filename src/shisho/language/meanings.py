"""Words with the same meaning, for ranking and checking, from lists written by hand.

Words with equal normal forms in the dictionary (スイレン and 睡蓮) are not listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from shisho.language import irregular_verbs
from shisho.language.patterns import compile_lazily
from shisho.language.synonyms import synonym_groups
from shisho.language.terms import terms, tokenizer
from shisho.language.weights import LIGHT, STRONG
from shisho.language.word_groups import WordGroups, group_words, read_list

_NONE = frozenset[int]()


@lru_cache(maxsize=1)
def read_same_words() -> WordGroups:
    return group_words(read_list("same_words"))


@lru_cache(maxsize=1)
def read_near_words() -> WordGroups:
    verbs = ([(stem,) for stem in terms(forms)] for forms in irregular_verbs.FORMS.split(";"))
    return group_words([*read_list("near_words"), *verbs])


def mean_same(first: str, other: str) -> bool:
    """Return whether two terms mean the same here.

    They are equal, in one group of this list or of the dictionary, a verb and the noun made from its kanji,
    or a Latin word and its reading.
    """
    return _are_alike(_describe(first), _describe(other))


@lru_cache(maxsize=100_000)
def is_same_word(first: str, other: str) -> bool:
    """Return whether two terms are interchangeable.

    They are equal, in one group of the list of same words, a verb and the noun made from its kanji, or a
    Latin word and its reading.
    """
    if first == other:
        return True
    groups = read_same_words().of
    if not groups.get(first, _NONE).isdisjoint(groups.get(other, _NONE)):
        return True
    if (first in STRONG) != (other in STRONG):
        return False
    if _has_common_kanji(first, other) or _has_common_kanji(other, first):
        return True
    return _is_reading(first, other) or _is_reading(other, first)


def find_same(term: str, words: Iterable[str]) -> frozenset[str]:
    """Return the words that mean the same as the term, as defined by `mean_same`."""
    sought = _describe(term)
    return frozenset(word for word in words if _are_alike(sought, _describe(word)))


class _Word(NamedTuple):
    """A term, and the features by which it is compared.

    `same` and `near` are its groups in the lists; the form of the term decides which comparisons apply.
    """

    term: str
    same: frozenset[int]
    near: frozenset[tuple[str, int]]
    is_strong: bool
    is_katakana: bool
    is_latin: bool
    is_verb: bool
    is_pair: bool


@lru_cache(maxsize=100_000)
def _describe(term: str) -> _Word:
    near = {("near", group) for group in read_near_words().of.get(term, _NONE)}
    return _Word(
        term,
        read_same_words().of.get(term, _NONE),
        frozenset(near.union(("dictionary", group) for group in synonym_groups(term))),
        term in STRONG,
        _KATAKANA.fullmatch(term) is not None,
        _LATIN.fullmatch(term) is not None,
        _VERB.fullmatch(term) is not None,
        _PAIR.fullmatch(term) is not None,
    )


def _are_alike(first: _Word, other: _Word) -> bool:
    if first.term == other.term or not first.same.isdisjoint(other.same):
        return True
    if first.is_strong != other.is_strong:
        return False
    if not first.near.isdisjoint(other.near):
        return True
    if (first.is_verb and other.is_pair) or (first.is_katakana and other.is_latin):
        return _has_common_kanji(first.term, other.term) or _is_reading(first.term, other.term)
    if (other.is_verb and first.is_pair) or (other.is_katakana and first.is_latin):
        return _has_common_kanji(other.term, first.term) or _is_reading(other.term, first.term)
    return False


def _is_reading(katakana: str, word: str) -> bool:
    """Return whether they match by the dictionary's readings: シルバー and Silver."""
    if not (_KATAKANA.fullmatch(katakana) and _LATIN.fullmatch(word)):
        return False
    return katakana.translate(_LONG) in _list_readings(word)


@lru_cache(maxsize=20_000)
def _list_readings(stem: str) -> frozenset[str]:
    """Return the readings of a Latin term, and of its possible words (cooki of cookie).

    Long vowels are removed.
    """
    words = {stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else stem}
    tokens = (tokenizer().tokenize(word) for word in words)
    readings = (word_tokens[0].reading_form() for word_tokens in tokens if len(word_tokens) == 1)
    return frozenset(reading.translate(_LONG) for reading in readings if _KATAKANA.fullmatch(reading))


_KATAKANA = compile_lazily(r"[ァ-ヶー]{3,}")
_LATIN = compile_lazily(r"[a-z]{3,}")
_LONG = str.maketrans("", "", "ー・")
_VERB = compile_lazily(r"([一-鿿])[ぁ-ん]{1,3}")
_PAIR = compile_lazily(r"[一-鿿]{2}")
_OTHER = ("電話", "解雇", "否認")  # not 話す, and the opposites of 雇う and 認める


@lru_cache(maxsize=20_000)
def _has_common_kanji(verb: str, noun: str) -> bool:
    """Return whether a verb and a noun share a kanji: 増える and 増加, 建てる and 建設.

    The noun must be one that forms a verb with する.
    """
    match = _VERB.fullmatch(verb)
    # 興行 is not 行う, nor 形成 成る.
    if match is None or verb in LIGHT or not _PAIR.fullmatch(noun) or match[1] not in noun or noun in _OTHER:
        return False
    return any("サ変" in token.part_of_speech()[2] for token in tokenizer().tokenize(noun))
