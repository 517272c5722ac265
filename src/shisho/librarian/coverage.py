"""How much of a sentence stands in its quotations: word for word, in words that mean the same, or in words
that are written with the same characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from shisho.language.meanings import mean_same
from shisho.language.weights import GRADED, LIGHT, STRONG, word_set
from shisho.librarian.comparison import FOREIGN, REPEATED, Comparison, Doubts, join_phrases
from shisho.librarian.ties import TiedPhrase, figures_agree

NEARLY_ALL = 0.85  # share of words in the same order from which any other word in their place counts
EXACT = 1.0
SAME = 0.9
ALIKE = 0.6  # 荷 and 荷物, geometry and geometrical
_KANJI = re.compile(r"[一-鿿々]")
_TURNING = "不非無未反逆"  # kanji that turn a word round
_PREFIX = 5  # letters that two English words begin with, to be taken for one stem

_FIGURE = r"\$?(\d[\d,.]*\d|\d)"
_LEAST = re.compile(
    rf"\b(?:at least|more than|over|above|no less than|minimum of) {_FIGURE}"
    rf"|{_FIGURE}[^\d、。]{{0,6}}(?:以上|超|を超|を上回)"
)
_MOST = re.compile(
    rf"\b(?:at most|up to|less than|fewer than|under|below|no more than|maximum of) {_FIGURE}"
    rf"|{_FIGURE}[^\d、。]{{0,6}}(?:以下|未満|に満たな|以内|を下回)"
)
_QUOTED = re.compile(r"[「『]([^「」『』]{2,30})[」』]")
# Words that put one thing before another, and after it.
_BEFORE = word_set("先 前 以前 直前 先立つ 先んじる 事前 before until prior earlier first")
_AFTER = word_set("後 翌 以後 以降 直後 次 続く 次ぐ 末 経る 事後 after since later then next subsequ follow")


@dataclass(frozen=True, slots=True)
class WordCover:
    """A word of the sentence, how well the quotations have it, and what it is there."""

    word: str
    level: float
    kind: str  # name, figure, noun, predicate, end (the last predicate), adverb, light

    @property
    def weight(self) -> float:
        """How much depends on the word."""
        return _WEIGHTS[self.kind]


_WEIGHTS = {
    "name": 2.0,
    "figure": 2.0,
    "noun": 1.0,
    "predicate": 0.6,
    "end": 0.8,
    "adverb": 0.3,
    "light": 0.0,
}


def cover(comparison: Comparison) -> tuple[WordCover, ...]:
    """The words and figures of the sentence in order."""
    last = next(
        (said_phrase for said_phrase in reversed(comparison.said) if said_phrase.phrase.predicate), None
    )
    idioms = _idioms(comparison)
    return tuple(
        word for said_phrase in comparison.said for word in _covers(comparison, said_phrase, last, idioms)
    )


def share(covers: Sequence[WordCover]) -> float:
    """The share of the sentence that is covered, by the weight of its words; 1 for a sentence without any."""
    total = sum(word.weight for word in covers)
    return sum(word.weight * word.level for word in covers) / total if total else 1.0


def compare_coverage(comparison: Comparison, covers: Sequence[WordCover], doubts: Doubts) -> None:
    """What the quotations do not have must not be of the kind that makes another thing of a sentence: words
    of before and after, of no exception; one word in the place of another where all the rest is word for word
    theirs."""
    lacking = [word for word in covers if word.level < SAME]
    if any(word.word in STRONG for word in lacking):
        doubts.unsure.append("quantifier")
    if any(word.word in GRADED for word in lacking):
        doubts.unsure.append("direction")
    if any(
        quoted_phrase[1] not in comparison.quoted_text for quoted_phrase in _QUOTED.finditer(comparison.text)
    ):
        doubts.unsure.append("words")
    if _bounds_turned(comparison):
        doubts.wrong.append("direction")
    nearness = comparison.nearness()
    missed = any(word.weight >= _WEIGHTS["predicate"] and not word.level for word in covers)
    if (nearness >= REPEATED and missed) or (nearness >= NEARLY_ALL and "replaced" in doubts.hints):
        doubts.unsure.append("words")
    if share(covers) < FOREIGN:
        doubts.wrong.append("words")
    _compare_order(comparison, {word.word for word in lacking}, doubts)


def _bounds_turned(comparison: Comparison) -> bool:
    """True for "at least 60" where there is "up to 60"."""
    return any(
        {match[1] or match[2] for match in our_kanji.finditer(comparison.text)}
        & {match[1] or match[2] for match in their_kanji.finditer(comparison.quoted_text)} - {None}
        for our_kanji, their_kanji in ((_LEAST, _MOST), (_MOST, _LEAST))
    )


def _compare_order(comparison: Comparison, lacking: set[str], doubts: Doubts) -> None:
    """What is said to come before something else, or after it, stands so in the quotations, by their words or
    by the order in which they tell it."""
    quoted_order = {quoted_phrase.phrase.role for quoted_phrase in comparison.quoted} | comparison.words
    for at, said_phrase in enumerate(comparison.said):
        words = {*said_phrase.phrase.terms, said_phrase.phrase.role}
        if words & _BEFORE & ({said_phrase.phrase.role} | lacking) and not quoted_order & _BEFORE:
            doubts.unsure.append("order")
        if words & _AFTER & ({said_phrase.phrase.role} | lacking) and not quoted_order & _AFTER:
            earlier = comparison.said[:at]
            later = comparison.said[at + 1 :]
            if said_phrase.phrase.role in _AFTER or not _is_told_in_order(comparison, earlier, later):
                doubts.unsure.append("order")


def _is_told_in_order(
    comparison: Comparison, earlier: Sequence[TiedPhrase], later: Sequence[TiedPhrase]
) -> bool:
    places = comparison.find_first_places()
    before = [places[word] for word in _renamed(comparison, earlier) if word in places]
    after = [places[word] for word in _renamed(comparison, later) if word in places]
    return bool(before and after) and sum(before) / len(before) < sum(after) / len(after)


def _renamed(comparison: Comparison, row: Sequence[TiedPhrase]) -> set[str]:
    return {comparison.rename(word) for said_phrase in row for word in said_phrase.phrase.terms} - LIGHT


def _idioms(comparison: Comparison) -> frozenset[int]:
    """The phrases, by identity, that say together with the next one what the quotations say in one word."""
    covered = set[int]()
    for said_phrase, after in pairwise(comparison.said):
        meaning = join_phrases(said_phrase, after)
        if meaning and _level(comparison, meaning) >= SAME:
            covered |= {id(said_phrase), id(after)}
    return frozenset(covered)


def _covers(
    comparison: Comparison, said_phrase: TiedPhrase, last: TiedPhrase | None, idioms: frozenset[int]
) -> Iterator[WordCover]:
    phrase = said_phrase.phrase
    if phrase.figures:
        agree = any(
            figures_agree(said_phrase, quoted_phrase)
            for quoted_phrase in (*comparison.quoted, *comparison.headed)
        )
        yield WordCover("", EXACT if agree else 0.0, "figure")
    whole = phrase.whole
    is_known = bool(whole) and (
        id(said_phrase) in idioms
        or whole in comparison.wholes
        or any(mean_same(whole, other) for other in comparison.wholes)
    )
    for word in phrase.terms:
        kind = "noun"
        if word in LIGHT:
            kind = "light"
        elif phrase.predicate:
            kind = "end" if said_phrase is last else "predicate"
        elif phrase.adverb:
            kind = "adverb"
        elif phrase.name:
            kind = "name"
        yield WordCover(word, EXACT if is_known else _level(comparison, word), kind)


def _level(comparison: Comparison, word: str) -> float:
    if word in comparison.words:
        return EXACT
    if comparison.rename(word) in comparison.words:
        return SAME
    return max((ALIKE for other in comparison.words if _written_alike(word, other)), default=0.0)


@lru_cache(maxsize=20_000)
def _written_alike(word: str, other: str) -> bool:
    if word.isascii() or other.isascii():
        return (
            word.isascii()
            and other.isascii()
            and min(len(word), len(other)) >= _PREFIX
            and word[:_PREFIX] == other[:_PREFIX]
        )
    our_kanji = set(_KANJI.findall(word))
    their_kanji = set(_KANJI.findall(other))
    contained = bool(our_kanji and their_kanji) and (our_kanji <= their_kanji or their_kanji <= our_kanji)
    return contained and word[0] not in _TURNING and other[0] not in _TURNING
