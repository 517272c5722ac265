"""Designations: numbers, letters and names that distinguish things of one kind. Pure rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from shisho.language import compile_lazily, read_words
from shisho.language.numbers import UNITS, parse_kanji
from shisho.language.terms import ENGLISH_STOP, stem

_NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_VALUES = {
    word: str(value)
    for words in (_NUMBER_WORDS, _ORDINAL_WORDS)
    for value, word in enumerate(words.split(), 1)
}
_ALIASES = {"q": "quarter", "四半期": "quarter", "学年": "年生", "edit": "版"}
_ALIASES |= dict.fromkeys(("v", "ver", "バージョン"), "version")
# A text about one of these refers to others by number.
_REFERENCES = read_words("条 項 号 章 節 表 図 例 articl section claus rule chapter paragraph")
# Words before a number or a letter, or after an ordinal, that are not a kind of thing.
_NO_KIND = ENGLISH_STOP | read_words(
    "about above after all another any around before below between down each every exactly fewer january",
    "february march april may june july august september october november december figure table just last",
    "least less like more most nearly next off only our over past per said some than those total under",
    "until upon your fiscal fy year page",
)
_KANJI = "[〇一二三四五六七八九十百千]"
_UNIT = "|".join(
    re.escape(unit) + "(?![a-z])" * unit.isascii() for unit in sorted(UNITS, key=len, reverse=True)
)
_NUMBER = "[0-9]{1,12}(?:[-.][0-9]{1,6}){0,3}"
_VALUE = rf"(?:{_NUMBER}[A-Fa-f]?|[A-HJ-Zb-hj-z]|{_NUMBER_WORDS.replace(' ', '|')})"
_NAME = "[一-鿿々ァ-ヶー]{2,8}"

_DAI = compile_lazily(
    rf"第 ?([0-9]{{1,4}}|{_KANJI}{{1,6}}(?!半期)) ?(条(?:の[0-9]|の{_KANJI})?|[一-鿿々ァ-ヶー]{{1,6}})"
)
_SUFFIXED = compile_lazily(
    rf"(?:第|(?<![0-9.一-鿿]))([0-9]{{1,6}}|{_KANJI}{{1,4}})(四半期|級|年生|学年|組(?![合織み])|号[室車機線館棟]|番(?:線|出口|ホーム)|丁目|期生|便)"
)
_JAPANESE = compile_lazily(
    rf"(?<![一-鿿々ァ-ヶー])([一-鿿々]{{2,8}}|[一-鿿]{{0,4}}[ァ-ヶー]{{2,12}})(?<![約計各全毎第])(?:: ?| |第)?"
    rf"({_NUMBER}|[A-Z])(?![A-Za-z0-9%条四]|[.,][0-9]|\s?[-~〜][\s0-9]|\s?(?:{_UNIT}|[万億兆年月日]))"
)
_APPENDED = compile_lazily(rf"([一-鿿々ァ-ヶー]{{2,8}})第 ?({_KANJI}{{1,4}})(?=[及又並]|[^一-鿿々ァ-ヶー]|$)")
_ENGLISH = compile_lazily(
    rf"\b([A-Za-z]{{3,16}}):? (?:[Nn]o\. ?|#|code )?"
    rf"({_VALUE}(?:(?:, | and | or |, and ){_VALUE}){{0,8}})(?![\w%'’(]|[.,][0-9]| \()",
    re.ASCII,
)
_ORDINAL = compile_lazily(
    rf"\b({_ORDINAL_WORDS.replace(' ', '|')}|[0-9]{{1,3}}(?=st|nd|rd|th))(?:st|nd|rd|th)? ([a-z]+)(?: ([a-z]+))?"
)
_CODE = compile_lazily(rf"(?<![A-Za-z0-9])([A-Za-z]{{1,8}})[-_]?({_NUMBER}[A-Fa-f]?)s?(?![A-Za-z0-9])")
_LETTERED = compile_lazily(r"(?<![0-9])([0-9]{1,3}(?:\.[0-9]{1,3}){0,3}) ?\(([a-z]{1,4})\)")
_FAMILY = compile_lazily(
    r"(?<![一-鿿])(?:([甲乙丙丁])(?=[種型類はがのをにと、及])|([東西南北本新旧別])(館|口|棟|門|校舎|支部|ホール))"
)
_NAMED = compile_lazily(
    rf"((?:{_NAME}[・、と]){{0,8}}{_NAME}?)(支店|支社|支部|支所|営業所|出張所|工場|分校|キャンパス|会員|プラン|コース)"
    r"|\b([A-Z][a-z]+) (branch|office|campus|plant|store|plan|membership|course|wing|station)\b"
)
_RANGE = compile_lazily(r"から|[~〜–]|ないし|\b(?:to|through)\b")


class Designation(NamedTuple):
    """A kind of thing and one instance: hall and b, 条 and 12. `kinds` are synonyms."""

    kinds: frozenset[str]
    value: str

    @property
    def is_reference(self) -> bool:
        """True for articles and the like, which texts about other ones mention."""
        return not self.kinds.isdisjoint(_REFERENCES)


@lru_cache(maxsize=4_096)
def find_designations(text: str) -> frozenset[Designation]:
    """Return the designations of a text in NFKC: Hall B, 第12条, EX-200, Q3, 札幌支店."""
    return frozenset(
        Designation(frozenset(_ALIASES.get(kind, kind) for kind in kinds), _fold_value(value))
        for kinds, value in _list_designations(text)
    )


def _list_designations(text: str) -> Iterator[tuple[Iterable[str], str]]:
    for match in _DAI.finditer(text):
        noun = match[2]
        if noun[0] == "条":
            yield ("条",), match[1] + noun[1:]
        else:
            yield {noun, noun[0]} if noun[0] in UNITS or noun[0] in _REFERENCES else {noun}, match[1]
    for pattern in (_JAPANESE, _APPENDED, _CODE):
        yield from (
            ((match[1].casefold(),), match[2]) for match in pattern.finditer(text) if match[1] != "FY"
        )
    yield from (((match[2],), match[1]) for match in _SUFFIXED.finditer(text))
    yield from ((("()",), match[1] + match[2]) for match in _LETTERED.finditer(text))
    yield from (((match[3] or "甲乙",), match[1] or match[2]) for match in _FAMILY.finditer(text))
    for match in _ENGLISH.finditer(text):
        if (kind := match[1].casefold()) not in _NO_KIND:
            values = match[2].replace(",", " ").split()
            yield from (((stem(kind),), value) for value in values if value not in ("and", "or"))
    for match in _ORDINAL.finditer(text.casefold()):
        if match[2] not in _NO_KIND:
            yield {stem(noun) for noun in match.groups()[1:] if noun and noun not in _NO_KIND}, match[1]
    for match in _NAMED.finditer(text):
        for value in (match[3] or match[1]).replace("・", "、").replace("と", "、").split("、"):
            if value.casefold() not in _NO_KIND:
                yield (match[2] or match[4],), value


def _fold_value(value: str) -> str:
    folded = value.casefold()
    parts = [
        str(parse_kanji(part)) if part and not part.strip(_KANJI) else part for part in folded.split("の")
    ]
    return _VALUES.get(folded) or "の".join(parts).lstrip("0") or folded


def find_others(designation: Designation, text: str) -> list[str]:
    """Return the values of all things of the same kind in a text."""
    return [other.value for other in find_designations(text) if is_same_kind(designation, other)]


def is_same_kind(designation: Designation, other: Designation) -> bool:
    """Return whether two kinds match.

    A 警戒レベル is a レベル, and a 小学校体育館 belongs to a 小学校.
    """
    return any(
        a == b or (not a.isascii() and 1 < len(a) < len(b) and (b.startswith(a) or b.endswith(a)))
        for a, b in (
            (a, b) for kind in designation.kinds for of in other.kinds for a, b in ((kind, of), (of, kind))
        )
    )


def is_named(designation: Designation, text: str) -> bool:
    """Return whether a text names the thing, or a range of its kind that includes it."""
    stated = find_others(designation, text)
    if any(_is_covered(value, designation.value) for value in stated):
        return True
    numbers = [int(value) for value in (*stated, designation.value) if value.isdecimal()]
    return bool(numbers) and min(numbers) < numbers[-1] < max(numbers) and bool(_RANGE.search(text))


def _is_covered(stated: str, sought: str) -> bool:
    """Return whether one value covers another.

    Python 3.11 is a Python 3, and statements about all EX-200 include EX-200A.
    """
    if stated.startswith((f"{sought}.", f"{sought}-")) or sought.startswith((f"{stated}.", f"{stated}-")):
        return True
    if stated.isdecimal():
        return sought in (stated, *(stated + letter for letter in "abcdef"))
    return stated == sought or (not stated.isascii() and (stated.endswith(sought) or sought.endswith(stated)))
