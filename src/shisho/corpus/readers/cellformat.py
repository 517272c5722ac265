"""Cell values as their program displays them, by number format.

Source: ECMA-376 part 1, 18.8.30 and 18.8.31.

An unknown format shows the plain value. The one package that does more (ssf) is unmaintained since 2020 and
brings two calendars and a library of locales.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import dropwhile, takewhile
from operator import eq, ge, gt, le, lt, ne

Value = str | bool | int | float | datetime | date | time | timedelta

# Built-in formats, which files name by number only; openpyxl does not know those of Japan.
JAPANESE: dict[int, str] = {
    **dict.fromkeys((27, 36, 50, 57), "[$-411]ge.m.d"),
    **dict.fromkeys((28, 29, 51, 54, 58), '[$-411]ggge"年"m"月"d"日"'),
    30: "m/d/yy",
    31: 'yyyy"年"m"月"d"日"',
    32: 'h"時"mm"分"',
    33: 'h"時"mm"分"ss"秒"',
    **dict.fromkeys((34, 52, 55), 'yyyy"年"m"月"'),
    **dict.fromkeys((35, 53, 56), 'm"月"d"日"'),
}
# The locale's date format: year, month, day, as in Japan.
_LOCAL = {"mm-dd-yy": "yyyy/m/d", "m/d/yy h:mm": "yyyy/m/d h:mm"}

_TOKEN = re.compile(
    r'"(?P<words>[^"]*)"|\\(?P<mark>.)|_(?P<gap>.)|\*.|\[\$(?P<money>[^\]-]*)[^\]]*\]|\[(?P<total>h+|m+|s+)\]|\[[^\]]*\]'
    r"|(?P<noon>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|g+|e+|a{3,4})|(?P<other>.)",
    re.I | re.S,
)
_CONDITION = re.compile(r"(?:\[[^\]<>=]*\])*\[(?P<sign><=|>=|<>|<|>|=)(?P<bound>-?\d+(?:\.\d+)?)\]")
_COMPARED = {"<=": le, ">=": ge, "<>": ne, "<": lt, ">": gt, "=": eq}
_OF_JAPAN = re.compile(r"\[\$-(?:[0-9A-F]*411|ja)\b", re.I)
_BETWEEN = re.compile(r'("[^"]*"|\\.)|;', re.S)
_WORDS = "\x01"  # before literal text of a format, which contains no placeholder
_GENERAL = re.compile(r"General|G/標準", re.I)
_PLACES = frozenset("0#?")
_WEEKDAYS = "月火水木金土日"
_ERAS = (
    (date(2019, 5, 1), "令和", "R"),
    (date(1989, 1, 8), "平成", "H"),
    (date(1926, 12, 25), "昭和", "S"),
    (date(1912, 7, 30), "大正", "T"),
    (date(1868, 1, 25), "明治", "M"),
)
_MOST = 400  # characters of a format; people do not write longer ones
_DIGITS = 30


def format_value(value: Value, form: str) -> str:
    """Return the value in a number format."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    form = _LOCAL.get(form, form)
    if len(form) > _MOST:
        form = "General"
    if isinstance(value, str):
        return _format_text(value, form)
    if isinstance(value, int | float):
        return _number(value, form)
    return _format_moment(value, form)


def _format_text(value: str, form: str) -> str:
    """Return text in a format.

    The fourth section is for text, and so is a single section with a place for it.
    """
    section = _split_sections(form)[-1]
    if "@" not in section or len(_split_sections(form)) not in (1, 4):
        return value
    pieces = _split_literals(section)
    return "".join(value if piece == "@" else piece for piece in pieces).replace(_WORDS, "").strip()


def _number(value: int | float, form: str) -> str:
    if value != value or value in (float("inf"), float("-inf")) or abs(value) >= 10**_DIGITS:
        return str(value)
    section, is_signed = _choose_section(value, form)
    sign = "-" if value < 0 and is_signed else ""
    text = _fill_section(Decimal(repr(abs(value))), section)
    if text is None:
        return _format_general(value)
    text = text.replace(_WORDS, "").strip()
    return sign + text if any(mark in text for mark in "123456789") else text


