"""Negation of clauses in Japanese and English."""

from __future__ import annotations

from shisho.language.patterns import compile_lazily
from shisho.language.terms import fold

_NEGATION = compile_lazily(
    r"ない|なかっ|なく(?!と)|なけれ|なし(?:に|で)|ません|ず(?=[、。にはと]|$)|(?<=[かがさたなばまらわ])ぬ|ざる|まい(?=[。、]|$)|可能性(?:が|は|も)低|不可能|無関係|皆無"
    r"|\bnot\b|n't\b|\bno\b|\bnever\b|\bwithout\b|\bneither\b|\bnor\b|\bcannot\b|\bunable\b"
)
# Phrases that look like a negation but are not, and double negations.
_NO_NEGATION = compile_lazily(
    r"(?:なければ|なくては|ないと|ねば)(?:なら|いけ)(?:ない|ません|なかった|ず|なく)|だけで(?:は)?なく|のみならず|に(?:違い|ちがい)ない|かもしれ(?:ない|ません)"
    r"|少なく(?:と|ない)|少ない|(?:ほか|他|しか)(?:は)?ない|ないことはない|ないわけではない|必ず|まず|わず(?:か|に)|はず|ずつ|思わず|相変わらず"
    r"|にもかかわらず|に関わらず|を問わず|幼い|危ない|つまらない|なくな"
    r"|\bnot only\b|\bno doubt\b"
)


def count_negations(clause: str) -> int:
    """Return the number of negations in a clause."""
    return len(_NEGATION.findall(_NO_NEGATION.sub("", fold(clause))))


def is_negated(clause: str) -> bool:
    """Return whether a clause has an odd number of negations: two affirm."""
    return count_negations(clause) % 2 == 1
