"""A cell's value as its program shows it: by the number format of the cell (ECMA-376 part 1, 18.8.30 and
18.8.31).

A format that is not known here shows the plain value. The one package that does more (ssf) is unmaintained
since 2020 and brings two calendars and a library of locales."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

Value = str | bool | int | float | datetime | date | time | timedelta

# Formats that a program has built in and a file names by number only; openpyxl does not know those of Japan.
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
# "The date as it is written here": year, month, day, as in Japan.
_LOCAL = {"mm-dd-yy": "yyyy/m/d", "m/d/yy h:mm": "yyyy/m/d h:mm"}

_TOKEN = re.compile(
    r'"(?P<words>[^"]*)"|\\(?P<mark>.)|_(?P<gap>.)|\*.|\[\$(?P<money>[^\]-]*)[^\]]*\]|\[(?P<total>h+|m+|s+)\]|\[[^\]]*\]'
    r"|(?P<noon>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|g+|e+|a{3,4})|(?P<other>.)",
    re.I | re.S,
)
_BETWEEN = re.compile(r'("[^"]*"|\\.)|;', re.S)
_WORDS = "\x01"  # before words of a format, of which none is a placeholder
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
_MOST = 400  # characters of a format; longer ones are no person's work
_DIGITS = 30


def format_value(value: Value, form: str) -> str:
    """The value under a number format."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    form = _LOCAL.get(form, form)
    if len(form) > _MOST:
        form = "General"
    if isinstance(value, int | float):
        return _number(value, form)
    return _moment(value, form)


def _number(value: int | float, form: str) -> str:
    sections = _sections(form)
    if value != value or value in (float("inf"), float("-inf")) or abs(value) >= 10**_DIGITS:
        return str(value)
    signed = len(sections) < 2 or (value == 0 and len(sections) < 3)
    section = sections[0] if value > 0 or signed else sections[1] if value < 0 else sections[2]
    sign = "-" if value < 0 and signed else ""
    text = _filled(Decimal(repr(abs(value))), section)
    if text is None:
        return _general(value)
    text = text.replace(_WORDS, "").strip()
    return sign + text if any(mark in text for mark in "123456789") else text


@lru_cache(maxsize=256)
def _sections(form: str) -> list[str]:
    """For numbers above nought, below it, nought, and text."""
    return _BETWEEN.sub(lambda match: match[1] or "\0", form).split("\0")[:4]


def _general(value: int | float) -> str:
    if isinstance(value, int) or value == int(value):
        return str(int(value))
    return f"{value:.11g}"


def _filled(value: Decimal, section: str) -> str | None:
    """None for a format that is not known here."""
    if _GENERAL.search(section):
        plain = _general(float(value))
        return "".join(_literals(_GENERAL.sub("\0", section))).replace("\0", plain)
    if re.search(r"E[+-]", section) or "/" in re.sub(r'"[^"]*"', "", section):
        return None
    pieces = _literals(section)
    places = [index for index, piece in enumerate(pieces) if piece in _PLACES]
    value = value.scaleb(2 * pieces.count("%"))
    if not places:
        return "".join(pieces)
    point = next((index for index in range(places[0], places[-1]) if pieces[index] == "."), None)
    if point is None and pieces[places[-1] + 1 : places[-1] + 2] == ["."]:
        point = places[-1] + 1
    whole_end = places[-1] + 1 if point is None else point
    while pieces[whole_end : whole_end + 1] == [","] and point is None:  # commas behind: thousands
        del pieces[whole_end]
        value = value.scaleb(-3)
    grouped = "," in pieces[places[0] : whole_end]
    fraction = [] if point is None else [piece for piece in pieces[point + 1 :] if piece in _PLACES]
    digits, _, decimals = str(value.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)).partition(".")
    whole = [piece for piece in pieces[places[0] : whole_end] if not (grouped and piece == ",")]
    shown_whole = _placed(digits.lstrip("0"), whole, grouped)
    shown_fraction = _trimmed(decimals, fraction)
    behind = [piece for piece in pieces[whole_end if point is None else point + 1 :] if piece not in _PLACES]
    between = "." if shown_fraction or (point is not None and fraction and fraction[0] == "0") else ""
    return "".join(pieces[: places[0]]) + shown_whole + between + shown_fraction + "".join(behind)