def _choose_section(value: int | float, form: str) -> tuple[str, bool]:
    """Return the section for a number, and whether the caller must write the minus sign.

    Conditions, such as those of postal codes and telephone numbers, take precedence over signs.
    """
    sections = _split_sections(form)
    conditions = [_CONDITION.match(section) for section in sections[:2]]
    if any(conditions):
        meeting = (
            section
            for section, condition in zip(sections, conditions, strict=False)
            if condition and _COMPARED[condition["sign"]](value, float(condition["bound"]))
        )
        return next(meeting, sections[min(2, len(sections) - 1)]), True
    if len(sections) < 2 or value > 0 or (value == 0 and len(sections) < 3):
        return sections[0], True
    return (sections[1] if value < 0 else sections[2]), False


@lru_cache(maxsize=256)
def _split_sections(form: str) -> list[str]:
    """Return the sections for positive and negative numbers, zero, and text."""
    return _BETWEEN.sub(lambda match: match[1] or "\0", form).split("\0")[:4]


def _format_general(value: int | float) -> str:
    if isinstance(value, int) or value == int(value):
        return str(int(value))
    return f"{value:.11g}"


def _fill_section(value: Decimal, section: str) -> str | None:
    """Return the number in a section; None for an unknown format."""
    if _GENERAL.search(section):
        plain = _format_general(float(value))
        return "".join(_split_literals(_GENERAL.sub("\0", section))).replace("\0", plain)
    if re.search(r"E[+-]", section) or "/" in re.sub(r'"[^"]*"', "", section):
        return None
    pieces = _split_literals(section)
    places = [index for index, piece in enumerate(pieces) if piece in _PLACES]
    value = value.scaleb(2 * pieces.count("%"))
    if not places:
        return "".join(pieces)
    point = next((index for index in range(places[0], places[-1]) if pieces[index] == "."), None)
    if point is None and pieces[places[-1] + 1 : places[-1] + 2] == ["."]:
        point = places[-1] + 1
    value = value.scaleb(-3 * _drop_commas(pieces, places[-1] + 1))
    whole_end = places[-1] + 1 if point is None else point
    grouped = "," in pieces[places[0] : whole_end]
    fraction = [] if point is None else [piece for piece in pieces[point + 1 :] if piece in _PLACES]
    digits, _, decimals = str(value.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)).partition(".")
    whole = [piece for piece in pieces[places[0] : whole_end] if not (grouped and piece == ",")]
    shown_whole = _place_digits(digits.lstrip("0"), whole, grouped)
    shown_fraction = _trim_decimals(decimals, fraction)
    behind = [piece for piece in pieces[whole_end if point is None else point + 1 :] if piece not in _PLACES]
    between = "." if shown_fraction or (point is not None and fraction and fraction[0] == "0") else ""
    return "".join(pieces[: places[0]]) + shown_whole + between + shown_fraction + "".join(behind)


def _drop_commas(pieces: list[str], start: int) -> int:
    """Remove the commas after the last place, and return their number.

    Each means a factor of a thousand.
    """
    count = len(list(takewhile(lambda piece: piece == ",", pieces[start:])))
    del pieces[start : start + count]
    return count


def _split_literals(section: str) -> list[str]:
    """Return the format as pieces.

    Placeholders, points, commas and per cent signs are single pieces; words are others.
    """
    pieces = []
    for match in _TOKEN.finditer(section):
        if match["other"] is not None:
            pieces.append(match["other"])
        elif match["words"] or match["mark"] or match["money"]:
            pieces.append(_WORDS + (match["words"] or match["mark"] or match["money"]))
        elif match["gap"]:
            pieces.append(" ")
        elif match["date"] or match["noon"]:
            pieces.append(match[0])
    return pieces


def _place_digits(digits: str, whole: list[str], grouped: bool) -> str:
    """Return the digits in their places, from the right.

    Remaining digits precede the first place.
    """
    least = sum(piece in _PLACES for piece in dropwhile(lambda piece: piece != "0", whole))
    digits = digits.rjust(least, "0")
    if all(piece in _PLACES for piece in whole):
        return f"{int(digits):0{len(digits) + (len(digits) - 1) // 3},}" if grouped and digits else digits
    remaining = list(digits)
    placed = [
        (remaining.pop() if remaining else "") if piece in _PLACES else piece for piece in reversed(whole)
    ]
    return "".join((*remaining, *reversed(placed)))


def _trim_decimals(decimals: str, fraction: list[str]) -> str:
    """Return the decimals without zeros that only # and ? would show."""
    least = max((index + 1 for index, piece in enumerate(fraction) if piece == "0"), default=0)
    return decimals[:least] + decimals[least:].rstrip("0")


