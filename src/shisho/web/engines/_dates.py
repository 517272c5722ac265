"""The date next to a hit, in the forms that engines print: ISO, numeric, English, Japanese, "3 days ago"."""

from __future__ import annotations

import re
from datetime import date, timedelta

MONTHS = {
    name: n
    for n, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})",
        r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日",
        r"(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})",
        r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})",
        _MONTH + r"\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>\d{4})",
        r"(?P<d>\d{1,2})(?:st|nd|rd|th)?\s+" + _MONTH + r",?\s+(?P<y>\d{4})",
    )
)
_UNITS = {
    "minute": 0, "min": 0, "分": 0, "hour": 0, "時間": 0, "day": 1, "日": 1, "week": 7, "週間": 7,
    "month": 30, "か月": 30, "ヶ月": 30, "year": 365, "年": 365,
}  # fmt: skip
_AGO = re.compile(
    r"(?P<n>\d{1,3})\s*(?P<unit>minute|min|hour|day|week|month|year|分|時間|日|週間|か月|ヶ月|年)s?\s*(?:ago|前)",
    re.IGNORECASE,
)


def parse_date(text: str, today: date | None = None) -> str | None:
    """Return the date at the start of `text` as an ISO day; "3 days ago" only if `today` is known."""
    text = text.lstrip(" \t([—–-·")
    for form in _FORMS:
        match = form.match(text)
        if match:
            return _format_iso(match)
    ago = _AGO.match(text)
    if ago and today:
        return (today - timedelta(days=int(ago["n"]) * _UNITS[ago["unit"].lower()])).isoformat()
    return None


def _format_iso(match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else MONTHS[parts["month"].lower()]
    try:
        return date(int(parts["y"]), month, int(parts["d"])).isoformat()
    except ValueError:
        return None
