"""Metadata values in the form that filters compare, and Japanese eras."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from shisho.language.patterns import compile_lazily

ERA_START = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
}  # the year before 元年


_DATE = compile_lazily(
    rf"(?:(?P<era>{'|'.join(ERA_START)})(?P<nth>元|\d{{1,2}})|(?P<year>\d{{4}}))年"
    r"(?:度|(?:(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?)?)"
)
_ISO = compile_lazily(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?")
_NUMBER = compile_lazily(r"[-+]?\d{1,15}(?:\.\d{1,15})?")


@dataclass(frozen=True, slots=True)
class Comparable:
    """A comparable value. `folded` compares as text; `number` is set if the value is a number."""

    folded: str
    number: float | None


def make_comparable(value: str) -> Comparable:
    """Return the form in which two values of one field compare as equal or ordered."""
    folded = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    match = _DATE.fullmatch(folded) or _ISO.fullmatch(folded)
    if match is not None:
        return Comparable(_format_iso(match), None)
    plain = folded.replace(",", "")
    return Comparable(folded, float(plain) if _NUMBER.fullmatch(plain) else None)


def _format_iso(match: re.Match[str]) -> str:
    parts = match.groupdict()
    nth = 1 if parts.get("nth") == "元" else int(parts.get("nth") or 0)
    year = ERA_START[parts["era"]] + nth if parts.get("era") else int(parts["year"])
    month = parts.get("month")
    day = parts.get("day")
    return f"{year:04}" + (f"-{int(month):02}" if month else "") + (f"-{int(day):02}" if day else "")