def _literals(section: str) -> list[str]:
    """The format as pieces: placeholders, points, commas and per cent signs, each by itself, and words."""
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


def _placed(digits: str, whole: list[str], grouped: bool) -> str:
    """Digits in their places from the right; what is left over before the first of them."""
    least = sum(piece == "0" for piece in whole)
    digits = digits.rjust(least, "0")
    if all(piece in _PLACES for piece in whole):
        return f"{int(digits):0{len(digits) + (len(digits) - 1) // 3},}" if grouped and digits else digits
    remaining = list(digits)
    placed = [
        (remaining.pop() if remaining else "") if piece in _PLACES else piece for piece in reversed(whole)
    ]
    return "".join((*remaining, *reversed(placed)))


def _trimmed(decimals: str, fraction: list[str]) -> str:
    """Without the noughts that only # and ? would have."""
    least = max((index + 1 for index, piece in enumerate(fraction) if piece == "0"), default=0)
    return decimals[:least] + decimals[least:].rstrip("0")


def _moment(value: datetime | date | time | timedelta, form: str) -> str:
    if isinstance(value, timedelta):
        return _lapse(value, form)
    tokens = list(_TOKEN.finditer(_sections(form)[0]))
    if not any(match["date"] for match in tokens):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    noon = any(match["noon"] for match in tokens)
    parts = []
    for index, match in enumerate(tokens):
        if match["date"]:
            letters = match["date"].lower()
            if letters[0] == "m" and _counts_minutes(tokens, index):
                letters = "n" * len(letters)
            parts.append(_part(value, letters, noon))
        elif match["noon"]:
            hour = getattr(value, "hour", 0)
            parts.append("PM" if hour >= 12 else "AM")
        else:
            parts.append(match["words"] or match["mark"] or match["other"] or (" " if match["gap"] else ""))
    return "".join(parts).strip()


def _counts_minutes(tokens: list[re.Match[str]], index: int) -> bool:
    before = next((match["date"] for match in reversed(tokens[:index]) if match["date"]), "")
    after = next((match["date"] for match in tokens[index + 1 :] if match["date"]), "")
    return before[:1] in ("h", "H") or after[:1] in ("s", "S")


def _part(value: datetime | date | time, letters: str, noon: bool) -> str:
    kind = letters[0]
    size = len(letters)
    if kind in "hns":
        return _of_clock(value, letters, noon)
    if isinstance(value, time):
        return ""
    if kind == "y":
        return f"{value.year:04d}" if size > 2 else f"{value.year % 100:02d}"
    if kind == "a":
        return _WEEKDAYS[value.weekday()] + ("曜日" if size > 3 else "")
    if kind in "ge":
        return _of_era(value, kind, size)
    if size > 2:
        names = {"m3": "%b", "m4": "%B", "m5": "%b", "d3": "%a", "d4": "%A"}
        return value.strftime(names.get(f"{kind}{size}", "%B" if kind == "m" else "%A"))
    number = value.month if kind == "m" else value.day
    return f"{number:0{size}d}"


def _of_clock(value: datetime | date | time, letters: str, noon: bool) -> str:
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


def _of_era(value: datetime | date, kind: str, size: int) -> str:
    day = value.date() if isinstance(value, datetime) else value
    first, name, letter = next((era for era in _ERAS if day >= era[0]), (date(1, 1, 1), "西暦", ""))
    if kind == "g":
        return name if size > 2 else name[:1] if size == 2 else letter
    year = day.year - first.year + 1
    return f"{year:02d}" if size > 1 else str(year)


def _lapse(value: timedelta, form: str) -> str:
    seconds = round(value.total_seconds())
    sign = "-" if seconds < 0 else ""
    hours, rest = divmod(abs(seconds), 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{sign}{hours}:{minutes:02d}" + (f":{seconds:02d}" if seconds or "s" in form.lower() else "")
