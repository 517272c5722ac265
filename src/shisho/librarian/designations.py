"""Things of one kind that a number tells apart: 品番101 is not 品番10101, EX-200 not EX-2000, room 203
not room 1203, レベル1 not レベル2. Pure rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_lowercase

from shisho.language.numbers import UNITS, kanji_number

# A kind of thing with the number of one of them, both folded.
Designation = tuple[str, str]

MARK_CHARS = 4  # of an item's mark, and of 「この」, before the thing that a line begins with
LONGEST_BEGINNING = 32  # characters

_KANJI_NUMERAL = re.compile(r"[〇一二三四五六七八九十百千]+")
_KIND = re.compile(r"第\s*([0-9]{1,4}|[〇一二三四五六七八九十百千]{1,6})\s*([種類])")
# Behind the number of a thing no number goes on, and no unit or noun that is counted stands:
# 標高3776メートル, 人口10万, 北方領土4島 are amounts.
_UNIT = "|".join(
    re.escape(unit) + ("(?![a-z])" if unit.isascii() else "") for unit in sorted(UNITS, key=len, reverse=True)
)
_END = rf"(?![a-z0-9%]|[.,][0-9]|\s?[-~〜][\s0-9]|\s?(?:{_UNIT}|[万億兆年月日]))"
_BETWEEN = "(?:: ?| )?"  # a cell has its column's heading before it: 部屋番号: 101
_NUMBER = r"[0-9]{1,12}(?:[-.][0-9]{1,6}){0,3}"
_CODE = re.compile(rf"(?<![a-z0-9.百千万億])(?<![0-9] )([a-z]{{1,8}})[-_]?({_NUMBER}[a-z]?)(?![a-z0-9])")
_NAME = re.compile(rf"(?<![ァ-ヶー])([ァ-ヶー]{{2,12}}){_BETWEEN}({_NUMBER})(?![ァ-ヶー]){_END}")
_NOUN = re.compile(
    rf"(?<![一-鿿々])([一-鿿々]{{2,8}})(?<![第約計各全毎]){_BETWEEN}({_NUMBER})(?![一-鿿ァ-ヶー]){_END}"
)
_LABEL = re.compile(rf"(?<![一-鿿々])([例問注]){_BETWEEN}({_NUMBER}){_END}")
_SUFFIXED = re.compile(
    r"(?<![0-9.])([0-9]{1,6})(号[室車機線館棟]|番(?:線|教室|ホーム|出口)|[日泊回年番]目|丁目|組(?![合織み])|便)"
)
_WORD = re.compile(rf"(?<![a-z0-9])([a-z]{{3,16}}):? (?:no\. ?|#)?({_NUMBER}[a-z]?)(?![a-z0-9%]|[.,][0-9])")
# Words that a number follows which numbers nothing ("in 1998", "over 300", "May 3"), or a table.
_NO_KIND = frozenset(
    word
    for line in (
        "about above after all and another any are many around approximately at before below between but by down each",
        "every exactly fewer first for from had has have into just last least less more most nearly next not off only",
        "onto over past per roughly since some than that the their then these those to total under until upon was",
        "were will with within jan january feb february mar march apr april may jun june jul july aug august sep sept",
        "september oct october nov november dec december figure figures fig table tables",
    )
    for word in line.split()
)


@lru_cache(maxsize=4_096)
def find_designations(folded: str) -> frozenset[Designation]:
    """The things that a text tells apart by numbers, each by its kind and its number. What stands below an
    article may name another one, and what is said of table 3 need not name it: these are none."""
    return frozenset(thing for _, thing in _locate(folded))


@lru_cache(maxsize=4_096)
def find_begun(folded: str) -> frozenset[Designation]:
    """Those that a line begins with, which what follows is about: a number further on is one that the
    sentence refers to."""
    return frozenset(thing for start, thing in _locate(folded[:LONGEST_BEGINNING]) if start <= MARK_CHARS)


def _locate(folded: str) -> Iterator[tuple[int, Designation]]:
    for pattern in (_CODE, _NAME, _NOUN, _LABEL):
        for match in pattern.finditer(folded):
            yield match.start(), (match[1], match[2])
    for match in _KIND.finditer(folded):
        yield match.start(), (match[2], _digits(match[1]))
    for match in _SUFFIXED.finditer(folded):
        yield match.start(), (match[2], match[1])
    for match in _WORD.finditer(folded):
        if match[1] not in _NO_KIND:
            yield match.start(), (match[1], match[2])


def names_another(sought: frozenset[Designation], stated: frozenset[Designation]) -> bool:
    """True where a text is of the kind that is sought and of none of the very things: of レベル1 where
    レベル2 is meant."""
    kinds = {kind for kind, _ in sought} & {kind for kind, _ in stated}
    return bool(kinds) and not names_any(sought, stated)


def names_any(sought: frozenset[Designation], stated: frozenset[Designation]) -> bool:
    """True where a text is of one of the things that are sought. Python 3.11 is a Python 3; of
    EX-200A what is said of all EX-200 is said."""
    return any(
        kind == of_kind
        and (number in (exact, exact.rstrip(ascii_lowercase)) or number.startswith(f"{exact}."))
        for of_kind, exact in sought
        for kind, number in stated
    )


def _digits(count: str) -> str:
    return str(int(kanji_number(count))) if _KANJI_NUMERAL.fullmatch(count) else str(int(count))
