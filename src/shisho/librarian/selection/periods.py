"""Periods: fiscal years, which are no calendar years, and dates. Pure rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from shisho.language.eras import ERA_START
from shisho.language.numbers import Date, figures, kanji_number
from shisho.language.terms import fold

FISCAL_START = 4  # the month in which a Japanese fiscal year begins
_KANJI = "[〇一二三四五六七八九十百千]"
_FISCAL = re.compile(
    rf"(?:(?P<era>{'|'.join(ERA_START)}) ?(?P<nth>元|[0-9]{{1,2}}|{_KANJI}{{1,3}})|(?P<year>[0-9]{{4}}|{_KANJI}{{4}})) ?年度"
    r"|\b(?:fy|fiscal(?: year)?) ?'?(?P<short>[0-9]{4}|[0-9]{2})(?![0-9])(?:[-/][0-9]{2,4})?|(?P<closing>[0-9]{4})年3月期"
)
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTH = re.compile(rf"\b(?:in|of|for|during) ({_MONTH_NAMES.replace(' ', '|')})\b(?! [0-9])")
_OPEN = re.compile(
    r"[年月日度](?:から|まで|以[降前後来]|より[前後]|~|〜|の間|現在)"
    r"|\b(?:since|until|between|before|after|by|from) (?:\w+ ){0,2}\w*[0-9]"
)
YEARS = range(1900, 2100)  # bare numbers that may be years
_ASKS_DATE = re.compile(r"いつ|何[年月日]|\bwhen\b|\b(?:what|which) (?:date|day|year|month)\b")


class Periods(NamedTuple):
    """Fiscal years by the calendar year in which they begin, calendar dates, and and bare years."""

    fiscal_years: frozenset[int]
    dates: tuple[Date, ...]
    bare_years: tuple[Date, ...]


@lru_cache(maxsize=4_096)
def find_periods(text: str) -> Periods:
    """Return the periods of a text; 2022年3月期 is the fiscal year 2021."""
    folded = fold(text)
    rest = _FISCAL.sub(" ", folded)
    numbers = figures(rest)
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
        return ERA_START[match["era"]] + (1 if match["nth"] == "元" else int(kanji_number(match["nth"])))
    if match["closing"]:
        return int(match["closing"]) - 1
    year = int(kanji_number(match["year"] or match["short"]))
    return year if year > 99 else 2000 + year


def is_of_another_period(question: str, marked: str, above: str, text: str) -> bool:
    """True if the marked sentences, or else the headings, state other periods than the one in question."""
    folded = fold(question)
    if _OPEN.search(folded):
        return False
    sought, stated, higher, beside = map(find_periods, (question, marked, above, text))
    if sought.fiscal_years:
        years = higher.fiscal_years | _find_fiscal_years(higher.dates)
        others = stated.fiscal_years | years | (frozenset() if stated.fiscal_years else beside.fiscal_years)
        return bool(stated.fiscal_years | years) and sought.fiscal_years.isdisjoint(others)
    titled = higher.dates or higher.bare_years
    if _ASKS_DATE.search(folded) or _OPEN.search(fold(marked)) or not (stated.dates or titled):
        return False
    dates = (*stated.dates, *stated.bare_years, *higher.dates, *higher.bare_years)
    dates += () if stated.dates else (*beside.dates, *beside.bare_years)
    return any(not any(_is_compatible(date, other) for other in dates) for date in sought.dates)


def _is_compatible(date: Date, other: Date) -> bool:
    pairs = ((date.year, other.year), (date.month, other.month), (date.day, other.day))
    return all(a == b for a, b in pairs if a is not None and b is not None)


def _find_fiscal_years(dates: Iterable[Date]) -> frozenset[int]:
    return frozenset(date.year - (date.month < FISCAL_START) for date in dates if date.year and date.month)
