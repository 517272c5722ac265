"""Automatic paragraph numbers in Word documents (ECMA-376 part 1, 17.9).

第2条 is not in the text, but in counting rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from docx.oxml.ns import qn

_VALUE = qn("w:val")
_LEVELS = 9
_MOST = 100_000
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_KANJI = "〇一二三四五六七八九"
_AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str


class ParagraphCounter:
    """The counter of a document's paragraphs, which must be passed in order."""

    def __init__(self, element: Any | None) -> None:
        definitions = (
            {}
            if element is None
            else {_read_name(rules): rules for rules in element.iter(qn("w:abstractNum"))}
        )
        lists = [] if element is None else list(element.iterchildren(qn("w:num")))
        self._lists = {each.get(qn("w:numId"), ""): each for each in lists}
        self._levels = {name: _read_levels(rules) for name, rules in definitions.items()}
        self._styles = {name: _read_styles(rules) for name, rules in definitions.items()}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()

    def count(self, list_id: str, level: int | None, style_id: str) -> str | None:
        """Return the printed number of the next paragraph of this list; "" for a bullet or none.

        None if there is no such list: 0 removes a paragraph from a list.
        """
        numbered = self._lists.get(list_id)
        definition = "" if numbered is None else _read_value(numbered, "w:abstractNumId")
        levels = self._levels.get(definition)
        if levels is None:
            return None
        depth = self._styles[definition].get(style_id, 0) if level is None else level
        depth = min(max(depth, 0), _LEVELS - 1)
        counts = self._counts.setdefault(definition, [None] * _LEVELS)
        if list_id not in self._begun:
            self._begun.add(list_id)
            self._begin_anew(numbered, counts)
        before = counts[depth]
        counts[depth] = _find_level(levels, depth).start if before is None else min(before + 1, _MOST)
        counts[depth + 1 :] = [None] * (_LEVELS - depth - 1)
        return _write(levels, counts, depth)

    def _begin_anew(self, numbered: Any, counts: list[int | None]) -> None:
        for override in numbered.iterchildren(qn("w:lvlOverride")):
            depth = _parse_integer(override.get(qn("w:ilvl")), _LEVELS)
            start = override.find(qn("w:startOverride"))
            if depth < _LEVELS and start is not None:
                counts[depth] = _parse_integer(start.get(_VALUE), 1) - 1


def _read_name(definition: Any) -> str:
    return str(definition.get(qn("w:abstractNumId"), ""))


def _read_value(element: Any, name: str) -> str:
    child = element.find(qn(name))
    return "" if child is None else str(child.get(_VALUE, ""))


def _parse_integer(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) <= 5 else otherwise


def _read_levels(definition: Any) -> dict[int, _Level]:
    return {
        _parse_integer(level.get(qn("w:ilvl")), 0): _Level(
            _parse_integer(_read_value(level, "w:start"), 1),
            _read_value(level, "w:numFmt") or "decimal",
            _read_value(level, "w:lvlText"),
        )
        for level in definition.iterchildren(qn("w:lvl"))
    }


def _read_styles(definition: Any) -> dict[str, int]:
    """Return the levels of paragraphs by style."""
    return {
        _read_value(level, "w:pStyle"): _parse_integer(level.get(qn("w:ilvl")), 0)
        for level in definition.iterchildren(qn("w:lvl"))
    }


def _find_level(levels: Mapping[int, _Level], depth: int) -> _Level:
    return levels.get(depth, _Level(1, "none", ""))


def _write(levels: Mapping[int, _Level], counts: list[int | None], depth: int) -> str:
    own = _find_level(levels, depth)
    if own.form in ("bullet", "none"):
        return ""
    text = own.text[:100]
    for outer in range(depth + 1):
        level = _find_level(levels, outer)
        number = counts[outer]
        text = text.replace(f"%{outer + 1}", _spell(level.start if number is None else number, level.form))
    return text.strip()


def _spell(number: int, form: str) -> str:
    return _FORMS.get(form, str)(number)


def _spell_roman(number: int) -> str:
    letters = ""
    for value, mark in _ROMAN:
        count, number = divmod(number, value)
        letters += mark * min(count, 100)
    return letters


def _spell_letters(number: int) -> str:
    """Return a to z, then aa, bb, and so on."""
    turn, index = divmod(number - 1, 26)
    return chr(ord("a") + index) * min(turn + 1, 10)


def _spell_kanji(number: int) -> str:
    """Return a number in kanji as counted: 十二, 二十."""
    if not 0 < number < 100:
        return "".join(_KANJI[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    return (_KANJI[tens] if tens > 1 else "") + ("十" if tens else "") + (_KANJI[ones] if ones else "")


def _spell_circled(number: int) -> str:
    return chr(ord("①") + number - 1) if 0 < number <= 20 else f"({number})"


def _take_from(row: str) -> Callable[[int], str]:
    return lambda number: row[(number - 1) % len(row)]


_FORMS: Mapping[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02d}",
    "upperRoman": lambda number: _spell_roman(number).upper(),
    "lowerRoman": _spell_roman,
    "upperLetter": lambda number: _spell_letters(number).upper(),
    "lowerLetter": _spell_letters,
    "decimalFullWidth": lambda number: str(number).translate(_FULL_WIDTH),
    "decimalFullWidth2": lambda number: str(number).translate(_FULL_WIDTH),
    "decimalEnclosedCircle": _spell_circled,
    "japaneseCounting": _spell_kanji,
    "ideographDigital": lambda number: "".join(_KANJI[int(digit)] for digit in str(number)),
    "japaneseDigitalTenThousand": _spell_kanji,
    "aiueoFullWidth": _take_from(_AIUEO),
    "aiueo": _take_from(_AIUEO),
    "irohaFullWidth": _take_from(_IROHA),
    "iroha": _take_from(_IROHA),
    "none": lambda number: "",
}
