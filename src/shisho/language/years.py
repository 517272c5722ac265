"""The date of a work, or of a visit to it, from free text."""

from __future__ import annotations

from shisho.language.numbers import Date, figures, fold_figures
from shisho.language.patterns import compile_lazily

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
    # `figures` reads 令和6 alone as a number.
    dates = figures(closed if "年" in closed else f"{closed}年").dates
    return next((date for date in dates if date.year in _YEARS), Date(None))


def find_year(text: str) -> str:
    """Return the year of `find_date`, or ""."""
    year = find_date(text).year
    return "" if year is None else str(year)
