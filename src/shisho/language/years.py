"""The date at which a work came out, or was looked at, in what somebody wrote of it."""

from __future__ import annotations

from shisho.language.numbers import Date, figures, fold_figures
from shisho.language.patterns import compile_lazily

_YEARS = range(1500, 2100)  # others are numbers of another kind: programs write 101 for an unknown one
_WESTERN = compile_lazily(
    r"(?<!\d)(?P<year>1[5-9]\d\d|20\d\d)"
    r"(?:(?P<digits>\d{4})(?!\d)|(?!\d)(?:\s?[-/年.]\s?(?P<month>\d{1,2})(?!\d)(?:\s?[-/月.]\s?(?P<day>\d{1,2})(?!\d))?)?)"
)


def find_date(text: str) -> Date:
    """2024, c. 1985, 20240401, 2024年度, 令和6年4月, 昭和50, 一九九五年; its parts are None where it names no
    year. A western year counts before any other: 平成2(1990)年."""
    plain = fold_figures(text)
    if match := _WESTERN.search(plain):
        digits = match["digits"]
        month, day = (digits[:2], digits[2:]) if digits else (match["month"], match["day"])
        return Date(int(match["year"]), *(int(part) if part else None for part in (month, day)))
    closed = "".join(plain.split())
    # 令和6 alone is a number to `figures`.
    dates = figures(closed if "年" in closed else f"{closed}年").dates
    return next((date for date in dates if date.year in _YEARS), Date(None))


def find_year(text: str) -> str:
    """The year of `find_date`, "" without one."""
    year = find_date(text).year
    return "" if year is None else str(year)
