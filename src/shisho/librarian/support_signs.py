"""The signs that speak for or against a sentence that nothing in its quotations contradicts, and what they
weigh. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from shisho.librarian.comparison import Comparison, Doubts
from shisho.librarian.coverage import SAME, WordCover

BRIEF = 9  # words
_MOST = 4  # of one kind of doubt that are counted


class SupportSigns(NamedTuple):
    """The signs of one sentence; counts are of its words and end at 4."""

    whole: float  # all of it is there, word for word or in words that mean the same
    nouns: float  # nouns that are not there
    verbs: float  # verbs and adjectives that are not there, but for the last
    end: float  # the last predicate is not there
    slipped: (
        float  # the same where some of its words are not there: one thing is told in the place of another
    )
    brief: float  # words that are not there, of a sentence so short that each of them tells
    length: float  # logarithm of the number of words
    english: float
    letters: float  # share of its characters in the quotations, in runs of one kanji or three letters
    displaced: float  # names and figures that fit no worse in the place of another
    condition: float  # predicates that are conditional in the quotations alone
    exchanged: float  # pairs of names or figures in the other order than there
    replaced: float  # words in the place of others, where the sentence follows a quoted one
    headless: float  # nouns of which the quotations have only the first part of a longer one


# Fitted by logistic regression (L2) on paraphrases and falsehoods written by hand, on generated ones, and on
# half of JNLI's pairs, of what nothing contradicts; judged on other passages and the other half. A cosine of
# sentence vectors as one more sign told honest from false no better (area .55), and moved no threshold.
WEIGHTS = SupportSigns(
    whole=-0.01,
    nouns=-0.60,
    verbs=-0.73,
    end=-0.52,
    slipped=-1.15,
    brief=-0.38,
    length=2.15,
    english=1.28,
    letters=1.20,
    displaced=-0.73,
    condition=-2.19,
    exchanged=-1.60,
    replaced=-2.28,
    headless=-0.05,
)
FLOOR = 3.87  # by the fit, three in four that reach it are carried
BRIEF_FLOOR = 4.82  # the same of brief sentences of which some words are not there: seven in eight


def carries(signs: SupportSigns) -> bool:
    """True where the signs speak for a sentence enough, or nothing at all speaks against it."""
    if signs.whole and not any(
        (signs.displaced, signs.condition, signs.exchanged, signs.replaced, signs.headless)
    ):
        return True
    total = sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))
    return total >= (BRIEF_FLOOR if signs.brief else FLOOR)


def read_signs(comparison: Comparison, doubts: Doubts, covers: Sequence[WordCover]) -> SupportSigns:
    """Read the signs; `covers` are the words of the comparison's sentence."""
    weighed = [word for word in covers if word.weight]
    lacking = [word for word in weighed if not word.level]

    def count(kind: str) -> float:
        return float(min(_MOST, sum(word.kind == kind for word in lacking)))

    def hints(hint: str) -> float:
        return float(min(_MOST, doubts.hints.count(hint)))

    return SupportSigns(
        whole=float(all(word.level >= SAME for word in weighed)),
        nouns=count("noun"),
        verbs=count("predicate"),
        end=count("end"),
        slipped=comparison.nearness() if lacking else 0.0,
        brief=sum(1.0 - word.level for word in weighed if word.level < SAME) if len(weighed) < BRIEF else 0.0,
        length=math.log(1 + len(weighed)),
        english=0.0 if comparison.japanese else 1.0,
        letters=_letters(comparison),
        displaced=hints("displaced"),
        condition=hints("condition"),
        exchanged=hints("exchanged"),
        replaced=hints("replaced"),
        headless=hints("headless"),
    )


def _letters(comparison: Comparison) -> float:
    our_runs = _runs("".join(said_phrase.phrase.surface for said_phrase in comparison.said))
    their_runs = _runs(
        "".join(quoted_phrase.phrase.surface for quoted_phrase in (*comparison.quoted, *comparison.headed))
    )
    return len(our_runs & their_runs) / len(our_runs) if our_runs else 1.0


def _runs(text: str) -> set[str]:
    """Each kanji, and each run of three letters or katakana."""
    runs = {text[at : at + 3] for at in range(len(text) - 2)}
    return {c for c in text if "一" <= c <= "鿿"} | {
        run for run in runs if run.isascii() or "ァ" <= run[0] <= "ヺ"
    }