def _format_moment(value: datetime | date | time | timedelta, form: str) -> str:
    if isinstance(value, timedelta):
        return _format_lapse(value, form)
    tokens = list(_TOKEN.finditer(_split_sections(form)[0]))
    if not any(match["date"] for match in tokens):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    noon = any(match["noon"] for match in tokens)
    is_japanese = _OF_JAPAN.search(form) is not None
    parts = []
    for index, match in enumerate(tokens):
        if match["date"]:
            letters = match["date"].lower()
            if letters[0] == "m" and _is_minute(tokens, index):
                letters = "n" * len(letters)
            parts.append(_format_part(value, letters, noon, is_japanese))
        elif match["noon"]:
            halves = ("午前", "午後") if is_japanese else ("AM", "PM")
            parts.append(halves[getattr(value, "hour", 0) >= 12])
        else:
            parts.append(match["words"] or match["mark"] or match["other"] or (" " if match["gap"] else ""))
    return "".join(parts).strip()


def _is_minute(tokens: list[re.Match[str]], index: int) -> bool:
    before = next((match["date"] for match in reversed(tokens[:index]) if match["date"]), "")
    after = next((match["date"] for match in tokens[index + 1 :] if match["date"]), "")
    return before[:1] in ("h", "H") or after[:1] in ("s", "S")


def _format_part(value: datetime | date | time, letters: str, noon: bool, is_japanese: bool) -> str:
    kind = letters[0]
    size = len(letters)
    if kind in "hns":
        return _format_clock(value, letters, noon)
    if isinstance(value, time):
        return ""
    if kind == "y":
        return f"{value.year:04d}" if size > 2 else f"{value.year % 100:02d}"
    if kind == "a":
        return _WEEKDAYS[value.weekday()] + ("曜日" if size > 3 else "")
    if kind in "ge":
        return _format_era(value, kind, size)
    if size > 2 and is_japanese:
        return (
            f"{value.month}月" if kind == "m" else _WEEKDAYS[value.weekday()] + ("曜日" if size > 3 else "")
        )
    if size > 2:
        names = {"m3": "%b", "m4": "%B", "m5": "%b", "d3": "%a", "d4": "%A"}
        return value.strftime(names.get(f"{kind}{size}", "%B" if kind == "m" else "%A"))
    number = value.month if kind == "m" else value.day
    return f"{number:0{size}d}"


def _format_clock(value: datetime | date | time, letters: str, noon: bool) -> str:
    hour = getattr(value, "hour", 0)
    if letters[0] == "h":
        hour = (hour % 12 or 12) if noon else hour
        return f"{hour:0{min(2, len(letters))}d}"
    if letters[0] == "n":
        return f"{getattr(value, 'minute', 0):0{min(2, len(letters))}d}"
    whole, _, fraction = letters.partition(".")
    seconds = f"{getattr(value, 'second', 0):0{min(2, len(whole))}d}"
    return (
        f"{seconds}.{getattr(value, 'microsecond', 0):06d}"[: len(seconds) + 1 + len(fraction)]
        if fraction
        else seconds
    )


def _format_era(value: datetime | date, kind: str, size: int) -> str:
    day = value.date() if isinstance(value, datetime) else value
    first, name, letter = next((era for era in _ERAS if day >= era[0]), (date(1, 1, 1), "西暦", ""))
    if kind == "g":
        return name if size > 2 else name[:1] if size == 2 else letter
    year = day.year - first.year + 1
    return f"{year:02d}" if size > 1 else str(year)


def _format_lapse(value: timedelta, form: str) -> str:
    whole = round(value.total_seconds())
    sign = "-" if whole < 0 else ""
    hours, rest = divmod(abs(whole), 3600)
    minutes, seconds = divmod(rest, 60)
    tokens = list(_TOKEN.finditer(_split_sections(form)[0]))
    if not any(match["total"] for match in tokens):
        return f"{sign}{hours}:{minutes:02d}" + (f":{seconds:02d}" if seconds or "s" in form.lower() else "")
    totals = {"h": hours, "m": abs(whole) // 60, "s": abs(whole)}
    rests = {"h": hours % 24, "m": minutes, "s": seconds}
    parts = []
    for match in tokens:
        letters = (match["total"] or match["date"] or "").lower().partition(".")[0]
        count = (totals if match["total"] else rests).get(letters[:1])
        literal = match["words"] or match["mark"] or match["other"] or ""
        parts.append(literal if count is None else f"{count:0{len(letters)}d}")
    return sign + "".join(parts).strip()
