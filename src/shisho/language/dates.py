"""Dates in free text: of works, of visits, and of fiscal years."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from shisho.language import compile_lazily
from shisho.language.numbers import ERA_START, Date, find_figures, fold_figures, parse_kanji
from shisho.language.terms import fold

_YEARS = range(1500, 2100)  # others are different numbers: programs write 101 for an unknown year
_WESTERN = compile_lazily(
    r"(?<!\d)(?P<year>1[5-9]\d\d|20\d\d)"
    r"(?:(?P<digits>\d{4})(?!\d)|(?!\d)(?:\s?[-/年.]\s?(?P<month>\d{1,2})(?!\d)(?:\s?[-/月.]\s?(?P<day>\d{1,2})(?!\d))?)?)"
)


def find_date(text: str) -> Date:
    """Return the date in a text; its parts are None if it names no year.

    2024, c. 1985, 20240401, 2024年度, 令和6年4月, 昭和50, 一九九五年. A western year takes precedence:
    平成2(1990)年.
    """
    plain = fold_figures(text)
    if match := _WESTERN.search(plain):
        digits = match["digits"]
        month, day = (digits[:2], digits[2:]) if digits else (match["month"], match["day"])
        return Date(int(match["year"]), *(int(part) if part else None for part in (month, day)))
    closed = "".join(plain.split())
    # `find_figures` reads 令和6 alone as a number.
    dates = find_figures(closed if "年" in closed else f"{closed}年").dates
    return next((date for date in dates if date.year in _YEARS), Date(None))


def find_year(text: str) -> str:
    """Return the year of `find_date`, or ""."""
    year = find_date(text).year
    return "" if year is None else str(year)


FISCAL_START = 4  # the month in which a Japanese fiscal year begins
_KANJI = "[〇一二三四五六七八九十百千]"
_FISCAL = compile_lazily(
    rf"(?:(?P<era>{'|'.join(ERA_START)}) ?(?P<nth>元|[0-9]{{1,2}}|{_KANJI}{{1,3}})|(?P<year>[0-9]{{4}}|{_KANJI}{{4}})) ?年度"
    r"|\b(?:fy|fiscal(?: year)?) ?'?(?P<short>[0-9]{4}|[0-9]{2})(?![0-9])(?:[-/][0-9]{2,4})?|(?P<closing>[0-9]{4})年3月期"
)
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTH = compile_lazily(rf"\b(?:in|of|for|during) ({_MONTH_NAMES.replace(' ', '|')})\b(?! [0-9])")
YEARS = range(1900, 2100)  # bare numbers that may be years


class Periods(NamedTuple):
    """Fiscal years by the calendar year in which they begin, calendar dates, and bare years."""

    fiscal_years: frozenset[int]
    dates: tuple[Date, ...]
    bare_years: tuple[Date, ...]

    @property
    def years_of_dates(self) -> frozenset[int]:
        """The fiscal years that contain the dates."""
        dates = (date for date in self.dates if date.year and date.month)
        return frozenset((date.year or 0) - ((date.month or 0) < FISCAL_START) for date in dates)


@lru_cache(maxsize=4_096)
def find_periods(text: str) -> Periods:
    """Return the periods of a text; 2022年3月期 is the fiscal year 2021."""
    folded = fold(text)
    rest = _FISCAL.sub(" ", folded)
    numbers = find_figures(rest)
    months = (Date(None, _MONTH_NAMES.split().index(match[1]) + 1) for match in _MONTH.finditer(rest))
    return Periods(
        frozenset(map(_read_fiscal_year, _FISCAL.finditer(folded))),
        (*numbers.dates, *months),
        tuple(
            Date(int(measure.value))
            for measure in numbers.measures
            if measure.value in YEARS and not measure.unit
        ),
    )


def _read_fiscal_year(match: re.Match[str]) -> int:
    if match["era"]:
        return ERA_START[match["era"]] + (1 if match["nth"] == "元" else int(parse_kanji(match["nth"])))
    if match["closing"]:
        return int(match["closing"]) - 1
    year = int(parse_kanji(match["year"] or match["short"]))
    return year if year > 99 else 2000 + year
